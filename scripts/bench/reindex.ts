import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LocalImageStore } from '../../db/files/local-image-store';
import { connectPostgres, type Database } from '../../db/knex';
import { generateBundle } from '../catalog/generate/generate-bundle';
import { processEnvironment } from '../config';
import { runLoupe, type ServiceProcess, startProcess } from '../service-processes';
import { bringUpServices } from '../services/bring-up-services';
import { type Measurement, percentile } from './measure';
import type { TimedCall } from './open-loop';
import { AnswerLog } from './reindex/answer-log';
import { copyModel } from './reindex/copy-model';
import { type DisturbedBuild, disturbedBuild } from './reindex/disturbed-build';
import { addPictures } from './reindex/many-pictures';
import { catalogPoolPerSecond } from './reindex/pool-alone';
import { type LoadedCall, type LoadedPhase, SteadyLoad } from './reindex/steady-load';
import { coverageFaults, differingImages } from './reindex/vectors-of';
import { drawPhotos, machine } from './vision-installation';

export interface ReindexBenchOptions {
  /** Pictures of the catalog. */
  readonly images: number;
  /** How often the build command or a worker is killed. */
  readonly kills: number;
  /** Photos a second, beside the build. */
  readonly photosPerSecond: number;
  readonly queriesPerSecond: number;
}

const SEED = 11;
const PRODUCTS = 200;
const CALM_SECONDS = 40;
const PICTURE_SIDE = 256;
const PHOTO_SIDE = 640;
const SECOND_MODEL = 'second-eye';

const SETTINGS = { CONFIDENCE_FLOOR: '0', RATE_PER_SECOND: '0' };

interface Phase {
  readonly name: string;
  readonly seconds: number;
  /** Images embedded meanwhile. */
  readonly images: number;
  readonly photos: readonly TimedCall[];
  readonly queries: readonly TimedCall[];
}

/**
 * Another model built beside the live one, on PostgreSQL and Redis with an api and a worker: without a load and under a
 * steady load of photos and catalog queries, killed at random moments and resumed, then promoted and rolled back. What
 * failed, what was mixed, how much slower answers were, and how near it comes to the inference pool alone.
 */
