import { createHash } from 'node:crypto';
import { SORTS } from '../../models/catalog/catalog-query';
import { idsOf } from '../support/api-client';
import { useService } from '../support/service';

/** contract 4.8 to 4.17: the envelope of a catalog query, its pages, cursors and facets. */
const service = useService();
const query = (body: object) => service.api.query(body);
const TOTAL = 18;

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
});

// contract 4.9
test('includes are echoed, each once', async () => {
  const echoed = async (includes: string[]) => (await query({ includes })).body.includes;
  expect(await echoed(['pricing', 'taxonomy', 'pricing'])).toEqual(['pricing', 'taxonomy']);
  expect(await echoed([])).toEqual([]);
});

// contract 4.8
test.each([4, 1_000_000, 1e15])(
  'a page past the end (%d) is empty and no error, and says its number',
  async (page) => {
    const past = { data: [], results: 0, total_results: TOTAL, total_pages: 4, page };
    expect(await query({ page, page_size: 5 })).toMatchObject({ status: 200, body: past });
    expect((await query({ query: 'birkin', page })).body).toMatchObject({ data: [], total_results: 2 });
    expect(await service.api.v1({ page: '99999999999999999999' })).toMatchObject({
      status: 200,
      body: { data: [] },
    });
  },
);

/** All rows of a query by cursors, and the answers that they came in. */
async function walked(body: object) {
  const answers = [await query({ ...body, cursor: '' })];
  for (;;) {
    const cursor = answers.at(-1)?.body.next_cursor;
    if (typeof cursor !== 'string') return { answers, ids: answers.flatMap(idsOf) };
    answers.push(await query({ ...body, cursor }));
  }
}

// contract 4.17
describe('cursors', () => {
  test.each<object>([
    ...SORTS.map((sort) => ({ sort })),
    { taxonomy_node: 'brand', sort: 'name_desc' },
    { query: 'hermes kelly croc' },
    { query: 'birkin', filters: [{ field: 'brand', include: ['brand_hermes'] }] },
  ])('lead through all rows of %j in the order of pages', async (asked) => {
    const all = idsOf(await query({ ...asked, page_size: 100 }));
    for (const pageSize of [1, 3]) {
      const { ids, answers } = await walked({ ...asked, page_size: pageSize });
      expect(ids).toEqual(all);
      expect(answers).toHaveLength(Math.ceil(all.length / pageSize));
      for (const { body } of answers) expect(body).toMatchObject({ total_results: all.length, page: 0 });
    }
  });

  test('may be followed in pages of another size, and end with null', async () => {
    const first = await query({ page_size: 5, cursor: '' });
    const rest = await query({ page_size: 100, cursor: first.body.next_cursor });
    expect([...idsOf(first), ...idsOf(rest)]).toEqual(idsOf(await query({ page_size: 100 })));
    expect(rest.body.next_cursor).toBeNull();
    const nothing = await query({ query: 'nothingatall', cursor: '' });
    expect(nothing.body).toMatchObject({ data: [], next_cursor: null });
  });

  test('come only in answers to calls with one, and cost what a page costs', async () => {
    expect((await query({})).body).not.toHaveProperty('next_cursor');
    expect((await query({ cursor: '' })).body.credits_used).toBe(1);
  });

  test('of another query are refused by name', async () => {
    const asked = { query: 'hermes', category_id: 'handbags' };
    const { body } = await query({ ...asked, page_size: 1, cursor: '' });
    const cursor = body.next_cursor;
    expect((await query({ query: 'HERMÈS', category_id: 'Handbags', cursor })).status).toBe(200);
    for (const other of [
      { ...asked, query: 'birkin' },
      { ...asked, query: undefined },
      { ...asked, category_id: undefined },
      { ...asked, filters: [{ field: 'brand', include: ['brand_hermes'] }] },
      { ...asked, taxonomy_node: 'model' },
    ]) {
      expect(await query({ ...other, cursor })).toMatchObject({ status: 400, body: { field: 'cursor' } });
    }
    const listed = (await query({ page_size: 1, cursor: '' })).body.next_cursor;
    expect((await query({ sort: 'name_asc', cursor: listed })).status).toBe(400);
  });

  test('that are damaged, made up or sent with a page are refused by name', async () => {
    const cursor = String((await query({ page_size: 1, cursor: '' })).body.next_cursor);
    const swapped = `${cursor.startsWith('A') ? 'B' : 'A'}${cursor.slice(1)}`;
    const damaged = [cursor.slice(1), cursor.slice(0, -2), swapped, `${cursor}A`, ` ${cursor}`, '*'];
    const contents = ['', 'null', '{}', '[]', '["a"]', '["a","b"]', '["\\u0000",1]', '["\\ud800",1]'];
    const forgeries = [...contents, '["a",1,1]', '["a",null]'].map(forged);
    const wrong = [...damaged, 'x'.repeat(20_000), ...forgeries].map((each) => ({ cursor: each }));
    for (const body of [...wrong, { cursor, page: 0 }, { cursor: '', page: 2 }]) {
      expect(await query(body)).toMatchObject({ status: 400, body: { field: 'cursor' } });
    }
    expect((await query({ cursor: forged('["a",1]') })).status).toBe(200);
  });
});

