import { idsOf } from '../support/api-client';
import { useService } from '../support/service';

/** contract 4.3, 5: facet filters. */
const service = useService();
const filtered = (...filters: object[]) => service.api.query({ filters, page_size: 100 });
const found = async (...filters: object[]) => idsOf(await filtered(...filters)).sort();

// contract 4.4
describe('include', () => {
  test('matches rows with at least one of its values', async () => {
    expect(await found({ field: 'style', include: ['style_birkin_croc', 'style_speedy_epi'] })).toEqual([
      'product_birkin_croc',
      'product_speedy_epi',
    ]);
  });

  test('matches any of several values of an attribute', async () => {
    const gold = await found({ field: 'colour', include: ['colour_gold'] });
    expect(gold).toEqual(['product_birkin_togo', 'product_kelly_lizard']);
  });

  test('matches the row itself on listings of its kind, and its parents', async () => {
    const answer = await service.api.query({
      taxonomy_node: 'model',
      filters: [{ field: 'brand', include: ['brand_hermes'] }],
    });
    expect(idsOf(answer).sort()).toEqual(['model_birkin', 'model_kelly']);
  });
});

// contract 4.5
describe('exclude', () => {
  test('drops rows with any of its values', async () => {
    const ids = await found(
      { field: 'brand', include: ['brand_hermes'] },
      { field: 'colour', exclude: ['colour_noir'] },
    );
    expect(ids).toEqual(['product_kelly_lizard']);
  });

  test('may stand beside include, or beside an empty one', async () => {
    const both = { field: 'brand', include: ['brand_hermes', 'brand_vuitton'], exclude: ['brand_hermes'] };
    const empty = { field: 'brand', include: [], exclude: ['brand_hermes'] };
    expect(await found(both)).toEqual([
      'product_neverfull_damier',
      'product_neverfull_monogram',
      'product_speedy_epi',
    ]);
    expect(await found(empty)).not.toContain('product_birkin_croc');
  });

  test('split over several objects gives the same rows as one', async () => {
    const one = await found({ field: 'brand', exclude: ['brand_hermes', 'brand_vuitton'] });
    const two = await found(
      { field: 'brand', exclude: ['brand_hermes'] },
      { field: 'brand', exclude: ['brand_vuitton'] },
    );
    expect(two).toEqual(one);
    expect(one).toHaveLength(11);
  });

  test('of an unknown value or field drops nothing', async () => {
    expect(await found({ field: 'brand', exclude: ['brand_nobody'] })).toHaveLength(18);
    expect(await found({ field: 'flavour', exclude: ['sweet'] })).toHaveLength(18);
  });
});

// contract 4.4
describe('objects', () => {
  test('are ANDed', async () => {
    expect(
      await found(
        { field: 'brand', include: ['brand_hermes'] },
        { field: 'tags', include: ['material:exotic'] },
      ),
    ).toEqual(['product_birkin_croc', 'product_kelly_croc', 'product_kelly_lizard']);
  });

  test('of the same field must all hold', async () => {
    expect(
      await found(
        { field: 'tags', include: ['material:exotic'] },
        { field: 'tags', include: ['edition:limited'] },
      ),
    ).toEqual(['product_kelly_lizard']);
    expect(
      await found(
        { field: 'colour', include: ['colour_noir'] },
        { field: 'colour', include: ['colour_gold'] },
      ),
    ).toEqual(['product_birkin_togo']);
  });

  test('that can not hold together answer no rows and no error', async () => {
    expect(
      await filtered(
        { field: 'brand', include: ['brand_hermes'] },
        { field: 'brand', include: ['brand_vuitton'] },
      ),
    ).toMatchObject({ status: 200, body: { data: [], total_results: 0, credits_used: 0 } });
  });
});

test.each([
  [{ field: 'brand', include: ['brand_nobody'] }],
  [{ field: 'flavour', include: ['sweet'] }],
  [{ field: 'dial', include: ['dial_black'] }],
])('an unknown or inapplicable facet answers no rows and no error: %j', async (filter) => {
  expect(await service.api.query({ category_id: 'handbags', filters: [filter] })).toMatchObject({
    status: 200,
    body: { data: [], total_results: 0 },
  });
});

