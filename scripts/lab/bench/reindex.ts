import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { LocalImageStore } from '../../../db/files/local-image-store';
import { bundledModel } from '../../../workers/library/model-library';
import { AnswerLog } from './answer-log';
import { drawPhotos, fill } from './generated';
import { type Installation, onInstallation, UNLIMITED } from './installation';
import { Client, type HttpAnswer } from './load';
import { addPictures } from './many-pictures';
import { type Cell, type Measurement, machine, percentile, percentiles } from './table';

interface ReindexBenchOptions {
  /** Pictures of the catalog. */
  readonly images: number;
  /** Seconds of the load alone, before the build and once more after it. */
  readonly calm: number;
}

/** What was called meanwhile. */
interface Phase {
  readonly seconds: number;
  readonly photos: readonly HttpAnswer[];
  readonly queries: readonly HttpAnswer[];
}

const PRODUCTS = 200;
const PICTURE_SIDE = 256;
const WARM_UP_SECONDS = 15;
const PHOTO_SIDE = 640;
const SECOND_MODEL = 'second-eye';
/** A second, beside the build. */
const PHOTOS = 2;
const QUERIES = 5;
const TEXTS = ['bag', 'watch', 'leather', 'gold', 'small', 'black', 'steel', 'classic'];

/**
 * The bundled model built once more beside the live one, on PostgreSQL and Redis with an api and a worker, under a steady load of
 * photos and catalog queries, then promoted and rolled back: what failed, what was mixed, how much slower answers were.
 */
export const benchReindex = (options: ReindexBenchOptions): Promise<Measurement> =>
  onInstallation({ mode: 'PostgreSQL and Redis', settings: UNLIMITED }, async (installation, folder) => {
    const { settings, loupe } = installation;
    await installation.start(['worker']);
    await fill([installation], folder, { products: PRODUCTS, pictures: PICTURE_SIDE });
    // A worker would embed pictures while they are added.
    await installation.stop();
    return await installation.onDatabase(async (knex) => {
      const store = new LocalImageStore(join(settings.DATA_DIR, 'images'));
      await addPictures({ knex, store }, { count: options.images - PRODUCTS, from: 0, side: PICTURE_SIDE });
      await installation.start();
      await loupe('embeddings', 'build', '--model', 'loupe-eye');
      await copyModel(settings.DATA_DIR, SECOND_MODEL);
      const log = new AnswerLog(knex);
      await log.noteLive();
      const load = await steadyLoad(installation, log);
      await load(delay(1000 * WARM_UP_SECONDS));
      const before = await load(delay(1000 * options.calm));
      const building = await load(loupe('embeddings', 'build', '--model', SECOND_MODEL));
      const after = await load(delay(1000 * options.calm));
      const calm: Phase = {
        seconds: before.seconds + after.seconds,
        photos: [...before.photos, ...after.photos],
        queries: [...before.queries, ...after.queries],
      };
      const switched = await load(switches(installation, log));
      const { faults, answersByVersion } = await log.audit();
      const slower = (of: 'photos' | 'queries') =>
        (percentile(msOf(building[of]), 0.99) / percentile(msOf(calm[of]), 0.99)).toFixed(2);
      return {
        title: `reindex: ${options.images} images, ${PHOTOS} photos and ${QUERIES} catalog queries a second, ${machine()}`,
        head: [
          ...['phase', 'seconds', 'images/s'],
          ...['photos', 'not 200', 'p50 ms', 'p99 ms', 'queries', 'not 200', 'p50 ms', 'p99 ms'],
        ],
        rows: [
          rowOf('calm, before and after', calm, null),
          rowOf('building', building, options.images),
          rowOf('promoted, rolled back', switched, null),
        ],
        notes: [
          `p99 while building against calm: photos ${slower('photos')}, queries ${slower('queries')} times.`,
          `Embeddings: ${JSON.stringify(await loupe('embeddings', 'status'))}`,
          `Answers by version: ${[...answersByVersion].map(([version, count]) => `${version}: ${count}`).join(', ')}. Failed or mixed: ${faults.slice(0, 10).join('; ') || 'none'}.`,
        ],
      };
    });
  });

/** Installs the bundled model once more under another name: as costly, and with the same vectors. */
async function copyModel(dataDir: string, id: string): Promise<void> {
  const { folder, manifest } = await bundledModel();
  const copy = join(dataDir, 'models', `${id}@${manifest.version}`);
  await cp(folder, copy, { recursive: true });
  await writeFile(join(copy, 'manifest.json'), JSON.stringify({ ...manifest, id }));
}

/** Photos and catalog queries at a fixed rate, whatever their outcome, while something runs. */
async function steadyLoad(installation: Installation, log: AnswerLog) {
  const { url } = installation;
  const key = await installation.key();
  const client = new Client(url, key);
  const photos = await drawPhotos(PRODUCTS, PHOTO_SIDE);
  const identify = (index: number) => {
    const photo = index % photos.length;
    return log.identify(url, key, photo, photos[photo] ?? Buffer.alloc(0));
  };
  const ask = (index: number) =>
    client.send('POST', '/v3/catalog/query', { query: TEXTS[index % TEXTS.length] });
  return async (work: Promise<unknown>): Promise<Phase> => {
    const started = performance.now();
    let ended = false;
    const ending = work.finally(() => {
      ended = true;
    });
    ending.catch(() => undefined);
    const steadily = async (perSecond: number, call: (index: number) => Promise<HttpAnswer>) => {
      const calls: Promise<HttpAnswer>[] = [];
      while (!ended) {
        const waitMs = started + (calls.length * 1000) / perSecond - performance.now();
        if (waitMs > 1) await delay(Math.min(waitMs, 100));
        else calls.push(call(calls.length));
      }
      return Promise.all(calls);
    };
    const [ofPhotos, queries] = await Promise.all([steadily(PHOTOS, identify), steadily(QUERIES, ask)]);
    await ending;
    return { seconds: (performance.now() - started) / 1000, photos: ofPhotos, queries };
  };
}

async function switches({ loupe }: Installation, log: AnswerLog): Promise<void> {
  for (const words of [['promote', '--model', SECOND_MODEL, '--force'], ['rollback'], ['rollback']]) {
    await delay(3_000);
    await loupe('embeddings', ...words);
    await log.noteLive();
  }
  await delay(3_000);
}

const msOf = (calls: readonly HttpAnswer[]): number[] => calls.map(({ ms }) => ms);

const rowOf = (name: string, { seconds, photos, queries }: Phase, images: number | null): Cell[] => [
  ...[name, Math.round(seconds), images === null ? null : images / seconds],
  ...[photos, queries].flatMap((calls) => [
    ...[calls.length, calls.filter(({ status }) => status !== 200).length],
    ...percentiles(msOf(calls), 0.5, 0.99),
  ]),
];
