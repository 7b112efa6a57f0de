import type { Knex } from 'knex';
import type { Attribute, CatalogItem, Tag, Variant } from '../../models/catalog/item';
import { rowsOf, sql } from '../core/sql';

interface ItemRow {
  readonly id: string;
  readonly kind: string;
  readonly category: string;
  readonly name: string;
  readonly popularity: number;
  readonly images: string[];
  readonly thumbnails: string[];
  readonly attributes: Attribute[];
  readonly variants: Variant[];
  /** Null on rows that are no category. */
  readonly available_tags: Tag[] | null;
  readonly updated_at: Date;
}

/**
 * Rows with their variants and tags, in the order of the ids; unknown ids are left out. One statement, so that a row
 * and its variants are of the same moment while an import runs.
 */
export async function itemsById(knex: Knex, ids: readonly string[]): Promise<CatalogItem[]> {
  if (ids.length === 0) return [];
  const rows = await rowsOf<ItemRow>(
    knex,
    sql`SELECT r.id, r.kind, r.category, r.name, r.popularity, r.images, r.thumbnails, r.attributes, r.updated_at,
          (SELECT coalesce(json_agg(json_build_object('id', v.id, 'fields', v.fields, 'images', v.images,
                    'thumbnails', v.thumbnails, 'popularity', v.popularity) ORDER BY v.position, v.id), '[]')
           FROM variants v WHERE v.product_id = r.id) AS variants,
          CASE WHEN r.kind = 'category' THEN
            (SELECT coalesce(json_agg(json_build_object('id', t.id, 'name', t.name, 'group', t."group")
                      ORDER BY t."group", t.display_order, t.id), '[]')
             FROM tags t WHERE r.category = ANY(t.categories))
          END AS available_tags
        FROM catalog_rows r WHERE r.id = ANY(${ids}::text[])`,
  );
  const byId = new Map(rows.map((row) => [row.id, itemOf(row)]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

function itemOf(row: ItemRow): CatalogItem {
  return {
    id: row.id,
    kind: row.kind,
    category: row.category,
    name: row.name,
    popularity: row.popularity,
    images: row.images,
    thumbnails: row.thumbnails,
    attributes: row.attributes,
    variants: row.variants,
    ...(row.available_tags === null ? {} : { availableTags: row.available_tags }),
    updatedAt: row.updated_at,
  };
}
