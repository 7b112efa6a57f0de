import type { Knex } from 'knex';
import type { CategoryRecord, EntityRecord, ProductRecord } from '../../../models/catalog/import/records';
import type { ColumnType, WrittenTable } from '../../core/copy-rows';
import { rowsOf, type Sql, sql } from '../../core/sql';

const PICTURED = 'popularity float8, images text[], thumbnails text[]';
const GRADES = 'a float8, b float8, c float8, d float8';

/** A table with its columns as in its definition. */
function table(name: string, keys: string, columns: string, dated = false): WrittenTable {
  const typed = columns.split(', ').map((column) => column.split(' ') as [string, ColumnType]);
  return { name, key: keys.split(' '), columns: Object.fromEntries(typed), dated };
}

/** The tables of the records of a bundle, one per file (contract 13), and of the variants inside products. */
export const SOURCE_TABLES = {
  categories: table(
    'categories',
    'id',
    `id text, name text, hierarchy text[], name_fields text[], ${PICTURED}`,
    true,
  ),
  tags: table('tags', 'id', 'id text, group text, name text, display_order int4, categories text[]'),
  synonyms: table('synonyms', 'id', 'id text, phrases text[], readings text[]'),
  entities: table(
    'entities',
    'id',
    `id text, kind text, name text, category text, parents jsonb, tags text[], keywords text[], ${PICTURED}, deleted boolean`,
    true,
  ),
  products: table(
    'products',
    'id',
    `id text, category text, attributes jsonb, tags text[], keywords text[], title text, sku text, url text, data text, ${PICTURED}, deleted boolean`,
    true,
  ),
  variants: table(
    'variants',
    'id',
    `id text, product_id text, position int4, fields jsonb, ${PICTURED}, away_since timestamptz`,
  ),
  estimates: table(
    'market_estimates',
    'variant_id source region',
    `variant_id text, source text, region text, ${GRADES}, currency text, estimated_at timestamptz, confidence float8`,
  ),
  history: table(
    'estimate_history',
    'variant_id region date source',
    `variant_id text, region text, date date, source text, ${GRADES}, currency text, confidence float8`,
  ),
  listings: table(
    'listings',
    'variant_id region link',
    'variant_id text, region text, link text, variant_name text, vendor text, price float8, currency text, date date',
  ),
};

/** What answers are made of; derived from the records. */
export const CATALOG_ROWS = table(
  'catalog_rows',
  'id',
  'id text, kind text, category text, popularity float8, sort_key text, facets text[], words tsvector, name text, attributes jsonb, images text[], thumbnails text[], max_estimate jsonb',
  true,
);

/** A record with what the database holds under its id. */
export interface Stored<Record> {
  readonly record: Record;
  readonly deleted: boolean;
}

/** All categories by id; there are few. */
export async function loadCategories(knex: Knex): Promise<Map<string, CategoryRecord>> {
  const rows: CategoryRecord[] = await knex('categories').select(
    'id',
    'name',
    'hierarchy',
    'name_fields',
    'popularity',
    'images',
    'thumbnails',
  );
  return new Map(rows.map((row) => [row.id, row]));
}

const entitiesWhere = (condition: Sql): Sql => sql`
  SELECT id, kind, name, category, parents, tags, keywords, popularity, images, thumbnails, deleted
  FROM entities WHERE ${condition}`;

/** The entities of these ids, deleted ones too; unknown ids are left out. */
export async function loadEntities(
  knex: Knex,
  ids: readonly string[],
): Promise<Map<string, Stored<EntityRecord>>> {
  if (ids.length === 0) return new Map();
  return byId(await rowsOf(knex, entitiesWhere(sql`id = ANY(${ids}::text[])`)));
}

/** Live entities of these kinds, by id, after one of them. */
export async function loadEntitiesOf(
  knex: Knex,
  kinds: readonly string[],
  after: string,
  limit: number,
): Promise<readonly EntityRecord[]> {
  const wanted = sql`kind = ANY(${kinds}::text[]) AND id > ${after} AND NOT deleted`;
  const rows = await rowsOf<EntityRecord & { deleted: boolean }>(
    knex,
    entitiesWhere(sql`${wanted} ORDER BY id LIMIT ${limit}`),
  );
  return [...byId(rows).values()].map(({ record }) => record);
}

/** The entities of these ids as their last records had them, deleted ones too; unknown ids are left out. */
export async function loadEntityRecords(
  knex: Knex,
  ids: readonly string[],
): Promise<Map<string, EntityRecord>> {
  const stored = await loadEntities(knex, ids);
  return new Map([...stored].map(([id, { record }]) => [id, record]));
}

/** The products of these ids with their variants in order, deleted ones too; unknown ids are left out. */
export async function loadProducts(
  knex: Knex,
  ids: readonly string[],
): Promise<Map<string, Stored<ProductRecord>>> {
  if (ids.length === 0) return new Map();
  const rows = await rowsOf<ProductRecord & { deleted: boolean }>(
    knex,
    sql`SELECT id, category, attributes, tags, keywords, title, sku, url, data, popularity, images, thumbnails,
       (SELECT coalesce(jsonb_agg(to_jsonb(variants) - 'product_id' - 'position' - 'away_since' ORDER BY position), '[]')
        FROM variants WHERE product_id = products.id) AS variants,
       deleted
     FROM products WHERE id = ANY(${ids}::text[])`,
  );
  return byId(rows);
}

function byId<Row extends { readonly id: string }>(
  rows: readonly (Row & { readonly deleted: boolean })[],
): Map<string, Stored<Row>> {
  return new Map(
    rows.map(({ deleted, ...record }) => [record.id, { record: record as unknown as Row, deleted }]),
  );
}

/** How often categories, tags or entities were written, which triggers count. */
export async function taxonomyVersion(knex: Knex): Promise<number> {
  const [line] = await rowsOf<{ version: number }>(knex, sql`SELECT version FROM catalog_taxonomy_version`);
  return line?.version ?? 0;
}

/** Up to so many rows are derived again in the transaction that made them stale; more wait, so that it stays short. */
export const STALE_AT_ONCE = 500;

/**
 * Notes rows to be derived again. Resolves to their ids, including those noted before; of very many, to one more than
 * `STALE_AT_ONCE`.
 *
 * @param before `WITH` and the clauses that `rows` refers to
 * @param rows selects ids, each once
 */
export async function noteStale(trx: Knex, before: Sql, rows: Sql): Promise<string[]> {
  const noted = await rowsOf<{ id: string }>(
    trx,
    sql`${before}, noted AS (
          INSERT INTO catalog_stale_rows ${rows} ON CONFLICT (id) DO UPDATE SET id = excluded.id RETURNING id)
        SELECT id FROM noted LIMIT ${STALE_AT_ONCE + 1}`,
  );
  return noted.map(({ id }) => id);
}

/** How many rows are noted, counted up to `limit`. */
export async function countStale(knex: Knex, limit: number): Promise<number> {
  const rows = await rowsOf<{ count: number }>(
    knex,
    sql`SELECT count(*) AS count FROM (SELECT 1 FROM catalog_stale_rows LIMIT ${limit}) AS stale`,
  );
  return rows[0]?.count ?? 0;
}
