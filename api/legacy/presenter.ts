import type { z } from 'zod';
import type { CatalogPage } from '../../models/catalog/catalog-service';
import { type CatalogItem, isProduct } from '../../models/catalog/item';
import type { Identification } from '../../models/vision/vision-service';
import type { Links } from '../middleware/links';
import { lazyMap } from '../middleware/send-answer';
import * as rows from '../wire/presented-row';
import type { legacyRow } from './answers';

/** The answer of v1 and v2 products (contract 8.4). */
export const presentLegacyPage = (page: CatalogPage, search: string, links: Links) => ({
  search,
  results: page.rows.length,
  total_results: page.total,
  page: page.page,
  total_pages: page.totalPages,
  stats: { id: countAttributes(page.rows), nbWordsMatched: page.wordsMatched },
  sort_applied: page.sortApplied,
  data: lazyMap(page.rows, (row) => presentLegacyRow(row, links)),
});

/** One row with its prices, which v1 and v2 always carry (contract 2.3). */
const presentLegacyRow = (item: CatalogItem, links: Links): z.input<typeof legacyRow> => ({
  id: item.id,
  name: item.name,
  attributes: item.attributes.map(rows.presentAttribute),
  variants: isProduct(item) ? presentLegacyVariants(item, links) : undefined,
  popularity: item.popularity,
  ...rows.presentPictures(item, links.address),
  available_tags: item.kind === 'category' ? (item.availableTags ?? []).map(rows.presentTag) : undefined,
  max_market_estimate: isProduct(item) ? undefined : rows.presentMaxEstimate(item),
});

const presentLegacyVariants = (item: CatalogItem, links: Links) =>
  item.variants.map((variant) => ({
    id: variant.id,
    fields: variant.fields.map(rows.presentVariantField),
    ...rows.presentPricing(variant, links),
    popularity: variant.popularity,
    ...rows.presentPictures(variant, links.address),
  }));

/** How many rows of the page carry each attribute id (contract 8.4). */
function countAttributes(rows: readonly CatalogItem[]): Record<string, number> {
  const counts = new Map<string, number>();
  for (const row of rows) {
    for (const id of new Set(row.attributes.map((attribute) => attribute.id))) {
      counts.set(id, (counts.get(id) ?? 0) + 1);
    }
  }
  return Object.fromEntries(counts);
}

/** The answer of v2 vision (contract 8.6); a taxonomy row has the same keys with no variants. */
export const presentLegacyIdentification = (
  { items, totalMs, predictionId }: Identification,
  links: Links,
) => ({
  results: items.map(({ item, confidence }) => ({
    label: labelOf(item),
    confidence,
    id: item.id,
    product: {
      id: item.id,
      updated_at: item.updatedAt.toISOString(),
      category_id: item.category,
      attributes: item.attributes.map(rows.presentAttribute),
      variants: presentLegacyVariants(item, links),
      popularity: item.popularity,
      deleted: false,
      nbWordsMatched: 0,
    },
  })),
  processingTime: totalMs,
  predictionId,
});

/** The item's name and its style; the style is named once, even if the name already ends with it. */
function labelOf(item: CatalogItem): string {
  const style = item.attributes.find((attribute) => attribute.field === 'style')?.name ?? '';
  return style === '' || item.name.endsWith(style) ? item.name : `${item.name} ${style}`;
}
