import type { z } from 'zod';
import type { FacetValue, Module } from '../../models/catalog/catalog-query';
import type { CatalogPage, FoundItems, ResolvedTaxonomy } from '../../models/catalog/catalog-service';
import { type CatalogItem, isProduct, type Variant } from '../../models/catalog/item';
import type { Suggestion } from '../../models/catalog/suggestion';
import type { Feedback } from '../../models/ports';
import type { SimilarItems } from '../../models/vision/similar-service';
import type { Identification, IdentifiedItem, ItemEvidence } from '../../models/vision/vision-service';
import type { Links, PublicAddress } from '../middleware/links';
import { mapped, type WithRows } from '../middleware/send-answer';
import {
  presentAttribute,
  presentEstimate,
  presentPictures,
  presentPricing,
  presentTag,
  presentVariantField,
} from '../wire/presented-row';
import type {
  catalogRow,
  evidence,
  feedbackAnswer,
  identifyAnswer,
  itemAnswer,
  itemsAnswer,
  matchedRow,
  queryAnswer,
  similarAnswer,
  suggestAnswer,
} from './answers';

/** What decides which fields a row has. */
export interface View extends Links {
  readonly modules: readonly Module[];
  readonly taxonomy: boolean;
  readonly pricing: boolean;
}

/** @param includes modules as they were asked for: each is echoed and billed once, in this order */
export function viewOf(includes: readonly Module[], links: Links): View {
  const modules = [...new Set(includes)];
  const has = (module: Module) => modules.includes(module);
  return { modules, taxonomy: has('taxonomy'), pricing: has('pricing'), ...links };
}

/** A page of a query (contract 4.10); rows are made as they are written. */
export const presentPage = (
  page: CatalogPage,
  creditsUsed: number,
  view: View,
): WithRows<z.input<typeof queryAnswer>> => ({
  success: true,
  results: page.rows.length,
  total_results: page.total,
  page: page.page,
  total_pages: page.totalPages,
  credits_used: creditsUsed,
  includes: [...view.modules],
  resolved_taxonomy: presentTaxonomy(page.resolvedTaxonomy),
  sort_applied: page.sortApplied,
  ...(page.nextCursor === undefined ? {} : { next_cursor: page.nextCursor }),
  ...(page.facets && { facets: presentFacets(page.facets) }),
  data: mapped(page.rows, (row) => presentItem(row, view)),
});

const presentFacets = (facets: ReadonlyMap<string, readonly FacetValue[]>) =>
  Object.fromEntries(
    Array.from(facets, ([field, values]) => [
      field,
      values.map(({ id, name, count }) => ({ id, name, count })),
    ]),
  );

/** What an answer is about (contract 1.9). */
const presentTaxonomy = (resolved: ResolvedTaxonomy | null) => ({
  node: resolved?.node ?? null,
  level: resolved?.level ?? null,
});

/** Rows that are all on one page. */
const presentRows = <Rows extends Iterable<object>>(
  data: Rows,
  {
    items: { length },
    resolvedTaxonomy,
  }: Pick<FoundItems, 'resolvedTaxonomy'> & { items: readonly unknown[] },
  creditsUsed: number,
  { modules }: View,
) => ({
  success: true as const,
  results: length,
  total_results: length,
  page: 0,
  total_pages: length === 0 ? 0 : 1,
  credits_used: creditsUsed,
  includes: [...modules],
  resolved_taxonomy: presentTaxonomy(resolvedTaxonomy),
  data,
});

/** What photos show (contract 7.8). */
export function presentIdentification(
  found: Identification,
  creditsUsed: number,
  view: View,
): WithRows<z.input<typeof identifyAnswer>> {
  const data = mapped(found.items, (match) => presentMatch(match, view));
  return presentRows(data, found, creditsUsed, view);
}

/** The row that was looked up (contract 6.1). */
export function presentFound(found: FoundItems, creditsUsed: number, view: View): z.input<typeof itemAnswer> {
  const data = found.items.map((row) => presentItem(row, view));
  return presentRows(data, found, creditsUsed, view);
}

