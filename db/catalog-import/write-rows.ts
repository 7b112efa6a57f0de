import type { Knex } from 'knex';
import { rowsOf, sql } from '../sql';
import type { BestEstimate } from './best-estimates';
import { copyRows } from './copy-rows';
import type { CatalogRow } from './project-rows';
import { upsertRows } from './upsert-rows';
import { Vocabulary } from './vocabulary';
import type { WrittenTable } from './written-table';

/** A row of `catalog_rows`, whole. */
export interface CompleteRow extends CatalogRow {
  /** Of the products below the row; a product's own row has none. */
  readonly max_estimate?: BestEstimate | null;
}

export const CATALOG_ROWS: WrittenTable = {
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
export async function writeRows(
  trx: Knex,
  rows: readonly CompleteRow[],
  vocabulary = new Vocabulary(),
): Promise<void> {
  if (rows.length === 0) return;
  await upsertRows(trx, CATALOG_ROWS, rows, 'id');
  const ids = rows.map((row) => row.id);
  await rowsOf(trx, sql`DELETE FROM catalog_stale_rows WHERE id = ANY(${ids}::text[])`);
  await vocabulary.learn(trx, rows);
}

/** Writes rows that are not there. */
export async function addRows(
  trx: Knex,
  rows: readonly CompleteRow[],
  vocabulary = new Vocabulary(),
): Promise<void> {
  if (rows.length === 0) return;
  await copyRows(trx, CATALOG_ROWS, rows);
  await vocabulary.learn(trx, rows);
}

/** Takes rows out of search and lookup. */
export async function deleteRows(trx: Knex, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await rowsOf(trx, sql`DELETE FROM catalog_rows WHERE id = ANY(${ids}::text[])`);
}
