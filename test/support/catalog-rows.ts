import type { Knex } from 'knex';
import { Vocabulary } from '../../db/catalog/import/derived-rows';
import { rowsOf, sql } from '../../db/core/sql';
import { nameSortKey } from '../../models/catalog/fold-text';
import { indexTermsOf } from '../../models/catalog/index-terms';

/** What decides whether and where a query finds a row. */
export interface SearchedRow {
  readonly id: string;
  readonly kind: string;
  readonly category: string;
  readonly popularity: number;
  readonly name: string;
  readonly facets: readonly string[];
  readonly words: readonly string[];
}

/** Writes rows as an import does, replacing those of the same id, and their words into the vocabulary. */
export async function writeCatalogRows(knex: Knex, rows: readonly SearchedRow[]): Promise<void> {
  const given = rows.map((row) => ({
    ...row,
    sort_key: nameSortKey(row.name),
    words: [...new Set(row.words.flatMap(indexTermsOf))],
  }));
  await rowsOf(
    knex,
    sql`INSERT INTO catalog_rows (id, kind, category, popularity, sort_key, facets, words, name, attributes, images,
          thumbnails, updated_at)
        SELECT id, kind, category, popularity, sort_key, facets, array_to_tsvector(words), name, '[]', '{}', '{}',
          TIMESTAMPTZ '2026-03-01'
        FROM jsonb_to_recordset(${JSON.stringify(given)}::jsonb) AS given (id text, kind text, category text,
          popularity float8, sort_key text, facets text[], words text[], name text)
        ON CONFLICT (id) DO UPDATE SET kind = excluded.kind, category = excluded.category,
          popularity = excluded.popularity, sort_key = excluded.sort_key, facets = excluded.facets,
          words = excluded.words, name = excluded.name`,
  );
  const terms = given.flatMap(({ words }) => words);
  await knex.transaction((trx) => new Vocabulary().learn(trx, terms));
}

/** Takes rows out of the catalog. */
export async function deleteCatalogRows(knex: Knex, ids: readonly string[]): Promise<void> {
  await rowsOf(knex, sql`DELETE FROM catalog_rows WHERE id = ANY(${ids}::text[])`);
}

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
