import { useService } from '../support/service';

/** Counts of facets beside a catalog query. */
const service = useService();
const query = (body: object) => service.api.query(body);
const facetsOf = async (body: object) => (await query(body)).body.facets ?? {};

describe('facets of a catalog query', () => {
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
