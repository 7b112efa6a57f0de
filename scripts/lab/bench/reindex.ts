import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { LocalImageStore } from '../../../db/files/local-image-store';
import { bundledModel } from '../../../workers/library/model-library';
import { drawPhotos, fill, photoBodies } from './generated';
import { type Installation, onInstallation, UNLIMITED } from './installation';
import { Client, type HttpAnswer } from './load';
import { addPictures } from './many-pictures';
import { type Cell, type Measurement, machine, percentiles } from './table';

const PRODUCTS = 200;
const PICTURE_SIDE = 256;
const PHOTO_SIDE = 640;
const [WARM_UP_MS, CALM_MS] = [15_000, 60_000];
const SECOND_MODEL = 'second-eye';
/** A second, beside the build. */
const PHOTOS = 2;
const QUERIES = 5;
const TEXTS = ['bag', 'watch', 'leather', 'gold', 'small', 'black', 'steel', 'classic'];

/** The bundled model built once more beside the live one, under a steady load: what failed, and how much slower answers were. */
export const benchReindex = ({ images }: { readonly images: number }): Promise<Measurement> =>
  onInstallation({ mode: 'PostgreSQL and Redis', settings: UNLIMITED }, async (installation, folder) => {
    const { settings, loupe } = installation;
    await installation.start(['worker']);
    await fill([installation], folder, { products: PRODUCTS, pictures: PICTURE_SIDE });
    // A worker would embed pictures while they are added.
    await installation.stop();
    const store = new LocalImageStore(join(settings.DATA_DIR, 'images'));
    const added = { count: images - PRODUCTS, from: 0, side: PICTURE_SIDE };
    await installation.onDatabase((knex) => addPictures({ knex, store }, added));
    await installation.start();
    await loupe('embeddings', 'build', '--model', 'loupe-eye');
    await copyModel(settings.DATA_DIR, SECOND_MODEL);
    const load = await steadyLoad(installation);
    await load('warm-up', delay(WARM_UP_MS), null);
    return {
      title: `reindex: ${images} images, ${PHOTOS} photos and ${QUERIES} catalog queries a second, ${machine()}`,
      head: [
        ...['phase', 'seconds', 'images/s'],
        ...['photos', 'not 200', 'p50 ms', 'p99 ms', 'queries', 'not 200', 'p50 ms', 'p99 ms'],
      ],
      rows: [
        await load('calm, before', delay(CALM_MS), null),
        await load('building', loupe('embeddings', 'build', '--model', SECOND_MODEL), images),
        await load('calm, after', delay(CALM_MS), null),
      ],
      notes: [`Embeddings: ${JSON.stringify(await loupe('embeddings', 'status'))}`],
    };
  });

/** Installs the bundled model once more under another name: as costly, and with the same vectors. */
async function copyModel(dataDir: string, id: string): Promise<void> {
  const { folder, manifest } = await bundledModel();
  const copy = join(dataDir, 'models', `${id}@${manifest.version}`);
  await cp(folder, copy, { recursive: true });
  await writeFile(join(copy, 'manifest.json'), JSON.stringify({ ...manifest, id }));
}

/** Photos and catalog queries at a fixed rate, whatever their outcome, while something runs; its row of the table. */
async function steadyLoad(installation: Installation) {
  const client = new Client(installation.url, await installation.key());
  const bodies = photoBodies(await drawPhotos(PRODUCTS, PHOTO_SIDE));
  const identify = (at: number) => client.send('POST', '/v3/vision/identify', bodies[at % bodies.length]);
  const ask = (at: number) => client.send('POST', '/v3/catalog/query', { query: TEXTS[at % TEXTS.length] });
  return async (name: string, work: Promise<unknown>, images: number | null): Promise<Cell[]> => {
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
    const answers = await Promise.all([steadily(PHOTOS, identify), steadily(QUERIES, ask)]);
    await ending;
    const seconds = (performance.now() - started) / 1000;
    const cells = answers.flatMap((calls) => [
      ...[calls.length, calls.filter(({ status }) => status !== 200).length],
      ...percentiles(
        calls.map(({ ms }) => ms),
        ...[0.5, 0.99],
      ),
    ]);
    return [name, Math.round(seconds), images === null ? null : images / seconds, ...cells];
  };
}
