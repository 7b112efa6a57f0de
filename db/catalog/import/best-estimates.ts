import type { Knex } from 'knex';
import type { EstimateRecord } from '../../../models/catalog/import/records';
import { rowsOf, type Sql, sql } from '../../core/sql';
import { prepare, write } from '../../core/staging';
import { markStale, SOURCE_TABLES } from './catalog-tables';

/** Best market estimate first (contract 2.3). Ties go by every other field, so that the result depends on the estimates alone. */
const BEST_FIRST = sql`a DESC NULLS LAST, b DESC NULLS LAST, c DESC NULLS LAST, d DESC NULLS LAST,
  source, region, currency COLLATE "C", estimated_at, confidence NULLS LAST`;
const AS_JSON = sql`jsonb_build_object(
  'source', source, 'region', region, 'A', a, 'B', b, 'C', c, 'D', d, 'currency', currency,
  'estimated_at', to_char(estimated_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
  'confidence', confidence)`;
const VALUES = sql`source, region, a, b, c, d, currency, estimated_at, confidence`;

/** The best estimate of each of some products, which `products` selects as `id`. OFFSET 0: a look-up by index each. */
const bestOfProducts = (products: Sql): Sql => sql`
  SELECT product.id AS product_id, best.* FROM (${products}) AS product CROSS JOIN LATERAL (
    SELECT estimate.* FROM (SELECT id FROM variants WHERE product_id = product.id OFFSET 0) AS variant
    CROSS JOIN LATERAL (SELECT ${VALUES} FROM market_estimates WHERE variant_id = variant.id OFFSET 0) AS estimate
    ORDER BY ${BEST_FIRST} LIMIT 1) AS best`;

/** The best estimate of the live products that have each facet, as JSON; facets without one are left out. */
export async function bestOfFacets(trx: Knex, facets: readonly string[]): Promise<Map<string, object>> {
  if (facets.length === 0) return new Map();
  const products = sql`SELECT id FROM catalog_search WHERE kind = 'product' AND facets @> ARRAY[given.facet]`;
  const rows = await rowsOf<{ facet: string; best: object }>(trx)`
    SELECT facet, best FROM unnest(${facets}::text[]) AS given (facet) CROSS JOIN LATERAL (
    SELECT ${AS_JSON} AS best FROM (${bestOfProducts(products)}) AS below
    ORDER BY ${BEST_FIRST} LIMIT 1) AS best`;
  return new Map(rows.map(({ facet, best }) => [facet, best]));
}

/** The best estimate of these products for each row above them, as their facets are now: products are ranked once, for all rows. */
const bestAbove = (products: readonly string[]): Sql => sql`
  WITH ranked AS MATERIALIZED (
    SELECT row_number() OVER (ORDER BY ${BEST_FIRST}) AS place, *
    FROM (${bestOfProducts(sql`SELECT unnest(${products}::text[]) AS id`)}) AS best)
  SELECT substr(facet, strpos(facet, ':') + 1) AS row_id, ${VALUES} FROM ranked JOIN (
    SELECT facet, min(place) AS place FROM (
      SELECT place, unnest(facets) AS facet FROM ranked
      CROSS JOIN LATERAL (SELECT facets FROM catalog_search WHERE id = product_id OFFSET 0) AS product) AS named
    GROUP BY facet) AS first USING (place)
  WHERE facet NOT LIKE 'tags:%'`;

/** The rows that show an estimate of one of these products, of which some are about to change or to leave. */
export async function rowsShowing(trx: Knex, products: readonly string[]): Promise<string[]> {
  if (products.length === 0) return [];
  const rows = await rowsOf<{ id: string }>(trx)`SELECT row_id AS id FROM (${bestAbove(products)}) AS best
    CROSS JOIN LATERAL (SELECT max_estimate FROM catalog_rows WHERE id = row_id OFFSET 0) AS shown
    WHERE max_estimate = ${AS_JSON}`;
  return rows.map(({ id }) => id);
}

/** Raises what the rows above these products show; those that `showed` a changed estimate and are not raised become stale. */
export async function raiseMaxEstimates(
  trx: Knex,
  products: readonly string[],
  showed: readonly string[],
): Promise<string[]> {
  if (products.length === 0) return [];
  return await markStale(
    trx,
    sql`WITH gained AS MATERIALIZED (${bestAbove(products)}),
        best AS MATERIALIZED (
          SELECT DISTINCT ON (row_id) row_id, is_shown, ${VALUES} FROM (
            SELECT row_id, false AS is_shown, ${VALUES} FROM gained
            UNION ALL
            SELECT row_id, true, value->>'source', value->>'region', (value->>'A')::float8, (value->>'B')::float8,
              (value->>'C')::float8, (value->>'D')::float8, value->>'currency',
              (value->>'estimated_at')::timestamptz, (value->>'confidence')::float8
            FROM gained CROSS JOIN LATERAL (
              SELECT max_estimate AS value FROM catalog_rows WHERE id = row_id AND max_estimate IS NOT NULL OFFSET 0
            ) AS shown) AS either
          ORDER BY row_id, ${BEST_FIRST}, is_shown),
        raised AS (
          UPDATE catalog_rows SET max_estimate = best.value
          FROM (SELECT row_id, ${AS_JSON} AS value FROM best WHERE NOT is_shown) AS best
          WHERE id = row_id AND max_estimate IS DISTINCT FROM best.value)`,
    sql`SELECT id FROM unnest(${showed}::text[]) AS showing (id)
        WHERE NOT EXISTS (SELECT FROM best WHERE row_id = id AND NOT is_shown)`,
  );
}

/** Writes market estimates, and the best estimate of the rows above their products. Resolves to the rows that it marked stale. */
export async function writeEstimates(trx: Knex, records: readonly EstimateRecord[]): Promise<string[]> {
  const prepared = await prepare(trx, SOURCE_TABLES.estimates, records);
  const changing = prepared.known.length > 0 ? await productsOf(trx, CHANGING) : [];
  const showed = await rowsShowing(trx, changing);
  await write(trx, prepared);
  const variants = [...new Set(prepared.fresh.map(({ variant_id }) => variant_id))];
  const gaining = await productsOf(trx, sql`SELECT unnest(${variants}::text[]) AS variant_id`);
  return await raiseMaxEstimates(trx, [...new Set([...changing, ...gaining])], showed);
}

const CHANGING = sql`
  SELECT DISTINCT given.variant_id FROM staged_market_estimates AS given CROSS JOIN LATERAL (
    SELECT FROM market_estimates AS old
    WHERE (variant_id, source, region) = (given.variant_id, given.source, given.region) AND old <> given OFFSET 0
  ) AS differing`;

async function productsOf(trx: Knex, variants: Sql): Promise<string[]> {
  const products = await rowsOf<{ product_id: string }>(trx)`
    SELECT DISTINCT product_id FROM (${variants}) AS given CROSS JOIN LATERAL (
    SELECT product_id FROM variants WHERE id = given.variant_id AND product_id IS NOT NULL OFFSET 0) AS owner`;
  return products.map(({ product_id }) => product_id);
}
