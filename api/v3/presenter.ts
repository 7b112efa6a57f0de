import type { z } from 'zod';
import type { Module } from '../../models/catalog/catalog-query';
import type { CatalogPage, FoundItems, ResolvedTaxonomy } from '../../models/catalog/catalog-service';
import { type CatalogItem, isProduct } from '../../models/catalog/item';
import type { Suggestion } from '../../models/catalog/suggestion-service';
import type { Feedback } from '../../models/ports';
import type { SimilarItems } from '../../models/vision/similar-service';
import type { Identification } from '../../models/vision/vision-service';
import type { Links } from '../middleware/links';
import { lazyMap } from '../middleware/send-answer';
import * as rows from '../wire/presented-row';
import type { catalogRow, evidence } from './answers';

export type View = Links & Readonly<{ modules: readonly Module[]; taxonomy: boolean; pricing: boolean }>;

/** @param includes modules as requested: each is echoed and billed once, in this order */
export function viewOf(includes: readonly Module[], links: Links): View {
  const modules = [...new Set(includes)];
  const has = (module: Module) => modules.includes(module);
  return { modules, taxonomy: has('taxonomy'), pricing: has('pricing'), ...links };
}

/** A page of a query (contract 4.10); rows are made as they are written. Fields that an answer does not have are undefined. */
export const presentPage = (page: CatalogPage, creditsUsed: number, view: View) => ({
  results: page.rows.length,
  total_results: page.total,
  page: page.page,
  total_pages: page.totalPages,
  credits_used: creditsUsed,
  includes: [...view.modules],
  resolved_taxonomy: presentTaxonomy(page.resolvedTaxonomy),
  sort_applied: page.sortApplied,
  next_cursor: page.nextCursor,
  facets:
    page.facets &&
    Object.fromEntries(
      Array.from(page.facets, ([field, values]) => [
        field,
        values.map(({ id, name, count }) => ({ id, name, count })),
      ]),
    ),
  data: lazyMap(page.rows, (row) => presentItem(row, view)),
});

/** What an answer is about (contract 1.9). */
const presentTaxonomy = (resolved: ResolvedTaxonomy | null) => ({
  node: resolved?.node ?? null,
  level: resolved?.level ?? null,
});

const presentRows = <Item, Row>(
  { items, resolvedTaxonomy }: Pick<FoundItems, 'resolvedTaxonomy'> & { readonly items: readonly Item[] },
  creditsUsed: number,
  { modules }: View,
  present: (item: Item) => Row,
) => ({
  results: items.length,
  total_results: items.length,
  page: 0,
  total_pages: items.length === 0 ? 0 : 1,
  credits_used: creditsUsed,
  includes: [...modules],
  resolved_taxonomy: presentTaxonomy(resolvedTaxonomy),
  data: lazyMap(items, present),
});

/** The answer to photos (contract 7.8), each row with why it was returned (contract 7.17). */
export const presentIdentification = (found: Identification, creditsUsed: number, view: View) =>
  presentRows(found, creditsUsed, view, ({ item, confidence, evidence: why }) => {
    const { id, name, ...row } = presentItem(item, view);
    const reasons: z.input<typeof evidence> | undefined = why && {
      image: view.address(why.image),
      photo: why.photo,
      similarity: why.similarity,
      margin: why.margin,
      photos: why.photos.map(({ similarity, agrees }) => ({ similarity, agrees })),
      levels: why.levels.map((level) => ({ ...rows.presentAttribute(level), confidence: level.confidence })),
    };
    return { id, name, confidence, ...row, evidence: reasons };
  });

/** The row that was looked up (contract 6.1). */
export const presentFound = (found: FoundItems, creditsUsed: number, view: View) => {
  const answer = presentRows(found, creditsUsed, view, (row) => presentItem(row, view));
  return { ...answer, data: [...answer.data] };
};

/** The answer to several ids (contract 6.7). */
export function presentItems(found: FoundItems, creditsUsed: number, view: View) {
  const { data, ...page } = presentRows(found, creditsUsed, view, (row) => presentItem(row, view));
  return { ...page, not_found: [...found.notFound], data };
}

/** Rows that look like another (contract 6.4). */
export const presentSimilar = (found: SimilarItems, creditsUsed: number, view: View) =>
  presentRows(found, creditsUsed, view, ({ item, similarity }) => ({
    ...presentItem(item, view),
    similarity,
  }));

/** One row (contract 1.2, 1.4, 1.5, 1.7). */
function presentItem(item: CatalogItem, view: View): z.input<typeof catalogRow> {
  const isOfProduct = isProduct(item);
  return {
    id: item.id,
    name: item.name,
    title: item.title,
    sku: item.sku,
    url: item.url,
    data: item.data,
    popularity: item.popularity,
    ...rows.presentPictures(item, view.address),
    attributes: view.taxonomy ? item.attributes.map(rows.presentAttribute) : undefined,
    variants: isOfProduct
      ? item.variants.map((variant) => ({
          id: variant.id,
          fields: view.taxonomy ? variant.fields.map(rows.presentVariantField) : undefined,
          ...rows.presentPictures(variant, view.address),
          popularity: variant.popularity,
          pricing: view.pricing ? rows.presentPricing(variant, view) : undefined,
        }))
      : undefined,
    available_tags: item.kind === 'category' ? (item.availableTags ?? []).map(rows.presentTag) : undefined,
    max_market_estimate: view.pricing && !isOfProduct ? rows.presentMaxEstimate(item) : undefined,
  };
}

/** The stored feedback on a prediction (contract 7.18). */
export const presentFeedback = (predictionId: string, { correctId, comment, right }: Feedback) => ({
  prediction_id: predictionId,
  correct_id: correctId,
  comment,
  right,
  credits_used: 0 as const,
});

/** Suggestions for a text (contract 5.11). */
export const presentSuggestions = (suggestions: readonly Suggestion[]) => ({
  results: suggestions.length,
  credits_used: 0 as const,
  data: suggestions.map(({ id, name, kind, attributes, matched }) => ({
    id,
    name,
    node: kind,
    attributes: attributes.map(rows.presentAttribute),
    matched: matched.map(([from, to]) => [from, to]),
  })),
});
