import { idsOf } from '../support/api-client';
import { type Seen, useService } from '../support/service';

/** contract 8: what only v1 and v2 have; `catalog-answers.test.ts` asks them the same questions as v3. */
const service = useService();
const v1 = (parameters: Record<string, string> | string = {}) => service.api.v1(parameters);
const v2 = (body: object) => service.api.v2(body);
const ALL = 17;
const keysOf = (row: object = {}) => Object.keys(row).sort().join(' ');

// contract 8.4
test('the envelope has the search, the order and statistics, and v2 answers what v1 answers', async () => {
  const { status, body } = await v1({ page_size: '2' });
  const { data, stats, ...envelope } = body;
  expect([status, data.length]).toEqual([200, 2]);
  expect(envelope).toEqual({
    ...{ success: true, search: '', results: 2, total_results: ALL, page: 0, total_pages: 9 },
    sort_applied: 'popularity_desc',
  });
  expect(keysOf(stats)).toBe('id nbWordsMatched');
  expect((await v2({ page_size: 2 })).body).toEqual(body);
  const found = await v1({ search: 'Hermes Birkin' });
  expect(found.body).toMatchObject({ search: 'Hermes Birkin', stats: { nbWordsMatched: 2 } });
  const id = { brand_hermes: 4, model_birkin: 2, colour_noir: 3, colour_gold: 2, handbags: 4 };
  const listed = (await v1({ brand: 'brand_hermes' })).body.stats;
  expect(listed).toMatchObject({ id, nbWordsMatched: 0 });
});

// contract 8.5
test('rows have a name, attributes, and variants with their prices', async () => {
  const [row] = (await v1({ style: 'style_birkin_croc' })).body.data;
  const keys = 'attributes id images name popularity thumbnails variants';
  expect(keysOf(row)).toBe(keys);
  const estimate = expect.objectContaining({ source: 'ebay', region: 'NA', A: 50_000 });
  expect(row?.variants?.[1]).toEqual({
    ...{ id: 'variant_birkin_croc_25', fields: [{ field: 'size', name: '25' }], popularity: 20 },
    market_estimates: expect.arrayContaining([estimate]),
    ...{ historical_estimates: null, pricing_data: null, thumbnails: [] },
    images: ['https://pictures.example/birkin_croc-25.jpg'],
  });
});

describe('attribute', () => {
  // contract 2.3, 8.2
  test('gives rows without variants, with the highest estimate below them or null', async () => {
    for (const attribute of 'model style brand family case dial'.split(' ')) {
      for (const row of (await v1({ attribute })).body.data) {
        expect(row).not.toHaveProperty('variants');
        expect(row).toHaveProperty('max_market_estimate');
      }
    }
    const { data } = (await v1({ attribute: 'brand' })).body;
    const estimateOf = (id: string) => data.find((row) => row.id === id)?.max_market_estimate;
    const best = { source: 'vestiaire_collective', region: 'EU-UK', currency: 'gbp', A: 60_000, B: 52_000 };
    expect([estimateOf('brand_hermes'), estimateOf('brand_echo')]).toMatchObject([best, null]);
  });

  // contract 1.7
  test('category gives the categories that are searched, with their tags', async () => {
    const answer = await v1({ attribute: 'category', sort: 'name_asc' });
    expect([idsOf(answer), answer.body.data[0]?.available_tags?.length]).toEqual([
      ['handbags', 'watches'],
      3,
    ]);
  });

  // contract 8.2
  test('falls back to product where that kind of row does not exist', async () => {
    const first = { status: 200, body: { data: [{ id: 'product_birkin_croc' }] } };
    for (const attribute of ['', 'shoe', 'Brand', 'colour', 'constructor', '__proto__'])
      expect(await v1({ attribute, page_size: '1' })).toMatchObject(first);
    for (const attribute of ['shoe', 5, null, [], {}])
      expect(await v2({ attribute, page_size: 1 })).toMatchObject(first);
  });
});

// contract 8.2
test.each([
  [{}, ALL],
  [{ category: 'watches' }, 2],
  [{ category: 'Watches,jewellery' }, 3],
  [{ category: 'shoes' }, 0],
  [{ category: 'shoes,watches' }, 2],
  [{ attribute: 'line' }, 0],
  [{ attribute: 'line', category: 'jewellery' }, 1],
  [{ attribute: 'dial', category: 'handbags' }, 0],
  [{ exclude_category: 'handbags' }, 2],
])('%j finds %d rows: handbags and watches are searched unless categories are named', async (asked, rows) => {
  expect(await v1(asked)).toMatchObject({ status: 200, body: { total_results: rows } });
});

// contract 8.3
test('a list without a value is ignored', async () => {
  const lists = 'brand exclude_brand tags exclude_tags category exclude_category'.split(' ');
  for (const blank of ['', ' ', ',', ' , ,']) {
    for (const given of [...lists.map((name) => ({ [name]: blank })), { search: blank.replaceAll(',', '') }])
      expect([given, (await v1(given)).body.total_results]).toEqual([given, ALL]);
  }
});

