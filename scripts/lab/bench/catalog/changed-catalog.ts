import { makeSearchSnapshot, SNAPSHOT_LOCK } from '../../../../db/catalog/search/snapshot/make-snapshot';
import { inTransaction, rowsOf, sql } from '../../../../db/core/sql';
import type { Knex } from '../set-up';

const TURNS = 2;

type Row = readonly (string | number)[];

/**
 * Measures on a new search snapshot, then with so many products changed that lie anywhere, and both once more. The first
 * cell of each row tells which it is.
 */
export async function measureByTurns(
  knex: Knex,
  changes: number,
  seed: number,
  measure: () => Promise<readonly Row[]>,
): Promise<Row[]> {
  const rows: Row[] = [];
  const named = (rowsOfTurn: readonly Row[], state: string) =>
    rowsOfTurn.map(([name, ...cells]): Row => [`${name}, ${state}`, ...cells]);
  for (let turn = 0; turn < TURNS; turn++) {
    await makeSearchSnapshot(knex, { changesMin: 1 });
    rows.push(...named(await measure(), 'untouched'));
    await changeProducts(knex, changes, seed + turn);
    rows.push(...named(await withoutNewSnapshot(knex, measure), `${changes} changed`));
  }
  return rows;
}

/** Products get another popularity and another word. */
export async function changeProducts(knex: Knex, count: number, seed: number): Promise<void> {
  await rowsOf(
    knex,
    sql`UPDATE catalog_rows SET popularity = popularity + 1, words = words || array_to_tsvector(ARRAY['changed'])
        WHERE id IN (
          SELECT id FROM catalog_search WHERE kind = 'product' ORDER BY hashtextextended(id, ${seed}), id LIMIT ${count})`,
  );
}

/** The service would make one within seconds. */
const withoutNewSnapshot = <Result>(knex: Knex, work: () => Promise<Result>): Promise<Result> =>
  inTransaction(knex, async (trx) => {
    await rowsOf(trx, sql`SELECT pg_advisory_xact_lock(${SNAPSHOT_LOCK})`);
    return work();
  });
