import type { Knex } from 'knex';
import type { SearchScope } from '../../models/catalog/catalog-query';
import type { DisplayFields, OwnFields } from '../../models/catalog/import/records';
import type { CatalogItem, Tag, Variant } from '../../models/catalog/item';
import { categoriesOf } from '../../models/catalog/taxonomy';
import type { FoundRows } from '../../models/ports';
import * as estimates from '../../models/pricing/estimate';
import { allOf, lines, prepared, rowsOf, type Sql, sql } from '../core/sql';
import { conditionsOf } from './search/catalog-clauses';
import { isUnchangedSince } from './search/catalog-state';

type EstimateJson = Omit<estimates.MarketEstimate, 'estimatedAt'> & { readonly estimated_at: string };

/** What `STORED_PRICES` selects: of each kind of file the regions that have one. */
interface StoredPricesJson extends Readonly<Record<estimates.DataFileKind, readonly estimates.Region[]>> {
  readonly estimates: readonly EstimateJson[] | null;
}

export interface ItemRow
  extends DisplayFields,
    Readonly<Record<keyof OwnFields, string | null>>,
    Pick<CatalogItem, 'id' | 'kind' | 'category' | 'name' | 'attributes'> {
  readonly variants: VariantRow[];
  /** Null on rows that are not categories. */
  readonly available_tags: Tag[] | null;
  readonly updated_at: Date;
  readonly max_estimate: EstimateJson | null;
}

type VariantRow = Omit<Variant, 'prices'> & Partial<StoredPricesJson>;

export const idsWithin = (ids: readonly string[], scope: SearchScope): Sql =>
  sql`SELECT id FROM catalog_search WHERE ${allOf([sql`id = ANY(${ids}::text[])`, ...conditionsOf(scope)])}`;

/** The regions in which the variant `v` has rows of a table, in their order. */
const regionsOf = (table: Sql): Sql =>
  sql`ARRAY(SELECT region FROM unnest(${estimates.REGIONS}::text[]) WITH ORDINALITY AS regions (region, place) WHERE EXISTS (
    SELECT FROM ${table} AS t WHERE t.variant_id = v.id AND t.region = regions.region) ORDER BY place)`;

/** Columns: the prices of the variant `v`, estimates by source, then region. */
const STORED_PRICES = sql`
  (SELECT json_agg(e) FROM (
    SELECT source, region, a AS "A", b AS "B", c AS "C", d AS "D", currency, estimated_at, confidence
    FROM market_estimates WHERE variant_id = v.id ORDER BY source, region) AS e) AS estimates,
  ${regionsOf(sql`estimate_history`)} AS historical_estimates, ${regionsOf(sql`listings`)} AS pricing_data`;

/** A query for rows with variants, tags and prices (if `pricing`) by ids, unordered; one statement, so all are of one moment. */
export const rowsById = (ids: Sql, pricing: boolean): Sql =>
  sql`SELECT r.id, r.kind, r.category, r.name, r.popularity, to_json(r.images) AS images,
        to_json(r.thumbnails) AS thumbnails, r.attributes, r.updated_at,
        (SELECT coalesce(json_agg(v), '[]') FROM (
           SELECT v.id, v.fields, v.images, v.thumbnails, v.popularity${pricing ? sql`, ${STORED_PRICES}` : sql``}
           FROM variants v WHERE v.product_id = r.id ORDER BY v.position, v.id) AS v) AS variants,
        p.title, p.sku, p.url, p.data,
        CASE WHEN r.kind = 'category' THEN
          (SELECT coalesce(json_agg(json_build_object('id', t.id, 'name', t.name, 'group', t."group")
                    ORDER BY t."group", t.display_order, t.id), '[]')
           FROM tags t WHERE r.category = ANY(t.categories))
        END AS available_tags, ${pricing ? sql`r.max_estimate` : sql`NULL::jsonb`} AS max_estimate
      FROM catalog_rows r LEFT JOIN products p ON p.id = r.id AND r.kind = 'product' WHERE r.id = ANY(${ids})`;

