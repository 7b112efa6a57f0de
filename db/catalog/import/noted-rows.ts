import type { Knex } from 'knex';
import { rowsOf, type Sql, sql } from '../../core/sql';

/** As many rows are derived again in the transaction that made them stale; more wait, so that it stays short. */
export const STALE_AT_ONCE = 500;

/**
 * Notes rows to be derived again. Resolves to their ids, also of those that somebody else had noted before; of very many to
 * one more than are derived at once.
 *
 * @param before `WITH` and the clauses that `rows` refers to
 * @param rows selects ids, each once
 */
export async function noteStale(trx: Knex, before: Sql, rows: Sql): Promise<string[]> {
  const noted = await rowsOf<{ id: string }>(
    trx,
    sql`${before}, noted AS (
          INSERT INTO catalog_stale_rows ${rows} ON CONFLICT (id) DO UPDATE SET id = excluded.id RETURNING id)
        SELECT id FROM noted LIMIT ${STALE_AT_ONCE + 1}`,
  );
  return noted.map(({ id }) => id);
}

/** How many rows are noted, counted up to `limit`. */
export async function countStale(knex: Knex, limit: number): Promise<number> {
  const rows = await rowsOf<{ count: number }>(
    knex,
    sql`SELECT count(*) AS count FROM (SELECT 1 FROM catalog_stale_rows LIMIT ${limit}) AS stale`,
  );
  return rows[0]?.count ?? 0;
}
