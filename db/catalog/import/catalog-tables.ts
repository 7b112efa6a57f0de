import type { Knex } from 'knex';
import type { CategoryRecord, EntityRecord, ProductRecord } from '../../../models/catalog/import/records';
import { writtenTable } from '../../core/copy-rows';
import { rowsOf, type Sql, sql } from '../../core/sql';

const PICTURED = 'popularity float8, images text[], thumbnails text[]';
const GRADES = 'a float8, b float8, c float8, d float8';

/** The tables of the records of a bundle, one per file (contract 13), and of the variants inside products. */
export const SOURCE_TABLES = {
  categories: writtenTable(
    'categories',
    'id',
    `id text, name text, hierarchy text[], name_fields text[], ${PICTURED}`,
    true,
  ),
  tags: writtenTable('tags', 'id', 'id text, group text, name text, display_order int4, categories text[]'),
  synonyms: writtenTable('synonyms', 'id', 'id text, phrases text[], readings text[]'),
  entities: writtenTable(
    'entities',
    'id',
    `id text, kind text, name text, category text, parents jsonb, tags text[], keywords text[], ${PICTURED}, deleted boolean`,
    true,
  ),
  products: writtenTable(
    'products',
    'id',
    `id text, category text, attributes jsonb, tags text[], keywords text[], title text, sku text, url text, data text, ${PICTURED}, deleted boolean`,
    true,
  ),
  variants: writtenTable(
    'variants',
    'id',
    `id text, product_id text, position int4, fields jsonb, ${PICTURED}, away_since timestamptz`,
  ),
  estimates: writtenTable(
    'market_estimates',
    'variant_id source region',
    `variant_id text, source text, region text, ${GRADES}, currency text, estimated_at timestamptz, confidence float8`,
  ),
  history: writtenTable(
    'estimate_history',
    'variant_id region date source',
    `variant_id text, region text, date date, source text, ${GRADES}, currency text, confidence float8`,
  ),
  listings: writtenTable(
    'listings',
    'variant_id region link',
    'variant_id text, region text, link text, variant_name text, vendor text, price float8, currency text, date date',
  ),
};

/** The rows that answers are built from; derived from the records. */
export const CATALOG_ROWS = writtenTable(
  'catalog_rows',
  'id',
  'id text, kind text, category text, popularity float8, sort_key text, facets text[], words tsvector, name text, attributes jsonb, images text[], thumbnails text[], max_estimate jsonb',
  true,
);

export const loadCategories = (knex: Knex): Promise<Map<string, CategoryRecord>> =>
  byId(knex, sql`SELECT id, name, hierarchy, name_fields, popularity, images, thumbnails FROM categories`);

export const loadEntities = (knex: Knex, condition: Sql): Promise<Map<string, EntityRecord>> =>
  byId(
    knex,
    sql`SELECT id, kind, name, category, parents, tags, keywords, popularity, images, thumbnails
        FROM entities WHERE ${condition}`,
  );

/** The entities of these ids, unless only live ones deleted ones too: records that name them keep the attribute (contract 1.8). */
export const loadNamed = async (knex: Knex, ids: readonly string[], onlyLive = false) =>
  ids.length === 0
    ? new Map<string, EntityRecord>()
    : await loadEntities(knex, sql`id = ANY(${ids}::text[]) AND NOT (deleted AND ${onlyLive})`);

/** Those of these ids that are live products, with their variants in order. */
export const loadProducts = async (
  knex: Knex,
  ids: readonly string[],
): Promise<Map<string, ProductRecord>> =>
  ids.length === 0
    ? new Map()
    : await byId(
        knex,
        sql`SELECT id, category, attributes, tags, keywords, title, sku, url, data, popularity, images, thumbnails,
              (SELECT coalesce(jsonb_agg(to_jsonb(variants) - 'product_id' - 'position' - 'away_since' ORDER BY position), '[]')
               FROM variants WHERE product_id = products.id) AS variants
            FROM products WHERE id = ANY(${ids}::text[]) AND NOT deleted`,
      );

async function byId<Row extends { readonly id: string }>(knex: Knex, rows: Sql): Promise<Map<string, Row>> {
  return new Map((await rowsOf<Row>(knex, rows)).map((row) => [row.id, row]));
}

/** How often categories, tags or entities were written, which triggers count. */
export async function taxonomyVersion(knex: Knex): Promise<number> {
  const [line] = await rowsOf<{ version: number }>(knex)`SELECT version FROM catalog_taxonomy_version`;
  return line?.version ?? 0;
}

/** Up to this many rows are derived again in the transaction that made them stale; more of them wait, so that it stays short. */
export const STALE_AT_ONCE = 500;

/** Marks the rows that `rows` selects, each once; `before` is a WITH for it. Resolves to their ids, at most one above `STALE_AT_ONCE`. */
export async function markStale(trx: Knex, before: Sql, rows: Sql): Promise<string[]> {
  const marked = await rowsOf<{ id: string }>(trx)`${before}, marked AS (
      INSERT INTO catalog_stale_rows ${rows} ON CONFLICT (id) DO UPDATE SET id = excluded.id RETURNING id)
    SELECT id FROM marked LIMIT ${STALE_AT_ONCE + 1}`;
  return marked.map(({ id }) => id);
}

/** The number of rows that `from` selects: `FROM` and what follows it. */
export async function countOf(knex: Knex, from: Sql): Promise<number> {
  const [counted] = await rowsOf<{ count: number }>(knex)`SELECT count(*) AS count ${from}`;
  return counted?.count ?? 0;
}
