import {
  DATA_FILE_KINDS,
  type DataFileKind,
  type MarketEstimate,
  REGIONS,
  type Region,
  type StoredPrices,
} from '../../models/pricing/estimate';
import { type Sql, sql } from '../core/sql';

export type EstimateJson = Omit<MarketEstimate, 'estimatedAt'> & { readonly estimated_at: string };

/** What `STORED_PRICES` selects: of each kind of file the regions that have one. */
export interface StoredPricesJson extends Readonly<Record<DataFileKind, readonly Region[]>> {
  readonly estimates: readonly EstimateJson[] | null;
}

/** The regions in which the variant `v` has rows of a table, in their order. */
const regionsOf = (table: Sql): Sql =>
  sql`ARRAY(SELECT region FROM unnest(${REGIONS}::text[]) WITH ORDINALITY AS regions (region, place) WHERE EXISTS (
    SELECT FROM ${table} AS t WHERE t.variant_id = v.id AND t.region = regions.region) ORDER BY place)`;

/** Columns: the prices of the variant `v`, estimates by source, then region. */
export const STORED_PRICES = sql`
  (SELECT json_agg(e) FROM (
    SELECT source, region, a AS "A", b AS "B", c AS "C", d AS "D", currency, estimated_at, confidence
    FROM market_estimates WHERE variant_id = v.id ORDER BY source, region) AS e) AS estimates,
  ${regionsOf(sql`estimate_history`)} AS historical_estimates, ${regionsOf(sql`listings`)} AS pricing_data`;

export const estimateOf = (row: EstimateJson): MarketEstimate => ({
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

export const storedPricesOf = (row: StoredPricesJson): StoredPrices => ({
  estimates: row.estimates?.map(estimateOf) ?? null,
  files: DATA_FILE_KINDS.flatMap((kind) => row[kind].map((region) => ({ kind, region }))),
});
