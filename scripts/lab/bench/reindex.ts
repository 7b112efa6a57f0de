import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { LocalImageStore } from '../../../db/files/local-image-store';
import { generateBundle } from '../generator/generate-bundle';
import { runLoupe, startProcess } from '../service-processes';
import type { Measurement } from './measure';
import { AnswerLog } from './reindex/answer-log';
import { buildAlone, compareWithPool, describeThroughput } from './reindex/build-alone';
import { copyModel } from './reindex/copy-model';
import { addPictures } from './reindex/many-pictures';
import { headOfPhases, p99Ratio, rowOfPhase, together } from './reindex/phases';
import { SteadyLoad } from './reindex/steady-load';
import { installTinyModel } from './reindex/tiny-model';
import { coverageFaults, differingImages } from './reindex/vectors-of';
import { onStand, type Settings, type Stand } from './set-up';
import { drawPhotos, machine, makeKey } from './vision-installation';

interface ReindexBenchOptions {
  /** Pictures of the catalog. */
  readonly images: number;
  /** A second, beside the build. */
  readonly photos: number;
  readonly queries: number;
  /** Seconds of nothing but the load, before the build and once more after it. */
  readonly calm: number;
  readonly rounds: number;
  /** `tiny` costs next to nothing: everything but the network, at the size of a large catalog. */
  readonly model: 'bundled' | 'tiny';
}

const SEED = 11;
const PRODUCTS = 200;
const WARM_UP_SECONDS = 15;
const PHOTO_SIDE = 640;
const SECOND_MODEL = 'second-eye';

/** The model that answers at first, how another of the same weights is installed, and how large its pictures are drawn. */
const MODELS = {
  bundled: { first: 'loupe-eye', install: copyModel, pictureSide: 256 },
  tiny: { first: 'tiny-eye', install: installTinyModel, pictureSide: 64 },
} as const;

/** Photos repeat; that a worker remembers their vectors would hide what they cost. */
const SETTINGS = { CONFIDENCE_FLOOR: '0', RATE_PER_SECOND: '0', PHOTO_MEMORY_MIB: '0' };

/**
 * Another model built beside the live one, on PostgreSQL and Redis with an api and a worker: without a load and under a
 * steady load of photos and catalog queries, then promoted and rolled back. What failed, what was mixed, how much slower
 * answers were, and how near it comes to the inference pool alone.
 */
export const benchReindex = (options: ReindexBenchOptions): Promise<Measurement> => {
  const { first, install } = MODELS[options.model];
  const isTiny = options.model === 'tiny';
  return onStand({ ...SETTINGS, ...(isTiny && { MODEL: first }) }, async (stand) => {
    if (isTiny) await install(stand.settings.DATA_DIR, first);
    await fillCatalog(stand, options);
    await stand.start('api', 'worker');
    return await measured(stand, options);
  });
};

async function fillCatalog({ settings, knex, folder }: Stand, options: ReindexBenchOptions): Promise<void> {
  const bundle = join(folder, 'bundle');
  await generateBundle({ seed: SEED, products: PRODUCTS, out: bundle, images: true });
  const importing = await startProcess({ ...settings, ROLE: 'worker' });
  await runLoupe(settings, 'catalog', 'import', bundle).finally(() => importing.stop());
  // No worker runs while they are added: it would embed them beside the build that does so, and halve its rate.
  process.stderr.write(`drawing ${options.images} pictures\n`);
  const store = new LocalImageStore(join(settings.DATA_DIR, 'images'));
  const { pictureSide: side } = MODELS[options.model];
  await addPictures({ knex, store }, { count: options.images - PRODUCTS, from: 0, side });
}

async function measured(stand: Stand, options: ReindexBenchOptions): Promise<Measurement> {
  const { settings, knex, processes } = stand;
  const { first: firstModel, install } = MODELS[options.model];
  const filled = await buildAlone(settings, firstModel);
  process.stderr.write(`filled: ${filled.toFixed(1)} images/s\n`);
  const throughput = await compareWithPool(
    { settings, knex },
    { rounds: options.rounds, model: firstModel, install: (id) => install(settings.DATA_DIR, id) },
  );
  await install(settings.DATA_DIR, SECOND_MODEL);
  const log = new AnswerLog(knex);
  await log.noteLive();
  const load = new SteadyLoad(log, {
    url: processes[0]?.url ?? '',
    key: await makeKey(settings, { concurrency: 0 }),
    photos: await drawPhotos(PRODUCTS, PHOTO_SIDE),
    photosPerSecond: options.photos,
    queriesPerSecond: options.queries,
  });
  await load.during(seconds(WARM_UP_SECONDS));
  const before = await load.during(seconds(options.calm));
  process.stderr.write('building under load\n');
  const { images } = options;
  const built = await load.during(runLoupe(settings, 'embeddings', 'build', '--model', SECOND_MODEL));
  const after = await load.during(seconds(options.calm));
  const switched = await load.during(switches(settings, log));
  const { faults, answersByVersion } = await log.audit();
  // Of what was built and not dropped, in the order in which it was begun.
  const versions: number[] = await knex('embedding_versions')
    .whereNot({ state: 'pruned' })
    .orderBy('id')
    .pluck('id');
  const [first = 0, second = 0] = versions;
  const calm = together('calm, before and after', [before, after]);
  const building = { ...together('building', [built]), images };
  return {
    title: `reindex: ${images} images, ${options.model} model, ${options.photos} photos and ${options.queries} catalog queries a second, ${machine()}`,
    head: headOfPhases,
    rows: [calm, building, together('promoted, rolled back', [switched])].map(rowOfPhase),
    notes: [
      ...(options.rounds === 0 ? [] : [describeThroughput(throughput)]),
      `p99 while building against calm: photos ${p99Ratio(building.photos, calm.photos)}, queries ${p99Ratio(building.queries, calm.queries)} times.`,
      `Final state: ${(await coverageFaults(knex, second, images)).join('; ') || 'every image embedded once, no index or vector missing'}; ${await differingImages(knex, first, second)} images whose vectors are not those of the first build of the same weights.`,
      `Answers by version: ${[...answersByVersion].map(([version, count]) => `${version}: ${count}`).join(', ')}. Failed or mixed: ${faults.length === 0 ? 'none' : faults.slice(0, 10).join('; ')}.`,
      'The client is a process on the same cores; a photo is decoded, embedded in its views and searched, an image of the catalog in its views and stored.',
    ],
  };
}

async function switches(settings: Settings, log: AnswerLog): Promise<void> {
  for (const words of [['promote', '--model', SECOND_MODEL, '--force'], ['rollback'], ['rollback']]) {
    await seconds(3);
    await runLoupe(settings, 'embeddings', ...words);
    await log.noteLive();
  }
  await seconds(3);
}

const seconds = (count: number): Promise<void> => delay(count * 1000);
