import type { Knex } from 'knex';
import { compareByValue } from '../../models/pricing/estimate';
import { rowsOf, type Sql, sql } from '../sql';
import { rowOfFacet } from './project-rows';

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

const bestFirst = (estimate: Sql): Sql => sql`
  (${estimate}->>'A')::float8 DESC NULLS LAST, (${estimate}->>'B')::float8 DESC NULLS LAST,
  (${estimate}->>'C')::float8 DESC NULLS LAST, (${estimate}->>'D')::float8 DESC NULLS LAST,
  ${estimate}->>'source' COLLATE "C", ${estimate}->>'region' COLLATE "C", ${estimate}->>'currency' COLLATE "C",
  ${estimate}->>'estimated_at' COLLATE "C", (${estimate}->>'confidence')::float8 NULLS LAST`;

/** The best estimate of each product's variants, read from the estimates; products without are left out. */
export async function bestOfProducts(trx: Knex, ids: readonly string[]): Promise<Map<string, BestEstimate>> {
  if (ids.length === 0) return new Map();
  return await bestBy(
    trx,
    sql`SELECT product_id AS id, jsonb_build_object(
       'source', source, 'region', region, 'A', a, 'B', b, 'C', c, 'D', d, 'currency', currency,
       'estimated_at', to_char(estimated_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
       'confidence', confidence) AS best
     FROM (
       SELECT DISTINCT ON (product_id) product_id, market_estimates.*
       FROM variants JOIN market_estimates ON variant_id = variants.id
       WHERE product_id = ANY(${ids}::text[])
       ORDER BY product_id, a DESC NULLS LAST, b DESC NULLS LAST, c DESC NULLS LAST, d DESC NULLS LAST,
         source, region, currency COLLATE "C", estimated_at, confidence NULLS LAST) AS firsts`,
  );
}

/** The best estimate of the products that have each facet, read from their rows; facets without are left out. */
export async function bestOfFacets(trx: Knex, facets: readonly string[]): Promise<Map<string, BestEstimate>> {
  if (facets.length === 0) return new Map();
  return await bestBy(
    trx,
    sql`SELECT facet AS id, best FROM unnest(${facets}::text[]) AS facet CROSS JOIN LATERAL (
       SELECT max_estimate AS best FROM catalog_search JOIN catalog_rows USING (id)
       WHERE catalog_search.kind = 'product' AND catalog_search.facets @> ARRAY[facet]
         AND max_estimate IS NOT NULL
       ORDER BY ${bestFirst(sql`max_estimate`)} LIMIT 1) AS below`,
  );
}

/** A best estimate that a row is to show. */
export interface Raise {
  readonly id: string;
  readonly best: BestEstimate | null;
}

/**
 * What changes of products mean for the rows above them: the estimates that are higher than what a row shows, and the
 * ids of rows that show one which is gone, so that their best must be looked for again.
 */
export async function shiftsAbove(
  trx: Knex,
  changes: readonly ContributionChange[],
): Promise<{ raises: Raise[]; lost: string[] }> {
  const shifts = shiftsByRow(changes);
  const lost: string[] = [];
  const raises: Raise[] = [];
  for (const { id, best } of await shownBy(trx, [...shifts.keys()])) {
    const shift = shifts.get(id);
    if (shift?.gained && (best === null || compareBest(shift.gained, best) < 0)) {
      raises.push({ id, best: shift.gained });
    } else if (best && shift?.lost.some((each) => compareBest(each, best) === 0)) lost.push(id);
  }
  return { raises, lost };
}

/** Writes best estimates into rows. */
export async function writeBest(trx: Knex, raises: readonly Raise[]): Promise<void> {
  if (raises.length === 0) return;
  await rowsOf(
    trx,
    sql`UPDATE catalog_rows SET max_estimate = given.best
        FROM jsonb_to_recordset(${JSON.stringify(raises)}::jsonb) AS given (id text, best jsonb)
        WHERE catalog_rows.id = given.id`,
  );
}

async function shownBy(trx: Knex, ids: readonly string[]): Promise<Raise[]> {
  if (ids.length === 0) return [];
  return await rowsOf(
    trx,
    sql`SELECT id, max_estimate AS best FROM catalog_rows WHERE id = ANY(${ids}::text[])`,
  );
}

/** Whether two rows show the same estimate. */
export const isSameBest = (left: BestEstimate | null, right: BestEstimate | null): boolean =>
  left === null || right === null ? left === right : compareBest(left, right) === 0;

interface Shift {
  gained: BestEstimate | null;
  readonly lost: BestEstimate[];
}

function shiftsByRow(changes: readonly ContributionChange[]): Map<string, Shift> {
  const shifts = new Map<string, Shift>();
  const shiftOf = (id: string): Shift => {
    const shift = shifts.get(id) ?? { gained: null, lost: [] };
    shifts.set(id, shift);
    return shift;
  };
  for (const { before, after } of changes) {
    const kept = isSameBest(before?.best ?? null, after?.best ?? null);
    for (const id of rowsAbove(before, kept ? after : null)) {
      if (before?.best) shiftOf(id).lost.push(before.best);
    }
    for (const id of rowsAbove(after, kept ? before : null)) {
      const shift = after?.best ? shiftOf(id) : null;
      if (shift && after?.best && (!shift.gained || compareBest(after.best, shift.gained) < 0)) {
        shift.gained = after.best;
      }
    }
  }
  return shifts;
}

function rowsAbove(contribution: Contribution | null, unless: Contribution | null): string[] {
  const same = new Set(unless?.facets ?? []);
  return (contribution?.facets ?? []).flatMap((facet) => {
    const id = same.has(facet) ? null : rowOfFacet(facet);
    return id === null ? [] : [id];
  });
}

function compareBest(left: BestEstimate, right: BestEstimate): number {
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
