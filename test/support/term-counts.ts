import type { Knex } from 'knex';
import { rowsOf, sql } from '../../db/core/sql';
import { indexTermsOf } from '../../models/catalog/index-terms';
import type { SearchedRow } from './catalog-rows';

/** How many rows carry each term, as the database keeps it. */
export async function keptCounts(knex: Knex): Promise<ReadonlyMap<string, number>> {
  const lines = await rowsOf<{ term: string; rows: number }>(
    knex,
    sql`SELECT term, sum(rows)::bigint AS rows FROM term_counts GROUP BY term`,
  );
  return new Map(lines.map(({ term, rows }) => [term, rows]));
}

/** The same by looking at every row. */
export function naiveCounts(rows: readonly SearchedRow[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { facets, words } of rows) {
    const fields = facets.map((facet) => `${facet.split(':')[0]}:`);
    const several = fields.filter((field, index) => fields.indexOf(field) !== index);
    for (const term of new Set(['', ...facets, ...words.flatMap(indexTermsOf), ...several])) {
      counts.set(term, (counts.get(term) ?? 0) + 1);
    }
  }
  return counts;
}