// contract 8.1
test('unknown parameters are ignored, and null in v2', async () => {
  expect((await v1('foo=bar&keywords=toile&utm_source=x')).body.total_results).toBe(ALL);
  const body = { foo: { bar: 1 }, includes: ['catalog'], brand: null, page: null };
  expect(await v2(body)).toMatchObject({ status: 200, body: { total_results: ALL } });
});

// contract 8.1
test('a list may be repeated in v1 and be an array in v2, where numbers may be strings of digits', async () => {
  const listed = { brand: 'brand_hermes,brand_rolex', page: '1', page_size: '2' };
  const ids = idsOf(await v1(listed));
  expect(ids).toEqual(['product_birkin_togo', 'product_kelly_croc']);
  expect(idsOf(await v1('brand=brand_hermes&brand=brand_rolex&page=1&page_size=2'))).toEqual(ids);
  const numbers = { page: 1, page_size: 2 };
  for (const brand of [listed.brand, listed.brand.split(',')])
    expect(idsOf(await v2({ ...numbers, brand }))).toEqual(ids);
  expect(idsOf(await v2(listed))).toEqual(ids);
});

// contract 8.1
test.each(['brand[]', 'exclude_brand[0]', 'tags[a]', 'colour[]', 'whatever[]', 'page[', ']'])(
  '%s is refused, and the refusal says how lists are written',
  async (name) => {
    const message = expect.stringMatching(/a list is written "\w*=a,b"/);
    const refused = { status: 400, body: { field: name, message } };
    expect(await v1({ [name]: 'brand_hermes' })).toMatchObject(refused);
    expect(await v2({ [name]: ['brand_hermes'] })).toMatchObject(refused);
  },
);

// contract 8.6
describe('POST /v2/vision', () => {
  const identify = async (...seen: readonly Seen[]) => {
    await service.sees(...seen);
    return service.api.identifyV2(service.photo);
  };
  const TWINS = [
    ['product_neverfull_monogram', 0.4],
    ['product_neverfull_damier', 0.401],
  ] as const;

  // contract 7.11
  test('answers success, results, processingTime and the predictionId of its record', async () => {
    const { body, headers } = await identify(['product_submariner', 0.05]);
    expect(body).toEqual({
      ...{ success: true, processingTime: expect.any(Number), predictionId: headers.get('X-Prediction-Id') },
      results: [expect.objectContaining({ id: 'product_submariner', label: 'Rolex Submariner 124060' })],
    });
    expect(await service.prediction(body.predictionId)).toMatchObject({
      ...{ id: body.predictionId, endpoint: 'v2.vision' },
      ...{ rows: [{ id: 'product_submariner' }], neighbours: [{ distance: 0.05 }] },
    });
  });

  test('answers the rows and confidences of v3; products and taxonomy rows have the same keys', async () => {
    const told = ({ id, confidence }: { id: string; confidence?: number | undefined }) => [id, confidence];
    const keys = 'attributes category_id deleted id nbWordsMatched popularity updated_at variants';
    for (const seen of [
      [
        ['product_birkin_togo', 0.1],
        ['product_submariner', 0.13],
      ],
      TWINS,
    ] as const) {
      const { results } = (await identify(...seen)).body;
      const { data } = (await service.api.identify(service.photo)).body;
      expect(results.map(told)).toEqual(data.map(told));
      for (const { product } of results) expect(keysOf(product)).toBe(keys);
    }
  });

  test('describes a match by its name and style, and its product with taxonomy and prices', async () => {
    const [match] = (await identify(['product_birkin_croc', 0.05])).body.results;
    const id = 'product_birkin_croc';
    expect(match).toMatchObject({
      ...{ id, label: 'Hermès Birkin Crocodile', confidence: expect.any(Number) },
      product: {
        ...{ id, category_id: 'handbags', popularity: 100, deleted: false, nbWordsMatched: 0 },
        attributes: expect.arrayContaining([{ field: 'style', id: 'style_birkin_croc', name: 'Crocodile' }]),
      },
    });
    expect(new Date(match?.product.updated_at ?? '').toISOString()).toBe(match?.product.updated_at);
    const lists = ['market_estimates', 'historical_estimates', 'pricing_data', 'images'];
    expect(match?.product.variants[0]).toEqual({
      ...{ id: 'variant_birkin_croc_30', fields: [{ field: 'size', name: '30' }], popularity: 10 },
      ...{ thumbnails: [], ...Object.fromEntries(lists.map((name) => [name, expect.any(Array)])) },
    });
    const [row] = (await identify(...TWINS)).body.results;
    expect(row).toMatchObject({ id: 'model_neverfull', product: { id: 'model_neverfull', variants: [] } });
  });
});
