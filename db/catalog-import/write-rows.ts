import type { Knex } from 'knex';
import { rowsOf, Sql, sql } from '../sql';
import type { BestEstimate } from './best-estimates';
import type { CatalogRow } from './project-rows';

/** A row of `catalog_rows`, whole. */
export interface CompleteRow extends CatalogRow {
  readonly max_estimate: BestEstimate | null;
}

const COLUMNS = {
  id: 'text',
  kind: 'text',
  category: 'text',
  popularity: 'float8',
  sort_key: 'text',
  facets: 'text[]',
  words: 'text[]',
  name: 'text',
  attributes: 'jsonb',
  images: 'text[]',
  thumbnails: 'text[]',
  max_estimate: 'jsonb',
};

const NAMES = Object.keys(COLUMNS);
const REPLACED = NAMES.filter((name) => name !== 'id');

const WRITE_ROWS = `
  INSERT INTO catalog_rows AS old (${NAMES.join(', ')}, updated_at)
  SELECT ${NAMES.map((name) => (name === 'words' ? 'array_to_tsvector(words)' : name)).join(', ')}, now()
  FROM jsonb_to_recordset(?::jsonb) AS given (${Object.entries(COLUMNS)
    .map(([name, type]) => `${name} ${type}`)
    .join(', ')})
  ON CONFLICT (id) DO UPDATE SET ${REPLACED.map((name) => `${name} = excluded.${name}`).join(', ')},
    updated_at = excluded.updated_at
  WHERE (${REPLACED.map((name) => `old.${name}`).join(', ')})
    IS DISTINCT FROM (${REPLACED.map((name) => `excluded.${name}`).join(', ')})`;

/**
 * Writes rows, and their words into the vocabulary that misspelt words are compared with. What was noted to be derived
 * again is done with it.
 */
export async function writeRows(trx: Knex, rows: readonly CompleteRow[]): Promise<void> {
  if (rows.length === 0) return;
  await rowsOf(trx, new Sql(WRITE_ROWS, [JSON.stringify(rows)]));
  const ids = rows.map((row) => row.id);
  await rowsOf(trx, sql`DELETE FROM catalog_stale_rows WHERE id = ANY(${ids}::text[])`);
  const words = [...new Set(rows.flatMap((row) => row.words))];
  await rowsOf(trx, sql`INSERT INTO search_words SELECT unnest(${words}::text[]) ON CONFLICT DO NOTHING`);
}

/** Takes rows out of search and lookup. */
export async function deleteRows(trx: Knex, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await rowsOf(trx, sql`DELETE FROM catalog_rows WHERE id = ANY(${ids}::text[])`);
}
