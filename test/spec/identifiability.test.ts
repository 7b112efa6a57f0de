import type { Knex } from 'knex';
import { type EmbeddingRepository, PORTS } from '../../models/ports';
import { type Loupe, openStores } from '../../scripts/composition/container';
import { readConfig } from '../../scripts/config';
import { createUntouchedData, FIXTURE, type FixtureData } from '../support/fixture-data';
import { runLoupeHere } from '../support/run-loupe';

/** A catalog owner asks what to photograph next: the fixture, with vectors under which two bags look alike. */
let data: FixtureData;
/** Open for as long as the tests, that no command starts the embedded database anew. */
let stores: Loupe;

/** Of the first picture of each product; the variants' pictures lie elsewhere and are not embedded. */
const VECTORS: Readonly<Record<string, readonly number[]>> = {
  product_neverfull_monogram: [1, 0, 0, 0],
  product_neverfull_damier: [0.8, 0.6, 0, 0],
  product_birkin_croc: [0, 0, 1, 0],
  product_submariner: [0, 0, 0, 1],
};
/** A second picture of one, shown by a variant, farther from the first than the other bag. */
const OF_VARIANT = ['https://pictures.example/neverfull_monogram-MM.jpg', [0.6, 0, 0.8, 0]] as const;
const NAME = 'Neverfull in Damier Ebene';

beforeAll(async () => {
  data = await createUntouchedData(FIXTURE);
  stores = await openStores(readConfig({ ...data.settings, LOG_LEVEL: 'silent' }));
  const knex = stores.container.resolve<Knex>(PORTS.Knex);
  const embeddings = stores.container.resolve<EmbeddingRepository>(PORTS.EmbeddingRepository);
  const live = await embeddings.live();
  const store = (imageId: unknown, vector: readonly number[]) =>
    embeddings.store(live?.id ?? 0, [{ imageId: Number(imageId), vectors: [Float32Array.from(vector)] }]);
  for (const [product, vector] of Object.entries(VECTORS)) {
    const shown = await knex('product_images')
      .join('images', 'images.id', 'image_id')
      .where({ product_id: product })
      .whereLike('address', '/images/%')
      .first('image_id');
    await store(shown?.image_id, vector);
  }
  const [address, vector] = OF_VARIANT;
  await store((await knex('images').where({ address }).first('id'))?.id, vector);
  await knex('catalog_rows').where({ id: 'product_neverfull_damier' }).update({ name: NAME });
}, 180_000);
afterAll(async () => {
  await stores?.close();
  await data.remove();
});

const identifiability = (...words: string[]) =>
  runLoupeHere(['catalog', 'identifiability', ...words], data.settings);

test('--json prints one document with all products', async () => {
  const { code, stdout } = await identifiability('--json', '--limit', '0');
  const { findings, ...summary } = JSON.parse(stdout);
  expect(code).toBe(0);
  const { counts, products } = summary;
  expect(summary).toMatchObject({ model: 'test-eye@1.0.0', category: null, typical: null });
  expect(counts).toEqual({
    ...{ shares_picture: 0, confused: 1, look_alike: 0, one_picture: 3, no_picture: 0 },
    ...{ not_embedded: products - 4, distinct: 0 },
  });
  expect(findings).toHaveLength(products);
  expect(findings[0]).toEqual({
    verdict: 'confused',
    product: {
      id: 'product_neverfull_monogram',
      name: expect.stringContaining('Neverfull'),
      taxonomy: ['Louis Vuitton', 'Neverfull', expect.any(String)],
    },
    popularity: 80,
    pictures: 2,
    nearest: {
      product: expect.objectContaining({ id: 'product_neverfull_damier', name: NAME }),
      pictures: [expect.stringMatching(/^\/images\//), expect.stringMatching(/^\/images\//)],
      distance: expect.closeTo(0.2, 3),
      ownDistance: expect.closeTo(0.4, 3),
      differIn: ['style'],
    },
  });
});

test('the text sums up, and lists the worst of each kind', async () => {
  const { code, stdout, stderr } = await identifiability('--limit', '1', '--category', 'handbags');
  expect([code, stderr]).toEqual([0, expect.stringContaining('several pictures')]);
  expect(stdout).toMatch(/^\d+ products of handbags, by test-eye@1\.0\.0/);
  expect(stdout).toMatch(/confused with another product\D+1 /);
  expect(stdout).toMatch(/│ product_neverfull_monogram .* │ 0\.200 │ 0\.400 │ style +│ confused/);
  expect(stdout).toMatch(/│ product_neverfull_damier /);
  expect(stdout).toMatch(/│ product_birkin_togo .*no picture that is embedded/);
  expect(stdout).not.toContain('product_kelly_lizard');
});

test.each<[string, string[], RegExp]>([
  ['a category that there is not', ['--category', 'shoes'], /There is no category "shoes"/],
  ['a model that there is not', ['--model', 'other'], /Nothing is embedded under the model "other"/],
])('%s is refused before any work', async (_what, words, reason) => {
  const { code, stdout, stderr } = await identifiability(...words, '--json');
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(reason);
  expect(stderr).not.toContain('several pictures');
});
