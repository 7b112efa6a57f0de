import type { Knex } from 'knex';
import { rowsOf, type Sql, sql } from '../../core/sql';
import { noteStale } from './noted-rows';

/**
 * The best market estimate below a row (contract 2.3), as `catalog_rows.max_estimate` holds it. Of equal values the
 * first by source, region, currency, time and confidence stands, so that it depends on the estimates alone.
 */
const BEST_FIRST = sql`a DESC NULLS LAST, b DESC NULLS LAST, c DESC NULLS LAST, d DESC NULLS LAST,
  source, region, currency COLLATE "C", estimated_at, confidence NULLS LAST`;
const AS_JSON = sql`jsonb_build_object(
  'source', source, 'region', region, 'A', a, 'B', b, 'C', c, 'D', d, 'currency', currency,
  'estimated_at', to_char(estimated_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
  'confidence', confidence)`;
const VALUES = sql`source, region, a, b, c, d, currency, estimated_at, confidence`;

/** All estimates of some products, which `products` selects as `id`. OFFSET 0 keeps each step a look-up by index. */
export const estimatesOfProducts = (products: Sql): Sql => sql`
  SELECT product.id AS product_id, estimate.* FROM (${products}) AS product
  CROSS JOIN LATERAL (SELECT id FROM variants WHERE product_id = product.id OFFSET 0) AS variant
  CROSS JOIN LATERAL (SELECT * FROM market_estimates WHERE variant_id = variant.id OFFSET 0) AS estimate`;

/** The best estimate of the live products that have each facet, as JSON; facets without are left out. */
export async function bestOfFacets(trx: Knex, facets: readonly string[]): Promise<Map<string, object>> {
  if (facets.length === 0) return new Map();
  const products = sql`SELECT id FROM catalog_search WHERE kind = 'product' AND facets @> ARRAY[given.facet]`;
  const rows = await rowsOf<{ facet: string; best: object }>(
    trx,
    sql`SELECT facet, best FROM unnest(${facets}::text[]) AS given (facet) CROSS JOIN LATERAL (
          SELECT ${AS_JSON} AS best FROM (${estimatesOfProducts(products)}) AS below
          ORDER BY ${BEST_FIRST} LIMIT 1) AS best`,
  );
  return new Map(rows.map(({ facet, best }) => [facet, best]));
}

/** The best of estimates for each row above their products, as facets name them now: the products', the rows' id last. */
const bestAbove = (estimates: Sql): Sql => sql`
  SELECT DISTINCT ON (row_id) row_id, ${VALUES} FROM (
    SELECT DISTINCT ON (product_id) * FROM (${estimates}) AS given ORDER BY product_id, ${BEST_FIRST}) AS best
  CROSS JOIN LATERAL (SELECT facets FROM catalog_search WHERE id = product_id OFFSET 0) AS product
  CROSS JOIN LATERAL (
    SELECT substr(facet, strpos(facet, ':') + 1) AS row_id FROM unnest(facets) AS facet
    WHERE facet NOT LIKE 'tags:%') AS above
  ORDER BY row_id, ${BEST_FIRST}`;

/** Notes the rows that show one of these estimates, which are about to change or to leave. */
export async function doubtBest(trx: Knex, estimates: Sql): Promise<void> {
  await rowsOf(
    trx,
    sql`CREATE TEMPORARY TABLE IF NOT EXISTS doubted_rows (id text PRIMARY KEY) ON COMMIT DELETE ROWS`,
  );
  await rowsOf(trx, sql`DELETE FROM doubted_rows`);
  await rowsOf(
    trx,
    sql`INSERT INTO doubted_rows
        SELECT row_id FROM (${bestAbove(estimates)}) AS left_behind
        CROSS JOIN LATERAL (SELECT max_estimate FROM catalog_rows WHERE id = row_id OFFSET 0) AS shown
        WHERE max_estimate = ${AS_JSON}`,
  );
}

/**
 * Raises what the rows above show to these estimates, which are new to them. A row that was noted before and is not
 * raised is noted to have its best looked for again.
 */
export function raiseBest(trx: Knex, estimates: Sql): Promise<string[]> {
  return noteStale(
    trx,
    sql`WITH gained AS MATERIALIZED (${bestAbove(estimates)}),
        best AS MATERIALIZED (
          SELECT DISTINCT ON (row_id) row_id, is_shown, ${AS_JSON} AS best FROM (
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
          UPDATE catalog_rows SET max_estimate = best.best FROM best
          WHERE id = row_id AND NOT is_shown AND max_estimate IS DISTINCT FROM best.best)`,
    sql`SELECT id FROM doubted_rows WHERE NOT EXISTS (SELECT FROM best WHERE row_id = doubted_rows.id AND NOT is_shown)`,
  );
}
