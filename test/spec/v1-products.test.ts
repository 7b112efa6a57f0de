import { idsOf } from '../support/api-client';
import { useService } from '../support/service';
import { words } from '../support/words';

/** contract 8.1, 5: the legacy search in a query string. */
const service = useService();
const v1 = (parameters: Record<string, string> | string = {}) => service.api.v1(parameters);

// contract 8.4
describe('the answer', () => {
  test('has the fields of 4.5 and sort_applied', async () => {
    const { status, body } = await v1({ page_size: '2' });
    const { data, stats, ...envelope } = body;
    expect(status).toBe(200);
    expect(data).toHaveLength(2);
    expect(envelope).toEqual({
      success: true,
      search: '',
      results: 2,
      total_results: 17,
      page: 0,
      total_pages: 9,
      sort_applied: 'popularity_desc',
    });
    expect(Object.keys(stats).sort()).toEqual(['id', 'nbWordsMatched']);
  });

  // contract 8.5
  test('holds rows with name, attributes, variants with prices on them, popularity and pictures', async () => {
    const { body } = await v1({ style: 'style_birkin_croc' });
    expect(Object.keys(body.data[0] ?? {}).sort()).toEqual(
      ['attributes', 'id', 'images', 'name', 'popularity', 'thumbnails', 'variants'].sort(),
    );
    expect(body.data[0]?.variants?.[1]).toEqual({
      id: 'variant_birkin_croc_25',
      fields: [{ field: 'size', name: '25' }],
      market_estimates: expect.arrayContaining([
        expect.objectContaining({ source: 'ebay', region: 'NA', A: 50_000 }),
      ]),
      historical_estimates: null,
      pricing_data: null,
      popularity: 20,
      images: ['https://pictures.example/birkin_croc-25.jpg'],
      thumbnails: [],
    });
  });

  // contract 8.4
  test('echoes the search and counts its matched words', async () => {
    const { body } = await v1({ search: 'Hermes Birkin' });
    expect(body).toMatchObject({
      search: 'Hermes Birkin',
      sort_applied: 'relevance',
      stats: { nbWordsMatched: 2 },
    });
    expect((await v1()).body.stats.nbWordsMatched).toBe(0);
  });

  test("counts every attribute id on the page's rows", async () => {
    const { body } = await v1({ brand: 'brand_hermes' });
    expect(body.stats.id).toMatchObject({
      brand_hermes: 4,
      model_birkin: 2,
      colour_noir: 3,
      colour_gold: 2,
      handbags: 4,
    });
  });
});

// contract 8.2
describe('attribute', () => {
  test.each(['model', 'style', 'brand', 'family', 'case', 'dial'])(
    '%s lists rows of that kind',
    async (attribute) => {
      const { body } = await v1({ attribute });
      expect(body.data.length).toBeGreaterThan(0);
      for (const row of body.data) {
        expect(row.id).toMatch(new RegExp(`^${attribute}_`));
        expect(row).not.toHaveProperty('variants');
        expect(row).toHaveProperty('max_market_estimate');
      }
    },
  );

  test('is any level of any hierarchy, within its category', async () => {
    expect(idsOf(await v1({ attribute: 'line', category: 'jewellery' }))).toEqual(['line_love']);
    expect(idsOf(await v1({ attribute: 'line' }))).toEqual([]);
    expect(idsOf(await v1({ attribute: 'dial', category: 'handbags' }))).toEqual([]);
  });

  test('rows of no product have the highest estimate below them, or null', async () => {
    const { body } = await v1({ attribute: 'brand', page_size: '100' });
    const best = (id: string) => body.data.find((row) => row.id === id)?.max_market_estimate;
    expect(best('brand_hermes')).toEqual({
      source: 'vestiaire_collective',
      region: 'EU-UK',
      A: 60_000,
      B: 52_000,
      C: 40_000,
      D: 30_000,
      currency: 'gbp',
      estimated_at: '2026-03-15T12:00:00.000Z',
      confidence: 0.8,
    });
    expect(best('brand_echo')).toBeNull();
  });

  test('category lists the categories of the scope, with their tags', async () => {
    const { body } = await v1({ attribute: 'category' });
    expect(idsOf(await v1({ attribute: 'category', sort: 'name_asc' }))).toEqual(['handbags', 'watches']);
    expect(body.data.find(({ id }) => id === 'handbags')?.available_tags).toHaveLength(3);
  });

  test.each(['', 'shoe', 'Brand', 'colour', 'constructor', '__proto__'])(
    '%j falls back to product',
    async (attribute) => {
      const answer = await v1({ attribute, page_size: '1' });
      expect(answer).toMatchObject({ status: 200, body: { data: [{ id: 'product_birkin_croc' }] } });
    },
  );
});

