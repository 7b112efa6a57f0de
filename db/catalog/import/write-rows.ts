import type { Knex } from 'knex';
import type { CatalogRow } from '../../../models/catalog/import/records';
import { rowsOf, sql } from '../../core/sql';
import { stage, upsertStaged } from '../../core/staging';
import type { WrittenTable } from '../../core/written-table';
import { Vocabulary } from './vocabulary';

/** A row of `catalog_rows`, whole. */
export interface CompleteRow extends CatalogRow {
  /** Of the products below the row; a product's own row has none. */
  readonly max_estimate?: object | null;
}

/** To be staged, and then written by `writeStagedRows`. */
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

/** Writes the rows that are staged, of which `rows` are all. What was noted to be derived again is done with it. */
export async function writeStagedRows(
  trx: Knex,
  rows: readonly CompleteRow[],
  vocabulary = new Vocabulary(),
): Promise<void> {
  const changed = new Set(await upsertStaged(trx, CATALOG_ROWS));
  await rowsOf(trx, sql`DELETE FROM catalog_stale_rows WHERE id IN (SELECT id FROM staged_catalog_rows)`);
  await vocabulary.learn(
    trx,
    rows.flatMap(({ id, words }) => (changed.has(id) ? words : [])),
  );
}

/** Writes rows. */
export async function writeRows(trx: Knex, rows: readonly CompleteRow[]): Promise<void> {
  if (rows.length === 0) return;
  await stage(trx, CATALOG_ROWS, rows);
  await writeStagedRows(trx, rows);
}

/** Takes rows out of search and lookup. */
export async function deleteRows(trx: Knex, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await rowsOf(trx, sql`DELETE FROM catalog_rows WHERE id = ANY(${ids}::text[])`);
}
