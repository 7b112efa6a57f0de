import type { Knex } from 'knex';
import { rowsOf, sql } from '../../db/sql';
import type { SearchedRow } from './catalog-rows';

/** How many rows carry each mark, as the database keeps it. */
export async function keptCounts(knex: Knex): Promise<ReadonlyMap<string, number>> {
  const lines = await rowsOf<{ mark: string; rows: number }>(
    knex,
    sql`SELECT mark, sum(rows)::bigint AS rows FROM catalog_counts GROUP BY mark`,
  );
  return new Map(lines.map(({ mark, rows }) => [mark, rows]));
}

/** The same by looking at every row. */
export function naiveCounts(rows: readonly SearchedRow[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { facets, words } of rows) {
    const fields = facets.map((facet) => `${facet.split(':')[0]}:`);
    const several = fields.filter((field, index) => fields.indexOf(field) !== index);
    for (const mark of new Set(['', ...facets, ...words, ...several])) {
      counts.set(mark, (counts.get(mark) ?? 0) + 1);
    }
  }
  return counts;
}
