import { createHash } from 'node:crypto';
import { SORTS } from '../../models/catalog/catalog-query';
import { idsOf } from '../support/api-client';
import { useService } from '../support/service';

/** contract 4.8 to 4.17, 5.11, 5.12: the envelope of a catalog query, its pages, cursors and facets; suggestions. */
const service = useService();
const query = (body: object) => service.api.query(body);
const TOTAL = 18;
const HERMES = { field: 'brand', include: ['brand_hermes'] };

// contract 4.10
test('a query is answered in its envelope, by default with products by popularity and their taxonomy', async () => {
  const { body, status } = await query({ page_size: 3 });
  const { data, ...envelope } = body;
  expect([status, data.length]).toEqual([200, 3]);
  expect(envelope).toEqual({
    ...{ success: true, results: 3, total_results: TOTAL, page: 0, total_pages: 6, credits_used: 1 },
    ...{ includes: ['taxonomy'], sort_applied: 'popularity_desc' },
    resolved_taxonomy: { node: 'product', level: 3 },
  });
  expect(await query({})).toMatchObject({ body: { ...envelope, results: TOTAL, total_pages: 1 } });
  // contract 4.9
  for (const includes of [[], ['pricing', 'taxonomy', 'pricing']])
    expect((await query({ includes })).body.includes).toEqual([...new Set(includes)]);
});

// contract 4.8
test('a page past the end is empty for all keys and kinds of rows, not an error, and says its number', async () => {
  const { api: trial } = await service.newKey({ test: true });
  for (const page of [7, 1e15, 1e18, 1e300]) {
    const body = { data: [], results: 0, total_results: expect.any(Number), page };
    for (const asked of [{}, { query: 'birkin' }, { taxonomy_node: 'model' }])
      for (const api of [service.api, trial])
        expect(await api.query({ ...asked, page })).toMatchObject({ status: 200, body });
  }
});

// contract 4.17
describe('cursors', () => {
  /** The answers to a query, cursor by cursor, in pages of one row and of three in turns. */
  async function followed(body: object) {
    const answers = [await query({ ...body, page_size: 1, cursor: '' })];
    for (;;) {
      const cursor = answers.at(-1)?.body.next_cursor;
      if (typeof cursor !== 'string') return answers;
      answers.push(await query({ ...body, page_size: answers.length % 2 === 0 ? 1 : 3, cursor }));
    }
  }

  test.each<object>([
    ...SORTS.map((sort) => ({ sort })),
    { taxonomy_node: 'brand', sort: 'name_desc' },
    { query: 'hermes kelly croc' },
    { query: 'birkin', filters: [HERMES] },
    { query: 'nothingatall' },
  ])('lead through all rows of %j in the order of pages of any size, and end with null', async (asked) => {
    const all = idsOf(await query({ ...asked, page_size: 100 }));
    const answers = await followed(asked);
    expect(answers.flatMap(idsOf)).toEqual(all);
    for (const { body } of answers) expect(body).toMatchObject({ total_results: all.length, page: 0 });
    expect(answers.map(({ body }) => body.next_cursor).indexOf(null)).toBe(answers.length - 1);
  });

  const refused = { status: 400, body: { field: 'cursor' } };

  test('from another query are refused by name', async () => {
    const asked = { query: 'hermes', category_id: 'handbags' };
    const cursor = (await query({ ...asked, page_size: 1, cursor: '' })).body.next_cursor;
    expect((await query({ query: 'HERMÈS', category_id: 'Handbags', cursor })).status).toBe(200);
    for (const other of [
      ...[{ query: 'birkin' }, { query: undefined }, { category_id: undefined }, { taxonomy_node: 'model' }],
      ...[{ match: 'all' }, { filters: [HERMES] }],
    ])
      expect(await query({ ...asked, ...other, cursor })).toMatchObject(refused);
    const listed = (await query({ page_size: 1, cursor: '' })).body.next_cursor;
    expect(await query({ sort: 'name_asc', cursor: listed })).toMatchObject(refused);
  });

  /** A cursor with the digest of a listing of all products. */
  function forged(content: string): string {
    const asked = JSON.stringify(['product', null, [], null, 'popularity_desc']);
    const digest = createHash('sha256').update(`${asked}\n${content}`).digest().subarray(0, 9);
    return Buffer.concat([digest, Buffer.from(content)]).toString('base64url');
  }

  test('that are damaged, made up or sent with a page are refused by name', async () => {
    const cursor = String((await query({ page_size: 1, cursor: '' })).body.next_cursor);
    const swapped = `${cursor.startsWith('A') ? 'B' : 'A'}${cursor.slice(1)}`;
    const damaged = [cursor.slice(1), cursor.slice(0, -2), swapped, `${cursor}A`, ` ${cursor}`, '*'];
    const contents = ['', 'null', '{}', '[]', '["a"]', '["a","b"]', '["\\u0000",1]', '["\\ud800",1]'];
    const forgeries = [...contents, '["a",1,1]', '["a",null]'].map(forged);
    const wrong = [...damaged, 'x'.repeat(20_000), ...forgeries].map((each) => ({ cursor: each }));
    for (const body of [...wrong, { cursor, page: 0 }, { cursor: '', page: 2 }])
      expect(await query(body)).toMatchObject(refused);
    expect((await query({ cursor: forged('["a",1]') })).status).toBe(200);
  });
});