function itemOf(row: ItemRow): CatalogItem {
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
    ...(row.title !== null && { title: row.title }),
    ...(row.sku !== null && { sku: row.sku }),
    ...(row.url !== null && { url: row.url }),
    ...(row.data !== null && { data: JSON.parse(row.data) as NonNullable<CatalogItem['data']> }),
    ...(row.available_tags === null ? {} : { availableTags: row.available_tags }),
    ...(row.max_estimate === null ? {} : { maxMarketEstimate: estimateOf(row.max_estimate) }),
    updatedAt: row.updated_at,
  };
}

const hasPrices = (row: VariantRow): row is VariantRow & StoredPricesJson => row.estimates !== undefined;

const pricedVariant = (row: VariantRow & StoredPricesJson): Variant => ({
  id: row.id,
  fields: row.fields,
  images: row.images,
  thumbnails: row.thumbnails,
  popularity: row.popularity,
  prices: {
    estimates: row.estimates?.map(estimateOf) ?? null,
    files: estimates.DATA_FILE_KINDS.flatMap((kind) => row[kind].map((region) => ({ kind, region }))),
  },
});

const estimateOf = (row: EstimateJson): estimates.MarketEstimate => ({
  source: row.source,
  region: row.region,
  A: row.A,
  B: row.B,
  C: row.C,
  D: row.D,
  currency: row.currency,
  estimatedAt: new Date(row.estimated_at),
  confidence: row.confidence,
});

/** Rows that a call requests, under a name of its own; by ids alone they may be of any state. */
type WantedRows = Pick<FoundRows, 'rows'> & Partial<FoundRows> & { readonly owner: string };

/** Expressions for `WITH`: `found` has the wanted rows, and `gone` the owners whose state is no longer current. */
export function foundRows(wanted: readonly WantedRows[], pricing: boolean, scope?: SearchScope): Sql {
  const ids = [...new Set(wanted.flatMap(({ rows }) => rows))];
  const within = scope ? idsWithin(ids, scope) : sql`SELECT * FROM ${lines(ids)}`;
  const states = wanted.flatMap(({ owner, state }) => (state === undefined ? [] : [{ owner, state }]));
  return sql`found AS MATERIALIZED (${rowsById(sql`ARRAY(${within})`, pricing)}
    ), gone AS MATERIALIZED (
      SELECT owner FROM json_to_recordset(${JSON.stringify(states)}::json)
        AS seen (owner text, state text) WHERE NOT ${isUnchangedSince(sql`seen.state`)}
    )`;
}

export const FOUND = sql`found.*, (SELECT json_agg(owner) FROM gone) AS gone
  FROM (VALUES (true)) AS always LEFT JOIN found ON true`;

/** A line of its result; the row is null where there is none. */
export type FoundLine = (ItemRow | { readonly id: null }) & { readonly gone: readonly string[] | null };

/** The items in the order of ids. */
export function itemsIn(
  found: readonly (ItemRow | { readonly id: null })[],
): (rows: FoundRows['rows']) => CatalogItem[] {
  const items = new Map<string, CatalogItem>();
  for (const line of found) if (line.id !== null) items.set(line.id, itemOf(line));
  return (rows) => rows.flatMap((id) => items.get(id) ?? []);
}

/** Rows that a query found; null when the catalog has changed since. */
export async function readFound(
  knex: Knex,
  { rows, state }: FoundRows,
  pricing: boolean,
): Promise<CatalogItem[] | null> {
  const wanted = foundRows([{ rows, state, owner: '' }], pricing);
  const found = await rowsOf<FoundLine>(knex, prepared(sql`WITH ${wanted} SELECT ${FOUND}`));
  return found[0]?.gone ? null : itemsIn(found)(rows);
}
