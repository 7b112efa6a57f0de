import type { Knex } from 'knex';
import type { CategoryRecord, EntityRecord, ProductRecord } from '../../../models/catalog/import/records';
import { rowsOf, sql } from '../../core/sql';

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

/** The entities of these ids, deleted ones too; unknown ids are left out. */
export async function loadEntities(
  knex: Knex,
  ids: readonly string[],
): Promise<Map<string, Stored<EntityRecord>>> {
  if (ids.length === 0) return new Map();
  const rows = await rowsOf<EntityRecord & { deleted: boolean }>(
    knex,
    sql`SELECT id, kind, name, category, parents, tags, keywords, popularity, images, thumbnails, deleted
     FROM entities WHERE id = ANY(${ids}::text[])`,
  );
  return byId(rows);
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
