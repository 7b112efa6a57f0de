import { createHash } from 'node:crypto';
import { SORTS } from '../../models/catalog/catalog-query';
import { idsOf } from '../support/api-client';
import { useService } from '../support/service';

/** contract 4.8 to 4.11, 4.13, 4.17: the envelope of a catalog query, and its rows page after page. */
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

describe('pages', () => {
  // contract 4.13
  test('neither repeat nor skip rows, in v3, v1 and v2', async () => {
    for (const sort of SORTS) {
      const all = idsOf(await query({ sort, page_size: 100, category_id: 'handbags' }));
      const legacy = { sort, page_size: '4', category: 'handbags' };
      const asked: Record<string, (page: number) => Promise<string[]>> = {
        v3: async (page) => idsOf(await query({ sort, page, page_size: 4, category_id: 'handbags' })),
        v1: async (page) => idsOf(await service.api.v1({ ...legacy, page: String(page) })),
        v2: async (page) => idsOf(await service.api.v2({ ...legacy, page })),
      };
      for (const [version, ids] of Object.entries(asked)) {
        const paged = (await Promise.all([0, 1, 2, 3].map(ids))).flat();
        expect([version, sort, ...paged]).toEqual([version, sort, ...all]);
      }
    }
  });

  // contract 4.8
  test.each([4, 1_000_000, 1e15])(
    'past the end (%d) are empty and no error, and say which page',
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

  // contract 4.8
  test('of nothing number 0', async () => {
    const nothing = { total_results: 0, total_pages: 0, data: [] };
    expect((await query({ query: 'nothingatall' })).body).toMatchObject(nothing);
  });
});

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