/** The answer to several ids (contract 6.7). */
export function presentItems(
  found: FoundItems,
  creditsUsed: number,
  view: View,
): WithRows<z.input<typeof itemsAnswer>> {
  const data = mapped(found.items, (row) => presentItem(row, view));
  const { data: _last, ...page } = presentRows(data, found, creditsUsed, view);
  return { ...page, not_found: [...found.notFound], data };
}

/** Rows that look like another (contract 6.4). */
export function presentSimilar(
  found: SimilarItems,
  creditsUsed: number,
  view: View,
): WithRows<z.input<typeof similarAnswer>> {
  const data = mapped(found.items, ({ item, similarity }) => ({ ...presentItem(item, view), similarity }));
  return presentRows(data, found, creditsUsed, view);
}

/** A row that photos show. */
function presentMatch(
  { item, confidence, evidence: reasons }: IdentifiedItem,
  view: View,
): z.input<typeof matchedRow> {
  const { id, name, ...row } = presentItem(item, view);
  const why = reasons ? { evidence: presentEvidence(reasons, view.address) } : {};
  return { id, name, confidence, ...row, ...why };
}

/** One row (contract 1.2). */
function presentItem(item: CatalogItem, view: View): z.input<typeof catalogRow> {
  const { taxonomy, pricing } = view;
  const best = item.maxMarketEstimate;
  return {
    id: item.id,
    name: item.name,
    ...presentOwnFields(item),
    popularity: item.popularity,
    ...presentPictures(item, view.address),
    ...(taxonomy ? { attributes: item.attributes.map(presentAttribute) } : {}),
    ...(isProduct(item) ? { variants: item.variants.map((variant) => presentVariant(variant, view)) } : {}),
    ...(item.kind === 'category' ? { available_tags: (item.availableTags ?? []).map(presentTag) } : {}),
    ...(pricing && !isProduct(item) ? { max_market_estimate: best ? presentEstimate(best) : null } : {}),
  };
}

/** Those that the product has (contract 1.10). */
const presentOwnFields = ({ title, sku, url, data }: CatalogItem) => ({
  ...(title === undefined ? {} : { title }),
  ...(sku === undefined ? {} : { sku }),
  ...(url === undefined ? {} : { url }),
  ...(data === undefined ? {} : { data }),
});

function presentVariant(variant: Variant, view: View) {
  return {
    id: variant.id,
    ...(view.taxonomy ? { fields: variant.fields.map(presentVariantField) } : {}),
    ...presentPictures(variant, view.address),
    popularity: variant.popularity,
    ...(view.pricing ? { pricing: presentPricing(variant, view) } : {}),
  };
}

/** Why a row was answered (contract 7.17). */
const presentEvidence = (
  { image, photo, similarity, margin, photos, levels }: ItemEvidence,
  address: PublicAddress,
): z.input<typeof evidence> => ({
  image: address(image),
  photo,
  similarity,
  margin,
  photos: photos.map((each) => ({ similarity: each.similarity, agrees: each.agrees })),
  levels: levels.map(({ confidence, ...attribute }) => ({ ...presentAttribute(attribute), confidence })),
});

/** What is kept of a prediction's feedback (contract 7.18). */
export const presentFeedback = (
  predictionId: string,
  { correctId, comment, right }: Feedback,
): z.input<typeof feedbackAnswer> => ({
  success: true,
  prediction_id: predictionId,
  correct_id: correctId,
  comment,
  right,
  credits_used: 0,
});

/** What completes a text (contract 5.11). */
export const presentSuggestions = (suggestions: readonly Suggestion[]): z.input<typeof suggestAnswer> => ({
  success: true,
  results: suggestions.length,
  credits_used: 0,
  data: suggestions.map(({ id, name, kind, attributes, matched }) => ({
    id,
    name,
    node: kind,
    attributes: attributes.map(presentAttribute),
    matched: matched.map(([from, to]) => [from, to]),
  })),
});