// contract 4.15
describe('facets', () => {
  const facetsOf = async (body: object) => (await query(body)).body.facets ?? {};

  test('count over the whole result, whatever the page, the values of most rows first, then by id', async () => {
    const { brand } = await facetsOf({ facets: ['brand'], page_size: 100 });
    const counted = (brand ?? []).map(({ id, count }) => `${id.replace('brand_', '')} ${count}`);
    expect(counted.slice(0, 4)).toEqual(['hermes 4', 'vuitton 3', 'echo 1', 'elan 1']);
    for (const page of [0, 1])
      expect(await facetsOf({ facets: ['brand'], page_size: 1, page })).toEqual({ brand });
  });

  // contract 10.2
  test.each([
    ['past the end', { page: 99 }],
    ['past the end of a text query', { query: 'birkin', page: 99 }],
    ['of a query that finds nothing', { filters: [{ field: 'brand', include: ['nobody'] }] }],
  ])('are empty on a page without rows, which is free: %s', async (_what, body) => {
    const answer = await query({ ...body, facets: ['brand', { field: 'tags', query: 'exo' }] });
    expect(answer.body).toMatchObject({ results: 0, credits_used: 0, facets: { brand: [], tags: [] } });
  });

  test('are of the rows that query and filters find, with tags and multiple values of a row', async () => {
    const facets = ['colour', 'tags', 'category', { field: 'model', limit: 1 }];
    expect(await facetsOf({ query: 'birkin', filters: [HERMES], facets })).toEqual({
      colour: [
        { id: 'colour_noir', name: 'Noir', count: 2 },
        { id: 'colour_gold', name: 'Gold', count: 1 },
      ],
      tags: [
        { id: 'edition:limited', name: 'Limited edition', count: 1 },
        { id: 'material:exotic', name: 'Exotic', count: 1 },
      ],
      category: [{ id: 'handbags', name: 'Handbags', count: 2 }],
      model: [{ id: 'model_birkin', name: 'Birkin', count: 2 }],
    });
  });

  test('that no row has are empty lists', async () => {
    for (const field of ['unknown', 'dial:', 'maison'])
      expect(await facetsOf({ category_id: 'handbags', facets: [field] })).toEqual({ [field]: [] });
    expect(await facetsOf({ query: '!!!', facets: ['brand'] })).toEqual({ brand: [] });
  });

  test('are of rows of any kind, and keep the names of deleted entities', async () => {
    expect(await facetsOf({ taxonomy_node: 'model', category_id: 'watches', facets: ['brand'] })).toEqual({
      brand: [
        { id: 'brand_patek', name: 'Patek Philippe', count: 1 },
        { id: 'brand_rolex', name: 'Rolex', count: 1 },
      ],
    });
    const gone = await facetsOf({ facets: [{ field: 'brand', query: 'gone' }] });
    expect(gone['brand']).toEqual([{ id: 'brand_gone', name: 'Gone & Sons', count: 1 }]);
  });

  // contract 4.16
  test.each([
    ['HERM', ['brand_hermes']],
    ['vuit', ['brand_vuitton']],
    ['vuitton louis', ['brand_vuitton']],
    ['louis hermes', []],
    ['hermse', []],
    ['!!!', []],
    ['maison', []],
  ])('are searched by the words of their names, the last as a prefix: %s', async (text, ids) => {
    const found = async (words: string) =>
      (await facetsOf({ facets: [{ field: 'brand', query: words }] }))['brand']?.map(({ id }) => id);
    expect(await found(text)).toEqual(ids);
    expect((await found('  '))?.length).toBeGreaterThan(3);
  });

  test('and cursors are included in the price of the query, and come only on request', async () => {
    const { credits_used, facets } = (await query({ facets: ['brand'], cursor: '' })).body;
    expect([credits_used, facets?.['brand']?.[0]?.id]).toEqual([1, 'brand_hermes']);
    const { body } = await query({});
    for (const name of ['facets', 'next_cursor']) expect(body).not.toHaveProperty(name);
  });
});