export async function benchReindex(options: ReindexBenchOptions): Promise<Measurement> {
  const folder = await mkdtemp(join(tmpdir(), 'loupe-reindex-'));
  const services = await bringUpServices({
    environment: processEnvironment(),
    log: (line) => process.stderr.write(`${line}\n`),
    postgres: { durable: true },
  });
  const processes: ServiceProcess[] = [];
  const database = connectPostgres({ url: services.postgres.url, poolMax: 4 });
  try {
    const settings = {
      ...SETTINGS,
      DATA_DIR: join(folder, 'data'),
      DATABASE_URL: services.postgres.url,
      REDIS_URL: services.redis.url,
    };
    for (const ROLE of ['api', 'worker']) processes.push(await startProcess({ ...settings, ROLE }));
    await fillCatalog(settings, folder, database, options.images);
    return await measured({ settings, database, processes, options });
  } finally {
    for (const each of processes.reverse()) await each.stop();
    await database.close();
    await services.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

interface Bench {
  readonly settings: Readonly<Record<string, string>> & { readonly DATA_DIR: string };
  readonly database: Database;
  readonly processes: ServiceProcess[];
  readonly options: ReindexBenchOptions;
}

async function fillCatalog(
  settings: Bench['settings'],
  folder: string,
  { knex }: Database,
  images: number,
): Promise<void> {
  const bundle = join(folder, 'bundle');
  await generateBundle({ seed: SEED, products: PRODUCTS, out: bundle, images: true });
  await runLoupe(settings, 'catalog', 'import', bundle);
  process.stderr.write(`drawing ${images} pictures\n`);
  const store = new LocalImageStore(join(settings.DATA_DIR, 'images'));
  await addPictures({ knex, store }, { count: images - PRODUCTS, from: 0, side: PICTURE_SIDE });
}

async function measured(bench: Bench): Promise<Measurement> {
  const { settings, database, processes, options } = bench;
  const poolPerSecond = await catalogPoolPerSecond(database.knex, settings.DATA_DIR);
  process.stderr.write(`the pool alone: ${poolPerSecond.toFixed(1)} images/s\n`);
  const alone = await timedBuild(settings, 'loupe-eye');
  await copyModel(settings.DATA_DIR, SECOND_MODEL);
  const log = new AnswerLog(database.knex);
  await log.noteLive();
  const load = new SteadyLoad(log, {
    url: processes[0]?.url ?? '',
    key: await keyOf(settings),
    photos: await drawPhotos(PRODUCTS, PHOTO_SIDE),
    photosPerSecond: options.photosPerSecond,
    queriesPerSecond: options.queriesPerSecond,
  });
  await load.during(seconds(CALM_SECONDS / 4));
  const calm = await load.during(seconds(CALM_SECONDS));
  process.stderr.write('building under load\n');
  const built = await load.during(
    disturbedBuild({
      settings,
      knex: database.knex,
      model: SECOND_MODEL,
      images: options.images,
      kills: options.kills,
      processes,
    }),
  );
  const switched = await load.during(switches(settings, log));
  const { faults, answersByVersion } = await log.audit();
  const [first = 0, second = 0] = await versionIds(database);
  const phases: Phase[] = [
    { name: 'calm', images: 0, ...calm },
    ...splitAtFirstKill(built),
    { name: 'promoted, rolled back', images: 0, ...switched },
  ];
  const undisturbed = phases[1];
  const p99 = (calls: readonly TimedCall[]) =>
    percentile(
      calls.map(({ ms }) => ms),
      0.99,
    );
  return {
    title: `reindex: ${options.images} images, ${options.photosPerSecond} photos and ${options.queriesPerSecond} catalog queries a second, ${machine()}`,
    head: [
      'phase',
      'seconds',
      'images/s',
      'photos',
      'not 200',
      'p50 ms',
      'p99 ms',
      'queries',
      'not 200',
      'p50 ms',
      'p99 ms',
    ],
    rows: phases.map(rowOf),
    notes: [
      `Inference pool alone, with the pictures' intake: ${poolPerSecond.toFixed(1)} images/s; a build without a load ${alone.perSecond.toFixed(1)} images/s, ${percentOf(alone.perSecond, poolPerSecond)} of it.`,
      `p99 while building against calm: photos ${(p99(undisturbed?.photos ?? []) / p99(calm.photos)).toFixed(2)}, queries ${(p99(undisturbed?.queries ?? []) / p99(calm.queries)).toFixed(2)} times.`,
      `Killed (-9) ${built.result.kills.length} times: ${built.result.kills.join(', ')}.`,
      `Final state: ${(await coverageFaults(database.knex, second, options.images)).join('; ') || 'every image embedded once, no index or vector missing'}; ${await differingImages(database.knex, first, second)} images whose vectors are not those of an undisturbed build of the same weights.`,
      `Answers by version: ${[...answersByVersion].map(([version, count]) => `${version}: ${count}`).join(', ')}. Failed or mixed: ${faults.length === 0 ? 'none' : faults.slice(0, 10).join('; ')}.`,
      'The client is a process on the same cores; a photo is decoded, embedded in four views and searched, an image of the catalog in three views and stored.',
    ],
  };
}

/** The part of a build that was left alone, and the one in which things were killed. */
function splitAtFirstKill({ seconds: took, photos, queries, result }: LoadedPhase<DisturbedBuild>): Phase[] {
  const { firstKillAt, imagesBefore, images } = result;
  const before = ({ at }: LoadedCall) => at < firstKillAt;
  const after = (call: LoadedCall) => !before(call);
  const from = Math.min(...photos.map(({ at }) => at));
  const secondsBefore = Math.min(took, (firstKillAt - from) / 1000);
  return [
    {
      name: 'building',
      seconds: secondsBefore,
      images: imagesBefore,
      photos: photos.filter(before),
      queries: queries.filter(before),
    },
    {
      name: 'building, killed and resumed',
      seconds: took - secondsBefore,
      images: images - imagesBefore,
      photos: photos.filter(after),
      queries: queries.filter(after),
    },
  ];
}

async function timedBuild(settings: Bench['settings'], model: string): Promise<{ perSecond: number }> {
  const before = (await runLoupe(settings, 'embeddings', 'status')) as { done: number };
  const { embedded, seconds: took } = (await runLoupe(settings, 'embeddings', 'build', '--model', model)) as {
    embedded: number;
    seconds: number;
  };
  return { perSecond: (embedded - before.done) / took };
}

async function switches(settings: Bench['settings'], log: AnswerLog): Promise<void> {
  for (const words of [['promote', '--model', SECOND_MODEL, '--force'], ['rollback'], ['rollback']]) {
    await seconds(3);
    await runLoupe(settings, 'embeddings', ...words);
    await log.noteLive();
  }
  await seconds(3);
}

async function keyOf(settings: Bench['settings']): Promise<string> {
  const account = (await runLoupe(settings, 'accounts', 'create', '--name', 'bench')) as { id: string };
  const words = ['--account', account.id, '--name', 'bench', '--versions', 'v3', '--concurrency', '0'];
  return ((await runLoupe(settings, 'keys', 'create', ...words)) as { key: string }).key;
}

const versionIds = async ({ knex }: Database): Promise<number[]> =>
  knex('embedding_versions').orderBy('id').pluck('id');

const seconds = (count: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, count * 1000);
  });

const percentOf = (part: number, whole: number): string => `${Math.round((100 * part) / whole)} %`;

function rowOf({ name, seconds: took, images, photos, queries }: Phase): (string | number)[] {
  const of = (calls: readonly TimedCall[]) => [
    calls.length,
    calls.filter(({ status }) => status !== 200).length,
    ...[0.5, 0.99].map((share) =>
      percentile(
        calls.map(({ ms }) => ms),
        share,
      ).toFixed(0),
    ),
  ];
  return [
    name,
    took.toFixed(0),
    images === 0 ? '' : (images / took).toFixed(1),
    ...of(photos),
    ...of(queries),
  ];
}