// contract 4.6
describe('a value that no row can have', () => {
  test.each([
    ['a field and half an id of another', { field: 'tags:material', include: ['exotic'] }],
    ['an empty value', { field: 'colour', include: [''] }],
    ['a constructor', { field: 'constructor', include: ['prototype'] }],
    ['a prototype', { field: '__proto__', include: ['__proto__'] }],
    ['SQL', { field: "brand'; --", include: ["' OR 1=1 --"] }],
  ])(
    'answers no rows where it is included, and drops none where it is excluded: %s',
    async (_what, filter) => {
      const exclude = { field: filter.field, exclude: filter.include };
      expect(await filtered(filter)).toMatchObject({ status: 200, body: { data: [], total_results: 0 } });
      expect(await filtered(exclude)).toMatchObject({
        status: 200,
        body: { results: 18, total_results: 18 },
      });
    },
  );
});

// contract 4.7
describe('ids', () => {
  test('is include under its old name, and is answered with Deprecation: true', async () => {
    const answer = await filtered({ field: 'brand', ids: ['brand_rolex'] });
    expect(idsOf(answer)).toEqual(['product_submariner']);
    expect(answer.headers.get('Deprecation')).toBe('true');
  });

  test('is not signalled where it is not used', async () => {
    expect((await filtered({ field: 'brand', include: ['brand_rolex'] })).headers.has('Deprecation')).toBe(
      false,
    );
  });

  test('beside include in one object is a 400', async () => {
    expect(await filtered({ field: 'brand', ids: ['a'], include: ['b'] })).toMatchObject({
      status: 400,
      body: { error: 'bad_request' },
    });
  });

  test('beside exclude is taken', async () => {
    expect(await found({ field: 'brand', ids: ['brand_hermes'], exclude: ['brand_vuitton'] })).toHaveLength(
      4,
    );
  });
});

// contract 4.3, 3.3
describe('a 400 answers', () => {
  test.each([
    ['the field keywords', { field: 'keywords', include: ['toile'] }],
    ['no value at all', { field: 'brand' }],
    ['an empty include', { field: 'brand', include: [] }],
    ['empty lists', { field: 'brand', include: [], exclude: [] }],
    ['empty ids', { field: 'brand', ids: [] }],
    ['an unknown tag in include', { field: 'tags', include: ['material:stone'] }],
    ['an unknown tag in exclude', { field: 'tags', exclude: ['material:stone'] }],
    ['an unknown tag in ids', { field: 'tags', ids: ['material:stone'] }],
    ['no field', { include: ['brand_hermes'] }],
    ['a value that is no list', { field: 'brand', include: 'brand_hermes' }],
    ['null', { field: 'brand', include: null }],
    ['an unknown key', { field: 'brand', include: ['brand_hermes'], mode: 'any' }],
  ])('%s', async (_what, filter) => {
    expect(await filtered(filter)).toMatchObject({ status: 400, body: { error: 'bad_request' } });
  });
});

test.each([
  [[{ field: 'tags', include: ['material:stone'] }], 'filters.0.include'],
  [
    [
      { field: 'brand', include: ['a'] },
      { field: 'tags', exclude: ['material:stone'] },
    ],
    'filters.1.exclude',
  ],
  [[{ field: 'tags', ids: ['material:stone'] }], 'filters.0.ids'],
  [[{ field: 'keywords', include: ['toile'] }], 'filters.0.field'],
  [[{ field: 'brand', ids: ['a'], include: ['b'] }], 'filters.0.ids'],
])('the 400 of %j names %s', async (filters, field) => {
  expect((await filtered(...filters)).body).toMatchObject({ error: 'bad_request', field });
});

test('tags exclude drops rows that carry the tag by their style or themselves', async () => {
  const ids = await found({ field: 'tags', exclude: ['edition:limited', 'material:canvas'] });
  expect(ids).not.toContain('product_birkin_togo');
  expect(ids).not.toContain('product_neverfull_damier');
  expect(ids).toContain('product_birkin_croc');
});

test('a query and filters hold together', async () => {
  const answer = await service.api.query({
    query: 'crocodile',
    filters: [{ field: 'model', include: ['model_kelly'] }],
  });
  expect(idsOf(answer)).toEqual(['product_kelly_croc']);
});
