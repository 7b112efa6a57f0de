import { PORTS } from '../../models/ports';
import { FIXTURE } from '../support/fixture-data';
import { environmentOf, runLoupeHere } from '../support/run-loupe';
import { useService } from '../support/service';

/** `loupe catalog identifiability`: what to photograph next, for the fixture with vectors under which two bags look alike. */
const service = useService({}, {}, { ...FIXTURE, pool: 'identifiability' });

/** Of a picture of each product, by its address; the second one of a bag is farther from its first than the other bag. */
const VECTORS: readonly (readonly [product: string, address: string, vector: readonly number[]])[] = [
  ['product_neverfull_monogram', '/images/%', [1, 0, 0, 0]],
  ['product_neverfull_monogram', '%/neverfull_monogram-MM.jpg', [0.6, 0, 0.8, 0]],
  ['product_neverfull_damier', '/images/%', [0.8, 0.6, 0, 0]],
  ['product_birkin_croc', '/images/%', [0, 0, 1, 0]],
  ['product_submariner', '/images/%', [0, 0, 0, 1]],
];
const NAME = 'Neverfull in Damier Ebene';

beforeAll(async () => {
  const { id } = await service.liveVersion();
  for (const [product_id, address, vector] of VECTORS) {
    const images = service
      .knex('product_images')
      .join('images', 'images.id', 'image_id')
      .where({ product_id });
    const imageId = Number((await images.whereLike('address', address).first('image_id'))?.image_id);
    const stored = [{ imageId, vectors: [Float32Array.from(vector)] }];
    await service.resolve(PORTS.EmbeddingRepository).store(id, stored);
  }
  await service.knex('catalog_rows').where({ id: 'product_neverfull_damier' }).update({ name: NAME });
});

const identifiability = (...words: string[]) =>
  runLoupeHere(['catalog', 'identifiability', ...words], environmentOf(service));

test('--json prints one document with all products', async () => {
  const { code, stdout } = await identifiability('--json', '--limit', '0');
  const { findings, products, ...summary } = JSON.parse(stdout);
  expect(code).toBe(0);
  expect(summary).toMatchObject({
    ...{ model: 'test-eye@1.0.0', category: null },
    counts: {
      ...{ shares_picture: 0, confused: 1, one_picture: 3, no_picture: 0 },
      ...{ not_embedded: products - 4, distinct: 0 },
    },
  });
  expect(findings).toHaveLength(products);
  const stored = expect.stringMatching(/^\/images\//);
  const taxonomy = ['Louis Vuitton', 'Neverfull', expect.any(String)];
  expect(findings).toContainEqual({
    verdict: 'confused',
    product: { id: 'product_neverfull_monogram', name: expect.stringContaining('Neverfull'), taxonomy },
    ...{ popularity: 80, pictures: 2 },
    nearest: {
      product: expect.objectContaining({ id: 'product_neverfull_damier', name: NAME }),
      pictures: [stored, stored],
      ...{ distance: expect.closeTo(0.2, 3), ownDistance: expect.closeTo(0.4, 3), differIn: ['style'] },
    },
  });
});

test('the text sums up, and lists the worst of each kind', async () => {
  const { code, stdout, stderr } = await identifiability('--limit', '1', '--category', 'handbags');
  expect([code, stderr]).toEqual([0, expect.stringContaining('products')]);
  for (const line of [
    /^\d+ products of handbags, by test-eye@1\.0\.0/,
    /confused with another product\D+1 /,
    /│ confused .* │ product_neverfull_monogram .* │ 0\.200 │ 0\.400 │ style/,
    /│ product_neverfull_damier /,
    /no picture that is embedded .*│ product_birkin_togo /,
  ])
    expect(stdout).toMatch(line);
  expect(stdout).not.toContain('product_kelly_lizard');
});

test.each<[string, string, RegExp]>([
  ['--category', 'shoes', /There is no category "shoes"/],
  ['--model', 'other', /Nothing is embedded under the model "other"/],
])('an unknown %s is refused before any work', async (option, value, reason) => {
  const { code, stdout, stderr } = await identifiability(option, value, '--json');
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(reason);
  expect(stderr).not.toContain('products  ');
});
