import { type CatalogItem, isProduct } from '../catalog/item';
import type { Taxonomy } from '../catalog/taxonomy';
import type { Candidate } from './candidates';
import { calibrationOf, confidenceOf, type Signals, signalsOf } from './confidence';
import type { Calibration, ModelManifest } from './embedding-model';

/** Taxonomy ids of each candidate product, innermost first (style before brand). */
export type Ancestry = ReadonlyMap<string, readonly string[]>;

/** A catalog row that may be what the photo shows. */
export interface Match {
  readonly id: string;
  /** Calibrated probability that the row is right, 0 to 1. */
  readonly confidence: number;
}

/** Rows an identification answers with at most (contract 7.8). */
export const MATCHES_MAX = 10;

/** Confidence from which an answer counts as sure: more likely right than wrong. */
const SURE = 0.5;

/** What was found of the photos of a call, and how it is judged. */
export interface Sighting {
  /** As `shortlistOf` gives them, best first. */
  readonly candidates: readonly Candidate[];
  /** Similarity that products beyond the candidates may have at most; 0 when there are none. */
  readonly unseen: number;
  readonly ancestry: Ancestry;
  /** Of the model version. */
  readonly calibration: Calibration;
}

/**
 * What was found under a model, with the ancestry of products by the hierarchies of their categories.
 *
 * @param shortlist as `shortlistOf` gives it
 * @param products those of the shortlist, and others whose ancestry matters
 */
export function sightingOf(
  shortlist: Pick<Sighting, 'candidates' | 'unseen'>,
  products: readonly CatalogItem[],
  taxonomy: Taxonomy,
  manifest: Pick<ModelManifest, 'calibration'>,
): Sighting {
  const lineages = products.filter(isProduct).map(({ id, category, attributes }) => {
    const inwards = [...(taxonomy.find(category)?.hierarchy ?? [])].reverse();
    const idsOf = (field: string) => attributes.filter((each) => each.field === field).map((each) => each.id);
    return [id, inwards.flatMap(idsOf)] as const;
  });
  return { ...shortlist, ancestry: new Map(lineages), calibration: calibrationOf(manifest) };
}

/** What the candidates say: products, and the taxonomy rows that may stand in for them. */
export interface Ranking {
  /** Best first. */
  readonly products: readonly Match[];
  /** Where no product is sure, or above the floor: the taxonomy rows that are, innermost first. Whether they still exist is not known. */
  readonly nodes: readonly Match[];
}

/**
 * Ranks the candidates; nothing is below the floor.
 *
 * @param floor confidence below which nothing is returned
 */
export function rankMatches(sighting: Sighting, floor: number): Ranking {
  // A lower place is never surer than the one above it, whatever its signals say of it alone.
  let highest = 1;
  const ranked = sighting.candidates.map(({ id }) => {
    highest = Math.min(highest, judgementOf(sighting, id).confidence);
    return { id, confidence: highest };
  });
  const best = ranked[0];
  const nodes = best && best.confidence < Math.max(SURE, floor) ? sureNodes(sighting, best.id) : [];
  const isAboveFloor = (match: Match) => match.confidence >= floor;
  return { products: ranked.filter(isAboveFloor), nodes: nodes.filter(isAboveFloor) };
}

/**
 * The rows to answer with, at most ten: the innermost taxonomy row that still exists comes before the products.
 *
 * @param isLive whether the catalog has the row
 */
export function matchesOf({ products, nodes }: Ranking, isLive: (id: string) => boolean): Match[] {
  const node = nodes.find(({ id }) => isLive(id));
  return (node ? [node, ...products] : products).slice(0, MATCHES_MAX);
}

/** What speaks for a row of an answer. */
export interface Evidence {
  /** The product nearest to the photos, and its picture that is nearest. */
  readonly product: string;
  readonly imageId: number;
  /** Position of the photo that it is nearest to. */
  readonly photo: number;
  /** Cosine of the nearest pair of views, of several photos the mean; and how far it is above that of the best rival. */
  readonly similarity: number;
  readonly margin: number;
  /** For each photo the similarity, and whether nothing is nearer to it. */
  readonly photos: readonly { readonly similarity: number; readonly agrees: boolean }[];
  /** The taxonomy row itself or those above a product, innermost first; an outer one is never less sure. */
  readonly levels: readonly Match[];
}

/** What speaks for a row, a product or a taxonomy row; null for one that no candidate belongs to. */
export function evidenceFor(sighting: Sighting, id: string): Evidence | null {
  const inside = belongsTo(id, sighting.ancestry);
  const best = sighting.candidates.find(inside);
  if (!best) return null;
  const rivals = sighting.candidates.filter((candidate) => !inside(candidate));
  const photos = best.byPhoto.map((views, photo) => {
    const similarity = Math.max(...views);
    const rival = Math.max(...rivals.map(({ byPhoto }) => Math.max(...(byPhoto[photo] ?? []))));
    return { similarity, agrees: similarity >= rival };
  });
  const nearest = photos.reduce((most, { similarity }) => Math.max(most, similarity), -1);
  const { confidence, signals } = judgementOf(sighting, id);
  const lineage = sighting.ancestry.get(best.id) ?? [];
  let surest = confidence;
  const levels = lineage.slice(Math.max(0, lineage.indexOf(id))).map((node) => {
    surest = Math.max(surest, judgementOf(sighting, node).confidence);
    return { id: node, confidence: surest };
  });
  const photo = photos.findIndex((each) => each.similarity === nearest);
  const { similarity, margin } = signals;
  return { product: best.id, imageId: best.imageId, photo, similarity, margin, photos, levels };
}

/** What speaks for a row, and the calibrated confidence that it is what the photos show. */
export interface Judgement {
  readonly confidence: number;
  readonly signals: Signals;
}

/** Judges a row: a product, or a taxonomy row with all candidates below it. */
export function judgementOf({ candidates, unseen, ancestry, calibration }: Sighting, id: string): Judgement {
  const signals = signalsOf(candidates, belongsTo(id, ancestry), unseen);
  const isProduct = candidates.some((candidate) => candidate.id === id);
  const fitted = (isProduct ? null : calibration.taxonomy) ?? calibration.confidence;
  return { confidence: confidenceOf(fitted, signals), signals };
}

/** What speaks for each taxonomy row above a product, innermost first. */
export const levelsOf = (sighting: Sighting, product: string): { id: string; signals: Signals }[] =>
  (sighting.ancestry.get(product) ?? []).map((id) => ({ id, signals: judgementOf(sighting, id).signals }));

const belongsTo =
  (id: string, ancestry: Ancestry) =>
  (candidate: Candidate): boolean =>
    candidate.id === id || (ancestry.get(candidate.id)?.includes(id) ?? false);

/** The taxonomy nodes of the best candidate that are sure, innermost first, each with at least two candidates below it. */
function sureNodes(sighting: Sighting, best: string): Match[] {
  return (sighting.ancestry.get(best) ?? []).flatMap((id) => {
    if (sighting.candidates.filter(belongsTo(id, sighting.ancestry)).length < 2) return [];
    const { confidence } = judgementOf(sighting, id);
    return confidence >= SURE ? [{ id, confidence }] : [];
  });
}