/** With the digest that a listing of all products has. */
function forged(content: string): string {
  const asked = JSON.stringify(['product', null, [], null, 'popularity_desc']);
  const digest = createHash('sha256').update(`${asked}\n${content}`).digest().subarray(0, 9);
  return Buffer.concat([digest, Buffer.from(content)]).toString('base64url');
}

const facetsOf = async (body: object) => (await query(body)).body.facets ?? {};

describe('facets', () => {
  // contract 4.15
  test('count the values over the whole result, whatever the page, those of most rows first, then by id', async () => {
    const all = await query({ page_size: 100 });
    const counted = new Map<string, { id: string; name: string; count: number }>();
    for (const { attributes } of all.body.data) {
      for (const { id, name } of (attributes ?? []).filter(({ field }) => field === 'brand')) {
        const known = counted.get(id) ?? { id, name, count: 0 };
        counted.set(id, { ...known, count: known.count + 1 });
      }
    }
    const expected = [...counted.values()].sort(
      (left, right) => right.count - left.count || (left.id < right.id ? -1 : 1),
    );
    for (const page of [0, 1]) {
      expect(await facetsOf({ facets: ['brand'], page_size: 1, page })).toEqual({ brand: expected });
    }
  });

  // contract 4.15, 10.2
  test.each([
    ['past the end', { page: 99 }],
    ['past the end of a text query', { query: 'birkin', page: 99 }],
    ['of a query that finds nothing', { filters: [{ field: 'brand', include: ['nobody'] }] }],
  ])('are empty on a page without rows, which is free: %s', async (_what, body) => {
    const answer = await query({ ...body, facets: ['brand', { field: 'tags', query: 'exo' }] });
    expect(answer.body).toMatchObject({ results: 0, credits_used: 0, facets: { brand: [], tags: [] } });
  });

  // contract 4.15, 4.17
  test('are empty behind the last row of a cursor', async () => {
    const whole = await query({ cursor: '', page_size: 100, facets: ['brand'] });
    expect(whole.body.next_cursor).toBeNull();
    let cursor: string | null | undefined = '';
    let last = whole;
    while (cursor !== null && cursor !== undefined) {
      last = await query({ cursor, page_size: 1, facets: ['brand'] });
      cursor = last.body.next_cursor;
      expect(last.body.credits_used > 0).toBe((last.body.facets?.['brand']?.length ?? 0) > 0);
    }
  });

  // contract 4.15
  test('are of the rows that query and filters find, with tags and several values of a row', async () => {
    const answer = await facetsOf({
      query: 'birkin',
      filters: [{ field: 'brand', include: ['brand_hermes'] }],
      facets: ['colour', 'tags', 'category', { field: 'model', limit: 1 }],
    });
    expect(answer).toEqual({
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

  // contract 4.15
  test('that no row has are empty lists', async () => {
    for (const field of ['unknown', 'dial:', '__proto__', 'maison']) {
      const answer = await facetsOf({ category_id: 'handbags', facets: [field] });
      expect(Object.entries(answer)).toEqual([[field, []]]);
    }
    expect(await facetsOf({ query: '!!!', facets: ['brand'] })).toEqual({ brand: [] });
  });

  // contract 4.15
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
  test('are searched within by the words of their names, the last as a prefix, without case and accents', async () => {
    const brands = async (text: string) => {
      const facets = await facetsOf({ facets: [{ field: 'brand', query: text }] });
      return (facets['brand'] ?? []).map(({ id }) => id);
    };
    expect(await brands('HERM')).toEqual(['brand_hermes']);
    expect(await brands('vuit')).toEqual(['brand_vuitton']);
    expect(await brands('vuitton louis')).toEqual(['brand_vuitton']);
    expect(await brands('louis hermes')).toEqual([]);
    expect(await brands('hermse')).toEqual([]);
    expect(await brands('!!!')).toEqual([]);
    expect((await brands('  ')).length).toBeGreaterThan(3);
  });

  // contract 4.15
  test('cost what the query costs, and come only when they are asked for', async () => {
    expect((await query({ facets: ['brand'] })).body.credits_used).toBe(1);
    expect((await query({ query: 'nothingatall', facets: ['brand'] })).body.credits_used).toBe(0);
    expect((await query({})).body).not.toHaveProperty('facets');
  });
});
