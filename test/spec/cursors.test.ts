import { createHash } from 'node:crypto';
import { SORTS } from '../../models/catalog/catalog-query';
import { idsOf } from '../support/api-client';
import { useService } from '../support/service';

/** Rows one page after the other, by cursors. */
const service = useService();
const query = (body: object) => service.api.query(body);

/** All rows of a query, and the answers that they came in. */
async function walked(body: object) {
  const answers = [await query({ ...body, cursor: '' })];
  for (;;) {
    const cursor = answers.at(-1)?.body.next_cursor;
    if (typeof cursor !== 'string') return { answers, ids: answers.flatMap(idsOf) };
    answers.push(await query({ ...body, cursor }));
  }
}

describe('cursors', () => {
  // contract 4.17
  test('lead through all rows in the order of pages, in listings and texts', async () => {
    for (const asked of [
      ...SORTS.map((sort) => ({ sort })),
      { taxonomy_node: 'brand', sort: 'name_desc' },
      { query: 'hermes kelly croc' },
      { query: 'birkin', filters: [{ field: 'brand', include: ['brand_hermes'] }] },
    ]) {
      const all = idsOf(await query({ ...asked, page_size: 100 }));
      for (const pageSize of [1, 3]) {
        const { ids, answers } = await walked({ ...asked, page_size: pageSize });
        expect(ids).toEqual(all);
        expect(answers).toHaveLength(Math.ceil(all.length / pageSize));
        for (const { body } of answers) expect(body).toMatchObject({ total_results: all.length, page: 0 });
      }
    }
  });

  // contract 4.17
  test('may be followed in pages of another size, and end with null', async () => {
    const first = await query({ page_size: 5, cursor: '' });
    const rest = await query({ page_size: 100, cursor: first.body.next_cursor });
    expect([...idsOf(first), ...idsOf(rest)]).toEqual(idsOf(await query({ page_size: 100 })));
    expect(rest.body.next_cursor).toBeNull();
    expect((await query({ query: 'nothingatall', cursor: '' })).body).toMatchObject({
      data: [],
      next_cursor: null,
    });
  });

  // contract 4.17
  test('come only in answers to calls with one, and cost what a page costs', async () => {
    expect((await query({})).body).not.toHaveProperty('next_cursor');
    expect((await query({ cursor: '' })).body.credits_used).toBe(1);
  });

  // contract 4.17
  test('of another query are refused by name', async () => {
    const { body } = await query({ query: 'hermes', category_id: 'handbags', page_size: 1, cursor: '' });
    const cursor = body.next_cursor;
    expect((await query({ query: 'HERMÈS', category_id: 'Handbags', cursor })).status).toBe(200);
    for (const other of [
      { query: 'birkin', category_id: 'handbags' },
      { query: 'hermes' },
      { query: 'hermes', category_id: 'handbags', filters: [{ field: 'brand', include: ['brand_hermes'] }] },
      { query: 'hermes', category_id: 'handbags', taxonomy_node: 'model' },
      { category_id: 'handbags' },
    ]) {
      expect(await query({ ...other, cursor })).toMatchObject({ status: 400, body: { field: 'cursor' } });
    }
    const listed = (await query({ page_size: 1, cursor: '' })).body.next_cursor;
    expect((await query({ sort: 'name_asc', cursor: listed })).status).toBe(400);
  });

  // contract 4.17
  test('that are damaged, made up or beside a page are refused by name', async () => {
    const cursor = String((await query({ page_size: 1, cursor: '' })).body.next_cursor);
    const swapped = cursor.startsWith('A') ? `B${cursor.slice(1)}` : `A${cursor.slice(1)}`;
    const refused = { status: 400, body: { error: 'bad_request', field: 'cursor' } };
    for (const bad of [
      cursor.slice(1),
      cursor.slice(0, -2),
      swapped,
      `${cursor}A`,
      ` ${cursor}`,
      '*',
      'x'.repeat(20_000),
    ]) {
      expect(await query({ cursor: bad })).toMatchObject(refused);
    }
    expect(await query({ cursor, page: 0 })).toMatchObject(refused);
    expect(await query({ cursor: '', page: 2 })).toMatchObject(refused);
    expect(await query({ cursor: 3 })).toMatchObject(refused);
    for (const content of [
      '',
      'null',
      '{}',
      '[]',
      '["a"]',
      '["a","b"]',
      '["\\u0000",1]',
      '["\\ud800",1]',
      '["a",1,1]',
      '["a",null]',
    ]) {
      expect(await query({ cursor: forged(content) })).toMatchObject(refused);
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
