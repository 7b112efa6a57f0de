import type { z } from 'zod';
import type { MarketEstimate, UrlEntry, VariantPricing } from '../../models/pricing/estimate';
import type { PublicAddress } from '../middleware/public-address';
import type { marketEstimate, prices } from './answers';

type Prices = { [Field in keyof typeof prices]: z.input<(typeof prices)[Field]> };

/** The three price fields of a variant (contract 2.1); all null where nothing is known. */
export function presentPricing(pricing: VariantPricing | undefined, address: PublicAddress): Prices {
  return {
    market_estimates: pricing?.marketEstimates?.map(presentEstimate) ?? null,
    historical_estimates: presentLinks(pricing?.historicalEstimates, address),
    pricing_data: presentLinks(pricing?.pricingData, address),
  };
}

/** One market estimate (contract 2.2). */
export const presentEstimate = (estimate: MarketEstimate): z.input<typeof marketEstimate> => ({
  source: estimate.source,
  region: estimate.region,
  A: estimate.A,
  B: estimate.B,
  C: estimate.C,
  D: estimate.D,
  currency: estimate.currency,
  estimated_at: estimate.estimatedAt.toISOString(),
  confidence: estimate.confidence,
});

const presentLinks = (entries: readonly UrlEntry[] | null | undefined, address: PublicAddress) =>
  entries?.map((entry) => ({ region: entry.region, url: address(entry.url) })) ?? null;
