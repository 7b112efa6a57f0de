import {
  DATA_FILE_KINDS,
  type MarketEstimate,
  REGIONS,
  type StoredPrices,
} from '../../models/pricing/estimate';
import { sql } from '../core/sql';

/** A market estimate as JSON has it. */
export type EstimateJson = Omit<MarketEstimate, 'estimatedAt'> & { readonly estimated_at: string };

/** What `STORED_PRICES` selects. */
export interface StoredPricesJson {
  readonly estimates: readonly EstimateJson[] | null;
  readonly files: StoredPrices['files'] | null;
}

/** The prices of the variant `v` as JSON: estimates by source, then region; files by kind, then region. */
export const STORED_PRICES = sql`json_build_object(
  'estimates',
  (SELECT json_agg(json_build_object('source', e.source, 'region', e.region, 'A', e.a, 'B', e.b, 'C', e.c, 'D', e.d,
            'currency', e.currency, 'estimated_at', e.estimated_at, 'confidence', e.confidence)
            ORDER BY e.source, e.region)
   FROM market_estimates e WHERE e.variant_id = v.id),
  'files',
  (SELECT json_agg(json_build_object('kind', kind, 'region', region) ORDER BY kind_at, region_at)
   FROM unnest(${DATA_FILE_KINDS}::text[]) WITH ORDINALITY AS kinds (kind, kind_at)
   CROSS JOIN unnest(${REGIONS}::text[]) WITH ORDINALITY AS regions (region, region_at)
   WHERE CASE kind
     WHEN 'historical_estimates' THEN
       EXISTS (SELECT FROM estimate_history h WHERE h.variant_id = v.id AND h.region = regions.region)
     ELSE EXISTS (SELECT FROM listings l WHERE l.variant_id = v.id AND l.region = regions.region)
   END))`;

export const estimateOf = ({ estimated_at, ...estimate }: EstimateJson): MarketEstimate => ({
  ...estimate,
  estimatedAt: new Date(estimated_at),
});

export const storedPricesOf = ({ estimates, files }: StoredPricesJson): StoredPrices => ({
  estimates: estimates?.map(estimateOf) ?? null,
  files: files ?? [],
});