describe('suggestions', () => {
  const suggested = async (body: object) => idsOf(await service.api.suggest(body));

  // contract 5.11
  test('are what a search box shows, free of charge', async () => {
    const { status, body, headers } = await service.api.suggest({ query: 'BIRK', size: 1 });
    const attributes = [
      { field: 'category', id: 'handbags', name: 'Handbags' },
      { field: 'brand', id: 'brand_hermes', name: 'Hermès' },
      { field: 'model', id: 'model_birkin', name: 'Birkin' },
    ];
    const row = { id: 'model_birkin', name: 'Birkin', node: 'model', attributes, matched: [[0, 4]] };
    expect(body).toEqual({ success: true, results: 1, credits_used: 0, data: [row] });
    expect([status, headers.get('X-Credits-Used')]).toEqual([200, '0']);
  });

  // contract 5.12, 1.8: every word must match, of a row that is not deleted
  test.each<[string, string | undefined]>([
    ['louis vu', 'brand_vuitton'],
    ['hermes kel', 'model_kelly'],
    ['  HERMÈS ', 'brand_hermes'],
    ['hremes bir', 'model_birkin'],
    ['меч', 'brand_mechta'],
    ['toil', 'style_neverfull_monogram'],
    ['“obj', 'brand_objets'],
    ['1240', 'model_124060'],
    ...['kelly louis', 'rolex bir', '!!!', 'bygone'].map((text): [string, undefined] => [text, undefined]),
  ])('of "%s" begin with %s', async (text, first) => {
    expect((await suggested({ query: text }))[0]).toBe(first);
  });

  // contract 5.12
  test('have taxonomy rows before products, and names that begin with the text before all others', async () => {
    expect(await suggested({ query: 'herm' })).toEqual([
      ...['brand_hermes', 'model_birkin', 'model_kelly'],
      ...['style_birkin_croc', 'style_birkin_togo', 'style_kelly_croc', 'style_kelly_lizard'],
      ...['product_birkin_croc', 'product_birkin_togo', 'product_kelly_croc'],
    ]);
  });

  // contract 5.11
  test('are the most popular rows for a blank query, of a category, and at most 10', async () => {
    const popular = ['brand_hermes', 'brand_rolex', 'brand_vuitton', 'brand_patek'];
    for (const blank of [{ query: '' }, { query: '  ' }, {}])
      expect(await suggested({ ...blank, size: 4 })).toEqual(popular);
    for (const category_id of ['watches', 'WATCHES', 'Watches']) {
      const found = await suggested({ category_id, size: 3 });
      expect(found).toEqual(['brand_rolex', 'brand_patek', 'family_submariner']);
      expect(await suggested({ query: 'birkin', category_id })).toEqual([]);
    }
    expect(await suggested({ size: 1000 })).toHaveLength(10);
  });

  // contract 5.11
  test.each([
    ['hermes birkin croc', 'Hermès Birkin Crocodile', ['Hermès', 'Birkin', 'Croc']],
    ['neverfull ebene', 'Louis Vuitton Neverfull Damier Ebène', ['Neverfull', 'Ebène']],
    ['toile', 'Monogram', []],
  ])('for "%s" tell the parts of %s that it names', async (text, name, parts) => {
    const { body } = await service.api.suggest({ query: text });
    const row = body.data.find((each) => each.name === name);
    expect(row?.matched.map(([from, to]) => name.slice(Number(from), to))).toEqual(parts);
  });
});
