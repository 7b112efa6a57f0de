import { idsOf } from '../support/api-client';
import { useService } from '../support/service';

/** contract 8: what v1 and v2 alone have; `catalog-answers.test.ts` asks them what it asks v3. */
const service = useService();
const v1 = (parameters: Record<string, string> | string = {}) => service.api.v1(parameters);
const v2 = (body: object) => service.api.v2(body);
const ALL = 17;

// contract 8.4
test('the envelope has the search, the order and statistics, and v2 answers what v1 answers', async () => {
  const { status, body } = await v1({ page_size: '2' });
  const { data, stats, ...envelope } = body;
  expect([status, data.length]).toEqual([200, 2]);
  expect(envelope).toEqual({
    ...{ success: true, search: '', results: 2, total_results: ALL, page: 0, total_pages: 9 },
    sort_applied: 'popularity_desc',
  });
  expect(Object.keys(stats).sort()).toEqual(['id', 'nbWordsMatched']);
  expect((await v2({ page_size: 2 })).body).toEqual(body);
});

// contract 8.5
test('rows have a name, attributes, and variants with their prices', async () => {
  const { body } = await v1({ style: 'style_birkin_croc' });
  expect(Object.keys(body.data[0] ?? {}).sort()).toEqual(
    'attributes id images name popularity thumbnails variants'.split(' '),
  );
  expect(body.data[0]?.variants?.[1]).toEqual({
    id: 'variant_birkin_croc_25',
    fields: [{ field: 'size', name: '25' }],
    market_estimates: expect.arrayContaining([
      expect.objectContaining({ source: 'ebay', region: 'NA', A: 50_000 }),
    ]),
    ...{ historical_estimates: null, pricing_data: null, popularity: 20 },
    images: ['https://pictures.example/birkin_croc-25.jpg'],
    thumbnails: [],
  });
});

// contract 8.4
test("statistics count the words matched and every attribute id on the page's rows", async () => {
  const { body } = await v1({ search: 'Hermes Birkin' });
  expect(body).toMatchObject({ search: 'Hermes Birkin', stats: { nbWordsMatched: 2 } });
  const { stats } = (await v1({ brand: 'brand_hermes' })).body;
  const counts = { brand_hermes: 4, model_birkin: 2, colour_noir: 3, colour_gold: 2, handbags: 4 };
  expect(stats).toMatchObject({ id: counts, nbWordsMatched: 0 });
});

describe('attribute', () => {
  // contract 2.3, 8.2
  test.each('model style brand family case dial'.split(' '))(
    '%s gives rows without variants, with the highest estimate below them or null',
    async (attribute) => {
      const { data } = (await v1({ attribute })).body;
      for (const row of data) {
        expect(row).not.toHaveProperty('variants');
        expect(row).toHaveProperty('max_market_estimate');
      }
      const estimateOf = (id: string) => data.find((row) => row.id === id)?.max_market_estimate;
      if (attribute !== 'brand') return;
      const grades = { A: 60_000, B: 52_000, C: 40_000, D: 30_000 };
      expect(estimateOf('brand_hermes')).toEqual({
        ...{ source: 'vestiaire_collective', region: 'EU-UK', ...grades, currency: 'gbp' },
        ...{ estimated_at: '2026-03-15T12:00:00.000Z', confidence: 0.8 },
      });
      expect(estimateOf('brand_echo')).toBeNull();
    },
  );

  // contract 1.7
  test('category gives the categories that are searched, with their tags', async () => {
    const answer = await v1({ attribute: 'category', sort: 'name_asc' });
    expect(idsOf(answer)).toEqual(['handbags', 'watches']);
    expect(answer.body.data[0]?.available_tags).toHaveLength(3);
  });

  // contract 8.2
  test('falls back to product where there is no such kind of rows', async () => {
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
test.each(['', ' ', ',', ' , ,'])('a list of no value ("%s") is as if it were not given', async (blank) => {
  const lists = 'brand exclude_brand tags exclude_tags category exclude_category'.split(' ');
  const each = [...lists.map((name) => ({ [name]: blank })), { search: blank.replaceAll(',', '') }];
  for (const given of [...each, Object.fromEntries(lists.map((name) => [name, blank]))])
    expect([given, (await v1(given)).body.total_results]).toEqual([given, ALL]);
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
  for (const body of [
    listed,
    { ...numbers, brand: listed.brand },
    { ...numbers, brand: listed.brand.split(',') },
  ])
    expect(idsOf(await v2(body))).toEqual(ids);
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
