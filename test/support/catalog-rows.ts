import type { Knex } from 'knex';
import { addToVocabulary } from '../../db/catalog/import/derived-rows';
import { rowsOf } from '../../db/core/sql';
import { nameSortKey } from '../../models/catalog/fold-text';
import { indexTermsOf } from '../../models/catalog/index-terms';

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
  await rowsOf(knex)`
    INSERT INTO catalog_rows (id, kind, category, popularity, sort_key, facets, words, name, attributes, images,
      thumbnails, updated_at)
    SELECT id, kind, category, popularity, sort_key, facets, array_to_tsvector(words), name, '[]', '{}', '{}',
      TIMESTAMPTZ '2026-03-01'
    FROM jsonb_to_recordset(${JSON.stringify(given)}::jsonb) AS given (id text, kind text, category text,
      popularity float8, sort_key text, facets text[], words text[], name text)
    ON CONFLICT (id) DO UPDATE SET kind = excluded.kind, category = excluded.category,
      popularity = excluded.popularity, sort_key = excluded.sort_key, facets = excluded.facets,
      words = excluded.words, name = excluded.name`;
  const terms = given.flatMap(({ words }) => words);
  await knex.transaction((trx) => addToVocabulary(trx, terms));
}

export async function deleteCatalogRows(knex: Knex, ids: readonly string[]): Promise<void> {
  await rowsOf(knex)`DELETE FROM catalog_rows WHERE id = ANY(${ids}::text[])`;
}
