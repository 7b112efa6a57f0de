import type { Knex } from 'knex';
import { EVERYTHING, type SearchScope } from '../../models/catalog/catalog-query';
import type { OwnFields } from '../../models/catalog/import/records';
import type { Attribute, CatalogItem, Tag, Variant } from '../../models/catalog/item';
import { categoriesOf } from '../../models/catalog/taxonomy';
import { allOf, prepared, rowsOf, type Sql, sql } from '../core/sql';
import {
  type EstimateJson,
  estimateOf,
  STORED_PRICES,
  type StoredPricesJson,
  storedPricesOf,
} from '../pricing/stored-prices';
import { conditionsOf } from './search/catalog-clauses';

/** What `rowsById` selects. */
export interface ItemRow {
  readonly id: string;
  readonly kind: string;
  readonly category: string;
  readonly name: string;
  readonly popularity: number;
  readonly images: string[];
  readonly thumbnails: string[];
  readonly attributes: Attribute[];
  readonly variants: VariantRow[];
  /** Null on rows that are not products. */
  readonly own: { readonly [Field in keyof OwnFields]?: string } | null;
  /** Null on rows that are not categories. */
  readonly available_tags: Tag[] | null;
  readonly updated_at: Date;
  readonly max_estimate: EstimateJson | null;
}

type VariantRow = Omit<Variant, 'prices'> & Partial<StoredPricesJson>;

/** Rows with their variants and tags, those that the scope counts, in the order of the ids; with `pricing` also prices. */
export async function itemsById(
  knex: Knex,
  ids: readonly string[],
  pricing: boolean,
  scope: SearchScope = EVERYTHING,
): Promise<CatalogItem[]> {
  if (ids.length === 0) return [];
  const isNarrowed = conditionsOf(scope).length > 0;
  const statement = isNarrowed
    ? rowsById(sql`ARRAY(${idsWithin(ids, scope)})`, pricing)
    : prepared(rowsById(sql`${ids}::text[]`, pricing));
  const rows = await rowsOf<ItemRow>(knex, statement);
  const byId = new Map(rows.map((row) => [row.id, itemOf(row)]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

/** Those of the ids whose rows a scope counts. */
export const idsWithin = (ids: readonly string[], scope: SearchScope): Sql =>
  sql`SELECT id FROM catalog_search WHERE ${allOf([sql`id = ANY(${ids}::text[])`, ...conditionsOf(scope)])}`;

/** A query for rows by an array of ids, in no order: one statement, so that a row and its prices are of one moment. */
export const rowsById = (ids: Sql, pricing: boolean): Sql =>
  sql`SELECT r.id, r.kind, r.category, r.name, r.popularity, to_json(r.images) AS images,
        to_json(r.thumbnails) AS thumbnails, r.attributes, r.updated_at,
        (SELECT coalesce(json_agg(v), '[]') FROM (
           SELECT v.id, v.fields, v.images, v.thumbnails, v.popularity${pricing ? sql`, ${STORED_PRICES}` : sql``}
           FROM variants v WHERE v.product_id = r.id ORDER BY v.position, v.id) AS v) AS variants,
        CASE WHEN r.kind = 'product' THEN
          (SELECT json_strip_nulls(to_json(p)) FROM (SELECT title, sku, url, data FROM products WHERE id = r.id) AS p) END AS own,
        CASE WHEN r.kind = 'category' THEN
          (SELECT coalesce(json_agg(json_build_object('id', t.id, 'name', t.name, 'group', t."group")
                    ORDER BY t."group", t.display_order, t.id), '[]')
           FROM tags t WHERE r.category = ANY(t.categories))
        END AS available_tags, ${pricing ? sql`r.max_estimate` : sql`NULL::jsonb`} AS max_estimate
      FROM catalog_rows r WHERE r.id = ANY(${ids})`;

export function itemOf(row: ItemRow): CatalogItem {
  return {
    id: row.id,
    kind: row.kind,
    category: categoriesOf(row.category)[0] ?? row.category,
    name: row.name,
    popularity: row.popularity,
    images: row.images,
    thumbnails: row.thumbnails,
    attributes: row.attributes,
    variants: row.variants.map((variant) => (hasPrices(variant) ? pricedVariant(variant) : variant)),
    ...(row.own === null ? {} : ownFieldsOf(row.own)),
    ...(row.available_tags === null ? {} : { availableTags: row.available_tags }),
    ...(row.max_estimate === null ? {} : { maxMarketEstimate: estimateOf(row.max_estimate) }),
    updatedAt: row.updated_at,
  };
}

const ownFieldsOf = ({ data, ...fields }: NonNullable<ItemRow['own']>) => ({
  ...fields,
  ...(data !== undefined && { data: JSON.parse(data) as Readonly<Record<string, unknown>> }),
});

const hasPrices = (row: VariantRow): row is VariantRow & StoredPricesJson => row.estimates !== undefined;

const pricedVariant = (row: VariantRow & StoredPricesJson): Variant => ({
  id: row.id,
  fields: row.fields,
  images: row.images,
  thumbnails: row.thumbnails,
  popularity: row.popularity,
  prices: storedPricesOf(row),
});
