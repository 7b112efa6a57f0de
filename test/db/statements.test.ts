import { inOneState, inTransaction, rowsOf, sql } from '../../db/core/sql';
import { type TestDatabase, useDatabase } from '../support/database';

describe('statements', () => {
  const database = useDatabase();

  const tags = async () => (await rowsOf(database.knex, sql`SELECT id FROM tags`)).length;
  const addTag = (knex: TestDatabase['knex'], id: string) =>
    rowsOf(
      knex,
      sql`INSERT INTO tags (id, name, "group", display_order, categories) VALUES (${id}, ${id}, 'edition', 1, '{}')`,
    );

  test('that fail say so with their text, and without the values', async () => {
    const failing = rowsOf(database.knex, sql`SELECT 1 / ${0}::integer, ${'a secret'}::text`);
    await expect(failing).rejects.toThrow(/^SELECT 1 \/ \?::integer, \?::text - division by zero$/);
  });

  test('of one state only read', async () => {
    await expect(inOneState(database.knex, (state) => addTag(state, 'edition:read'))).rejects.toMatchObject({
      cause: { code: '25006' },
    });
    expect(await tags()).toBe(0);
  });

  test('that fail in one state leave nothing behind on their connection', async () => {
    for (let time = 0; time < 20; time += 1) {
      await expect(inOneState(database.knex, (state) => rowsOf(state, sql`SELECT 1 / 0`))).rejects.toThrow(
        /division by zero/,
      );
    }
    await addTag(database.knex, 'edition:limited');
    expect(await tags()).toBe(1);
    expect(database.knex.client.pool.numUsed()).toBe(0);
  });

  test.each([
    ['one state', inOneState],
    ['a transaction', inTransaction],
  ])('are refused when %s is over', async (_what, within) => {
    let kept = database.knex;
    await within(database.knex, async (inside) => {
      kept = inside;
    });
    await expect(rowsOf(kept, sql`SELECT 1`)).rejects.toThrow(/^The transaction is over: SELECT 1$/);
  });
});
