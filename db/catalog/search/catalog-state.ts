import type { CatalogState } from '../../../models/ports';
import { type Sql, sql } from '../../core/sql';

/** The catalog has changed between the statements of an answer, which is of no state then. */
export class CatalogChanged extends Error {
  override readonly name = 'CatalogChanged';
}

/** Which state of the catalog a statement sees, as two columns. */
export const STATE = sql`pg_current_snapshot()::text AS transactions,
  (SELECT max(number) FROM search_snapshots) AS snapshot`;

/**
 * That nothing of what an answer is made from has changed between a state and the one that a statement sees.
 *
 * @param among a query for the ids of the only products that matter; without, all do, and all else that queries are answered from
 */
export const isStill = (
  { transactions, snapshot }: { [Part in keyof CatalogState]: CatalogState[Part] | Sql },
  among?: Sql,
): Sql =>
  sql`((SELECT max(number) FROM search_snapshots) IS NOT DISTINCT FROM ${snapshot}::integer
    AND NOT EXISTS (SELECT FROM catalog_changes_since(${transactions}::pg_snapshot, NULL) AS changed
      WHERE ${among ? sql`changed.id IS NULL OR changed.id IN (${among})` : sql`true`}))`;