// contract 8.2
describe('the category', () => {
  test('is handbags and watches unless named', async () => {
    expect(idsOf(await v1({ page_size: '100' }))).not.toContain('product_love_ring');
    expect(idsOf(await v1({ page_size: '100', category: '' }))).toHaveLength(17);
  });

  test.each([
    ['watches', 2],
    ['Watches,jewellery', 3],
    ['Fine Jewellery', 1],
    ['shoes', 0],
    ['shoes,watches', 2],
  ])('%s scopes to %d rows', async (category, rows) => {
    expect(await v1({ category })).toMatchObject({ status: 200, body: { total_results: rows } });
  });
});

// contract 8.3
describe('facets', () => {
  const found = async (parameters: Record<string, string> | string) => idsOf(await v1(parameters)).sort();

  test('are OR within a parameter and AND across parameters', async () => {
    expect(await found({ model: 'model_birkin,model_kelly', colour: 'colour_gold' })).toEqual([
      'product_birkin_togo',
      'product_kelly_lizard',
    ]);
  });

  test('may be repeated, as one list', async () => {
    expect(await found('model=model_birkin&model=model_speedy')).toEqual([
      'product_birkin_croc',
      'product_birkin_togo',
      'product_speedy_epi',
    ]);
  });

  test('exist for every field of the catalog, in the hierarchy or not', async () => {
    expect(await found({ dial: 'dial_black' })).toEqual(['product_submariner']);
    expect(await found({ material: 'material_togo' })).toEqual(['product_birkin_togo']);
    expect(await found({ category: 'jewellery', maison: 'maison_cartier' })).toEqual(['product_love_ring']);
  });

  test('that are unknown or inapplicable answer no rows', async () => {
    expect(await found({ brand: 'brand_nobody' })).toEqual([]);
    expect(await found({ category: 'handbags', dial: 'dial_black' })).toEqual([]);
  });

  test('are negated by exclude_', async () => {
    expect(
      await found({ brand: 'brand_hermes', exclude_model: 'model_birkin', exclude_colour: 'colour_gold' }),
    ).toEqual(['product_kelly_croc']);
    expect(await found({ exclude_category: 'handbags' })).toEqual(['product_nautilus', 'product_submariner']);
    expect(await found({ exclude_brand: 'brand_nobody' })).toHaveLength(17);
  });

  test.each(['', ' ', ',', ' , ,'])('of no value ("%s") are as if not given', async (blank) => {
    const names = words('brand exclude_brand tags exclude_tags category exclude_category search');
    for (const name of names) {
      const unset = name === 'search' ? blank.replaceAll(',', '') : blank;
      expect(await found({ [name]: unset })).toHaveLength(17);
    }
    expect(await found(Object.fromEntries(names.slice(0, -1).map((name) => [name, blank])))).toHaveLength(17);
  });

  test('of no meaning are ignored', async () => {
    expect(await found('foo=bar&keywords=toile&utm_source=x')).toHaveLength(17);
  });
});

// contract 8.3, 3.3
describe('tags', () => {
  const found = async (parameters: Record<string, string>) => idsOf(await v1(parameters)).sort();

  test('match rows with at least one', async () => {
    expect(await found({ tags: 'edition:limited, material:canvas' })).toEqual([
      'product_birkin_togo',
      'product_kelly_lizard',
      'product_neverfull_damier',
      'product_neverfull_monogram',
    ]);
  });

  test('are negated by exclude_tags', async () => {
    expect(await found({ tags: 'material:exotic', exclude_tags: 'edition:limited' })).toEqual([
      'product_birkin_croc',
      'product_kelly_croc',
    ]);
  });

  test.each(['tags', 'exclude_tags'])('unknown in %s are a 400', async (name) => {
    expect(await v1({ [name]: 'material:exotic,material:stone' })).toMatchObject({
      status: 400,
      body: { error: 'bad_request', field: name },
    });
  });
});

describe('pages and order', () => {
  test('are those of v3', async () => {
    const all = idsOf(await v1({ sort: 'name_asc', page_size: '100' }));
    const paged = [
      ...idsOf(await v1({ sort: 'name_asc', page_size: '9', page: '0' })),
      ...idsOf(await v1({ sort: 'name_asc', page_size: '9', page: '1' })),
    ];
    expect(paged).toEqual(all);
  });

  test('past the end are empty, and larger than 100 lowered', async () => {
    expect(await v1({ page: '99999999999999999999' })).toMatchObject({ status: 200, body: { data: [] } });
    expect(await v1({ page_size: '101' })).toMatchObject({ status: 200, body: { results: 17 } });
  });

  test.each([
    ['page', '-1'],
    ['page', '1.5'],
    ['page', 'abc'],
    ['page', '0x10'],
    ['page', '1e2'],
    ['page_size', '0'],
    ['page_size', ''],
    ['sort', 'price_asc'],
    ['search', 'a'.repeat(513)],
    ['search', 'a\0b'],
  ])('%s=%j is a 400 that names it', async (name, value) => {
    expect(await v1({ [name]: value })).toMatchObject({
      status: 400,
      body: { error: 'bad_request', field: name },
    });
  });

  test('given twice are a 400', async () => {
    expect(await v1('page=1&page=2')).toMatchObject({ status: 400, body: { field: 'page' } });
  });
});
