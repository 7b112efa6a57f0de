import type { z } from 'zod';
import type { FacetValue, Module } from '../../models/catalog/catalog-query';
import type { ResolvedTaxonomy } from '../../models/catalog/catalog-service';
import { isProduct, type PricedItem } from '../../models/catalog/item';
import type { Suggestion } from '../../models/catalog/suggestion';
import type { Feedback } from '../../models/ports';
import type { SimilarItem } from '../../models/vision/similar-service';
import type { Identification, IdentifiedItem, ItemEvidence } from '../../models/vision/vision-service';
import type { PublicAddress } from '../middleware/public-address';
import type { WithRows } from '../middleware/send-rows';
import { presentEstimate, presentPricing } from '../wire/presented-prices';
import { presentAttribute, presentPictures, presentTag, presentVariantField } from '../wire/presented-row';
import type {
  catalogAnswer,
  catalogRow,
  evidence,
  feedbackAnswer,
  itemsAnswer,
  suggestAnswer,
} from './answers';

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
  /** Queries with a cursor only. */
  readonly nextCursor?: string | null;
  /** Where they were asked for. */
  readonly facets?: ReadonlyMap<string, readonly FacetValue[]>;
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
  ...(answer.nextCursor === undefined ? {} : { next_cursor: answer.nextCursor }),
  ...(answer.facets && { facets: presentFacets(answer.facets) }),
  data: answer.data,
});

const presentFacets = (facets: ReadonlyMap<string, readonly FacetValue[]>) =>
  Object.fromEntries(
    Array.from(facets, ([field, values]) => [
      field,
      values.map(({ id, name, count }) => ({ id, name, count })),
    ]),
  );

/** All rows of an answer that has one page. */
export const wholePage = ({ length }: { readonly length: number }) => ({
  results: length,
  total: length,
  page: 0,
  totalPages: length === 0 ? 0 : 1,
});

/** What photos show (contract 7.8). */
export function presentIdentification(
  { items, resolvedTaxonomy }: Identification,
  creditsUsed: number,
  view: View,
): WithRows<z.input<typeof catalogAnswer>> {
  const data = items.map(({ item, ...match }) => presentItem(item, view, match));
  return presentEnvelope({
    ...wholePage(data),
    ...{ data, creditsUsed, resolvedTaxonomy, modules: view.modules },
  });
}

/** The answer to several ids (contract 6.7). */
export const presentItems = (
  answer: Envelope,
  notFound: readonly string[],
): WithRows<z.input<typeof itemsAnswer>> => ({ ...presentEnvelope(answer), not_found: [...notFound] });

/** What a vision answer says of a row beside what the catalog has. */
export type PresentedMatch = Omit<IdentifiedItem, 'item'>;

/** One row (contract 1.2); `confidence` and `evidence` in vision answers only. */
export function presentItem(
  item: PricedItem,
  view: View,
  match?: PresentedMatch,
): z.input<typeof catalogRow> {
  const taxonomy = view.modules.includes('taxonomy');
  const pricing = view.modules.includes('pricing');
  const best = item.maxMarketEstimate;
  return {
    id: item.id,
    name: item.name,
    ...(match ? { confidence: match.confidence } : {}),
    popularity: item.popularity,
    ...presentPictures(item, view.address),
    ...(taxonomy ? { attributes: item.attributes.map(presentAttribute) } : {}),
    ...(isProduct(item)
      ? { variants: item.variants.map((variant) => presentVariant(item, variant, view)) }
      : {}),
    ...(item.kind === 'category' ? { available_tags: (item.availableTags ?? []).map(presentTag) } : {}),
    ...(pricing && !isProduct(item) ? { max_market_estimate: best ? presentEstimate(best) : null } : {}),
    ...(match?.evidence ? { evidence: presentEvidence(match.evidence, view.address) } : {}),
  };
}

/** A row that looks like another (contract 6.4). */
export const presentSimilar = (
  { item, similarity }: SimilarItem,
  view: View,
): z.input<typeof catalogRow> => ({
  ...presentItem(item, view),
  similarity,
});

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
