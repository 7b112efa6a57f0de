import type { Knex } from 'knex';
import { rowsOf, sql } from '../sql';
import type { BestEstimate } from './best-estimates';
import { copyRows } from './copy-rows';
import type { CatalogRow } from './project-rows';
import { upsertRows } from './upsert-rows';
import type { WrittenTable } from './written-table';

/** A row of `catalog_rows`, whole. */
export interface CompleteRow extends CatalogRow {
  /** Of the products below the row; a product's own row has none. */
  readonly max_estimate?: BestEstimate | null;
}

const CATALOG_ROWS: WrittenTable = {
  name: 'catalog_rows',
  key: ['id'],
  columns: {
    id: 'text',
    kind: 'text',
    category: 'text',
    popularity: 'float8',
    sort_key: 'text',
    facets: 'text[]',
    words: 'tsvector',
    name: 'text',
    attributes: 'jsonb',
    images: 'text[]',
    thumbnails: 'text[]',
    max_estimate: 'jsonb',
  },
  dated: true,
};

/** Writes rows that may be there. What was noted to be derived again is done with it. */
export async function writeRows(trx: Knex, rows: readonly CompleteRow[]): Promise<void> {
  if (rows.length === 0) return;
  await upsertRows(trx, CATALOG_ROWS, rows, 'id');
  const ids = rows.map((row) => row.id);
  await rowsOf(trx, sql`DELETE FROM catalog_stale_rows WHERE id = ANY(${ids}::text[])`);
  await learnWords(trx, rows);
}

/** Writes rows that are not there. */
export async function addRows(trx: Knex, rows: readonly CompleteRow[]): Promise<void> {
  if (rows.length === 0) return;
  await copyRows(trx, CATALOG_ROWS, rows);
  await learnWords(trx, rows);
}

/** Takes rows out of search and lookup. */
export async function deleteRows(trx: Knex, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await rowsOf(trx, sql`DELETE FROM catalog_rows WHERE id = ANY(${ids}::text[])`);
}

/** Adds the words of rows to the vocabulary that misspelt words are compared with. */
async function learnWords(trx: Knex, rows: readonly CompleteRow[]): Promise<void> {
  const words = [...new Set(rows.flatMap((row) => row.words))];
  // The stubs of a word are dear, and are made before a conflict would be seen. OFFSET 0: one look-up each.
  await rowsOf(
    trx,
    sql`INSERT INTO search_words (word) SELECT given.word FROM unnest(${words}::text[]) AS given (word)
        WHERE NOT EXISTS (SELECT FROM search_words known WHERE known.word = given.word OFFSET 0)
        ON CONFLICT DO NOTHING`,
  );
}
