import type { z } from 'zod';
import type { Module } from '../../models/catalog/catalog-query';
import type { ResolvedTaxonomy } from '../../models/catalog/catalog-service';
import { isProduct, type PricedItem } from '../../models/catalog/item';
import type { PublicAddress } from '../middleware/public-address';
import type { WithRows } from '../middleware/send-rows';
import { presentEstimate, presentPricing } from '../wire/presented-prices';
import { presentAttribute, presentPictures, presentTag, presentVariantField } from '../wire/presented-row';
import type { catalogAnswer, catalogRow } from './answers';

/** What decides which fields a row has. */
export interface View {
  readonly modules: readonly Module[];
  readonly address: PublicAddress;
}

interface Envelope {
  readonly data: Iterable<z.input<typeof catalogRow>>;
  /** Rows in `data`. */
  readonly results: number;
  readonly total: number;
  readonly page: number;
  readonly totalPages: number;
  readonly creditsUsed: number;
  readonly modules: readonly Module[];
  readonly resolvedTaxonomy: ResolvedTaxonomy | null;
  /** Queries only. */
  readonly sortApplied?: string;
}

/** The answer of every v3 endpoint (contract 4.10). */
export const presentEnvelope = (answer: Envelope): WithRows<z.input<typeof catalogAnswer>> => ({
  success: true,
  results: answer.results,
  total_results: answer.total,
  page: answer.page,
  total_pages: answer.totalPages,
  credits_used: answer.creditsUsed,
  includes: [...answer.modules],
  resolved_taxonomy: {
    node: answer.resolvedTaxonomy?.node ?? null,
    level: answer.resolvedTaxonomy?.level ?? null,
  },
  ...(answer.sortApplied === undefined ? {} : { sort_applied: answer.sortApplied }),
  data: answer.data,
});

/** One row (contract 1.2); `confidence` in vision answers only. */
export function presentItem(item: PricedItem, view: View, confidence?: number): z.input<typeof catalogRow> {
  const taxonomy = view.modules.includes('taxonomy');
  const pricing = view.modules.includes('pricing');
  const best = item.maxMarketEstimate;
  return {
    id: item.id,
    name: item.name,
    ...(confidence === undefined ? {} : { confidence }),
    popularity: item.popularity,
    ...presentPictures(item, view.address),
    ...(taxonomy ? { attributes: item.attributes.map(presentAttribute) } : {}),
    ...(isProduct(item)
      ? { variants: item.variants.map((variant) => presentVariant(item, variant, view)) }
      : {}),
    ...(item.kind === 'category' ? { available_tags: (item.availableTags ?? []).map(presentTag) } : {}),
    ...(pricing && !isProduct(item) ? { max_market_estimate: best ? presentEstimate(best) : null } : {}),
  };
}

function presentVariant(item: PricedItem, variant: PricedItem['variants'][number], view: View) {
  return {
    id: variant.id,
    ...(view.modules.includes('taxonomy') ? { fields: variant.fields.map(presentVariantField) } : {}),
    ...presentPictures(variant, view.address),
    popularity: variant.popularity,
    ...(view.modules.includes('pricing')
      ? { pricing: presentPricing(item.pricing?.get(variant.id), view.address) }
      : {}),
  };
}
