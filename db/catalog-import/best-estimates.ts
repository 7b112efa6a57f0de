import type { Knex } from 'knex';
import { compareByValue } from '../../models/pricing/estimate';
import { rowsOf, type Sql, sql } from '../sql';

/**
 * The best market estimate below a row (decisions.md 5) as `catalog_rows.max_estimate` holds it. Of equal values the
 * first by source, region, currency, time and confidence stands, so that it depends on the estimates alone.
 */
export interface BestEstimate {
  readonly source: string;
  readonly region: string;
  readonly A: number | null;
  readonly B: number | null;
  readonly C: number | null;
  readonly D: number | null;
  readonly currency: string;
  readonly estimated_at: string;
  readonly confidence: number | null;
}

/** What a product adds to the rows above it: its facets name them, its best estimate is one that they may show. */
export interface Contribution {
  readonly facets: readonly string[];
  readonly best: BestEstimate | null;
}

/** How the contribution of one product changed; null where the product was not, or is no more. */
export interface ContributionChange {
  readonly before: Contribution | null;
  readonly after: Contribution | null;
}

/** The time of an estimate as `BestEstimate` has it. */
export const estimatedAt = sql`to_char(estimated_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** The best of all estimates of some products. OFFSET 0 keeps each step a look-up by index, however many there are. */
const bestBelow = (products: Sql): Sql => sql`
  SELECT jsonb_build_object(
    'source', source, 'region', region, 'A', a, 'B', b, 'C', c, 'D', d, 'currency', currency,
    'estimated_at', ${estimatedAt}, 'confidence', confidence) AS best
  FROM (${products}) AS product
  CROSS JOIN LATERAL (SELECT id FROM variants WHERE product_id = product.id OFFSET 0) AS variant
  CROSS JOIN LATERAL (SELECT * FROM market_estimates WHERE variant_id = variant.id OFFSET 0) AS estimate
  ORDER BY a DESC NULLS LAST, b DESC NULLS LAST, c DESC NULLS LAST, d DESC NULLS LAST,
    source, region, currency COLLATE "C", estimated_at, confidence NULLS LAST
  LIMIT 1`;

/** The best estimate of each product's variants; products without are left out. */
export async function bestOfProducts(trx: Knex, ids: readonly string[]): Promise<Map<string, BestEstimate>> {
  if (ids.length === 0) return new Map();
  return await bestBy(
    trx,
    sql`SELECT given.id, best FROM unnest(${ids}::text[]) AS given (id)
        CROSS JOIN LATERAL (${bestBelow(sql`SELECT given.id`)}) AS below`,
  );
}

/** The best estimate of the live products that have each facet; facets without are left out. */
export async function bestOfFacets(trx: Knex, facets: readonly string[]): Promise<Map<string, BestEstimate>> {
  if (facets.length === 0) return new Map();
  const products = sql`SELECT id FROM catalog_search WHERE kind = 'product' AND facets @> ARRAY[given.facet]`;
  return await bestBy(
    trx,
    sql`SELECT facet AS id, best FROM unnest(${facets}::text[]) AS given (facet)
        CROSS JOIN LATERAL (${bestBelow(products)}) AS below`,
  );
}

/** What each product that has a row adds to the rows above it now. */
export async function contributions(trx: Knex, ids: readonly string[]): Promise<Map<string, Contribution>> {
  const facets = await facetsOf(trx, ids);
  const best = await bestOfProducts(trx, [...facets.keys()]);
  return new Map([...facets].map(([id, own]) => [id, { facets: own, best: best.get(id) ?? null }]));
}

/** The facets of the rows of these ids; those without a row are left out. */
export async function facetsOf(trx: Knex, ids: readonly string[]): Promise<Map<string, readonly string[]>> {
  if (ids.length === 0) return new Map();
  // As one text, which is read several times faster than a list; no facet holds a line feed.
  const rows = await rowsOf<{ id: string; facets: string }>(
    trx,
    sql`SELECT id, array_to_string(facets, E'\\n') AS facets FROM catalog_search WHERE id = ANY(${ids}::text[])`,
  );
  return new Map(rows.map(({ id, facets }) => [id, facets === '' ? [] : facets.split('\n')]));
}

/** Whether two rows show the same estimate. */
export const isSameBest = (left: BestEstimate | null, right: BestEstimate | null): boolean =>
  left === null || right === null ? left === right : compareBest(left, right) === 0;

/** Orders estimates, best first. */
export function compareBest(left: BestEstimate, right: BestEstimate): number {
  return (
    compareByValue(left, right) ||
    compareText(left.source, right.source) ||
    compareText(left.region, right.region) ||
    compareText(left.currency, right.currency) ||
    compareText(left.estimated_at, right.estimated_at) ||
    compareConfidence(left.confidence, right.confidence)
  );
}

const compareText = (left: string, right: string): number =>
  left === right ? 0 : Buffer.compare(Buffer.from(left), Buffer.from(right));

function compareConfidence(left: number | null, right: number | null): number {
  if (left === right) return 0;
  if (left === null) return 1;
  return right === null ? -1 : left - right;
}

async function bestBy(trx: Knex, statement: Sql): Promise<Map<string, BestEstimate>> {
  const rows = await rowsOf<{ id: string; best: BestEstimate }>(trx, statement);
  return new Map(rows.map(({ id, best }) => [id, best]));
}
