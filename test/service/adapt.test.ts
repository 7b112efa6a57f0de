import { join } from 'node:path';
import pMap from 'p-map';
import { identifier, rowsOf, sql } from '../../db/core/sql';
import type { AdaptResult } from '../../models/indexing/adapt-service';
import type { Evaluation } from '../../models/indexing/figures';
import type { EmbeddingsStatus } from '../../models/indexing/status-service';
import { layoutInstallation } from '../faults/layout-model';
import { pictureOf, productId, writePictures } from '../faults/photos';
import { type RunningInstallation, runInstallation } from '../support/installation';
import { killCommand } from '../support/run-loupe';

/**
 * contract 14.20: a version fitted to the catalog, by the commands, beside a service. The model is the picture at 8 x 8 pixels, whose left shows
 * the product and whose right is clutter. Each test continues where the last one ended.
 */
/** Of the products from here on, few are left out of the map: their pictures are distorted, which takes the longest. */
const FIRST = 100;
const PRODUCTS = 32;
const PICTURES = 3;
const LATER = 12;
const ADAPTED = 'layout@1.0.0+adapted-1';

let running: RunningInstallation;

beforeAll(async () => {
  const settings = { IMAGE_STORE: '', VISION_CONCURRENCY: '0', VISION_DEADLINE_MS: '120000' };
  running = await runInstallation(await layoutInstallation(settings));
});
afterAll(() => running?.stop());

const embeddings = <Document>(...words: string[]) => running.loupe<Document>('embeddings', ...words);
const adapt = (...words: string[]) => embeddings<AdaptResult>('adapt', ...words);
const versions = async () => (await embeddings<EmbeddingsStatus>('status')).versions;

async function importProducts(from: number, count: number): Promise<void> {
  const bundle = join(running.folder, `bundle-${from}`);
  await writePictures(bundle, { from, count, pictures: PICTURES, isFaint: true });
  await running.loupe('catalog', 'import', bundle);
}

async function rightFirst(from: number, count: number): Promise<number> {
  const products = Array.from({ length: count }, (_, at) => from + at);
  const isRight = async (product: number): Promise<boolean> => {
    const photo = (await pictureOf(product, 1_000, true)).toString('base64');
    const { body } = await running.api().identify({ base64: photo });
    return body.data[0]?.id === productId(product);
  };
  return (await pMap(products, isRight, { concurrency: 4 })).filter(Boolean).length;
}

const maps = () => rowsOf<{ products: string[] }>(running.knex, sql`SELECT products FROM embedding_maps`);

test('an adaptation is refused while few products have several pictures, with advice', async () => {
  await importProducts(FIRST, 20);
  await expect(adapt()).rejects.toThrow(/20 products have several pictures.*at least 30/);
  expect(await versions()).toHaveLength(1);
});

test('it continues where it was killed, and embeds nothing twice', async () => {
  await importProducts(FIRST + 20, PRODUCTS - 20);
  const isBegun = async () => (await maps()).length > 0;
  while (!(await killCommand(running.settings, ['embeddings', 'adapt'], isBegun))) {
    // On a busy machine it may be complete before it is checked.
    expect(await isBegun()).toBe(true);
    await embeddings('prune', '--building');
  }
  const result = await adapt();
  expect(result).toMatchObject({
    ...{ model: ADAPTED, state: 'building', several: PRODUCTS },
    ...{ images: PRODUCTS * PICTURES, embedded: PRODUCTS * PICTURES, pending: 0, failed: 0 },
  });
  expect(result.products).toBeLessThan(PRODUCTS);
  expect(result.validation.after).toBeGreaterThan(result.validation.before);
  expect((await versions()).map(({ model }) => model).sort()).toEqual(['layout@1.0.0', ADAPTED]);
  const table = identifier(`embeddings_${result.version}`);
  const vectors = await rowsOf(running.knex, sql`SELECT count(*)::int FROM ${table}`);
  expect(vectors).toEqual([{ count: PRODUCTS * PICTURES }]);
});

test('its version is evaluated on products that the map was not fitted to, passes the gates and is promoted', async () => {
  const evaluation = await embeddings<Evaluation>('evaluate', '--model', ADAPTED);
  const [fitted] = await maps();
  const judged = PRODUCTS - (fitted?.products.length ?? 0);
  const other = evaluation.candidate.recall.find(({ queries }) => queries === 'other photo');
  expect(other?.first.of).toBe(judged * PICTURES);
  expect(evaluation.comparison?.difference.mean).toBeGreaterThan(0);
  const before = await rightFirst(FIRST, PRODUCTS);
  const switched = await embeddings('promote', '--model', ADAPTED);
  expect(switched).toMatchObject({ model: ADAPTED, previous: 'layout@1.0.0', overruled: [] });
  expect(await rightFirst(FIRST, PRODUCTS)).toBeGreaterThan(before);
});

test('the version gets new pictures through its map, as does the version that a rollback returns to', async () => {
  await importProducts(FIRST + PRODUCTS, LATER);
  for (const { pending, done } of await versions())
    expect([pending, done]).toEqual([0, (PRODUCTS + LATER) * PICTURES]);
  expect(await rightFirst(FIRST + PRODUCTS, LATER)).toBeGreaterThanOrEqual(0.75 * LATER);
});

test('an adaptation of an adapted version starts from the vectors of the network', async () => {
  const again = await adapt();
  const other = await adapt('--model', 'layout@1.0.0');
  expect(again.model).toBe('layout@1.0.0+adapted-2');
  // Half precision is lost on the way back: the maps are practically the same.
  expect(other.validation.after).toBeCloseTo(again.validation.after, 2);
  await embeddings('prune', '--building');
});

test('an adaptation is undone by a rollback, and prune drops it with its map', async () => {
  expect(await embeddings('rollback')).toMatchObject({ model: 'layout@1.0.0', previous: ADAPTED });
  await embeddings('prune', '--all');
  expect(await maps()).toEqual([]);
  expect(await versions()).toHaveLength(1);
  const audit = await running.loupe<object[]>('audit', 'log');
  expect(audit).toContainEqual(expect.objectContaining({ action: 'embeddings adapt', subject: ADAPTED }));
});
