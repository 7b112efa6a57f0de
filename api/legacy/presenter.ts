import type { z } from 'zod';
import type { CatalogPage } from '../../models/catalog/catalog-service';
import { isProduct, type PricedItem, type Variant } from '../../models/catalog/item';
import type { IdentifiedItem } from '../../models/vision/vision-service';
import type { PublicAddress } from '../middleware/public-address';
import { mapped, type WithRows } from '../middleware/send-rows';
import { presentEstimate, presentPricing } from '../wire/presented-prices';
import { presentAttribute, presentPictures, presentTag, presentVariantField } from '../wire/presented-row';
import type { legacyAnswer, legacyMatch, legacyRow } from './answers';

/** The answer of v1 and v2 products (contract 8.4). */
export const presentLegacyPage = (
  page: CatalogPage,
  search: string,
  address: PublicAddress,
): WithRows<z.input<typeof legacyAnswer>> => ({
  success: true,
  data: mapped(page.rows, (row) => presentLegacyRow(row, address)),
  search,
  results: page.rows.length,
  total_results: page.total,
  page: page.page,
  total_pages: page.totalPages,
  stats: { id: countAttributes(page.rows), nbWordsMatched: page.wordsMatched },
  sort_applied: page.sortApplied,
});

/** One row with its prices, which v1 and v2 always carry (contract 2.3). */
function presentLegacyRow(item: PricedItem, address: PublicAddress): z.input<typeof legacyRow> {
  const best = item.maxMarketEstimate;
  return {
    id: item.id,
    name: item.name,
    attributes: item.attributes.map(presentAttribute),
    ...(isProduct(item) ? { variants: presentLegacyVariants(item, address) } : {}),
    popularity: item.popularity,
    ...presentPictures(item, address),
    ...(item.kind === 'category' ? { available_tags: (item.availableTags ?? []).map(presentTag) } : {}),
    ...(isProduct(item) ? {} : { max_market_estimate: best ? presentEstimate(best) : null }),
  };
}

const presentLegacyVariants = (item: PricedItem, address: PublicAddress) =>
  item.variants.map((variant: Variant) => ({
    id: variant.id,
    fields: variant.fields.map(presentVariantField),
    ...presentPricing(item.pricing?.get(variant.id), address),
    popularity: variant.popularity,
    ...presentPictures(variant, address),
  }));

/** How many rows of the page carry each attribute id (contract 8.4). */
function countAttributes(rows: readonly PricedItem[]): Record<string, number> {
  const counts = new Map<string, number>();
  for (const row of rows) {
    for (const id of new Set(row.attributes.map((attribute) => attribute.id))) {
      counts.set(id, (counts.get(id) ?? 0) + 1);
    }
  }
  return Object.fromEntries(counts);
}

/** One element of a v2 vision answer (contract 8.6); a taxonomy row has the same keys with no variants. */
export const presentLegacyMatch = (
  { item, confidence }: IdentifiedItem,
  address: PublicAddress,
): z.input<typeof legacyMatch> => ({
  label: labelOf(item),
  confidence,
  id: item.id,
  product: {
    id: item.id,
    updated_at: item.updatedAt.toISOString(),
    category_id: item.category,
    attributes: item.attributes.map(presentAttribute),
    variants: presentLegacyVariants(item, address),
    popularity: item.popularity,
    deleted: false,
    nbWordsMatched: 0,
  },
});

/** The item's name and its style; the style is named once, also where the name ends with it already. */
function labelOf(item: PricedItem): string {
  const style = item.attributes.find((attribute) => attribute.field === 'style')?.name ?? '';
  return style === '' || item.name.endsWith(style) ? item.name : `${item.name} ${style}`;
}
