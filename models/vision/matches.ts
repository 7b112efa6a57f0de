import type { Calibration, LogisticCalibration } from './embedding-model';
import type { Neighbour } from './neighbours';

/** A catalog row that may be what the photo shows. */
export interface Match {
  readonly id: string;
  /** Calibrated probability that the row is right, 0 to 1. */
  readonly confidence: number;
}

/** Taxonomy ids of a candidate product, innermost first (style before brand), for the back-off. */
export type Ancestry = ReadonlyMap<string, readonly string[]>;

/** Rows an identification answers with at most (decisions.md 8). */
export const MATCHES_MAX = 10;

/** Confidence from which an answer counts as sure: more likely right than wrong. */
const SURE = 0.5;

interface Scored {
  readonly id: string;
  readonly similarity: number;
}

/**
 * Products by their nearest image: every image of a product and its variants counts, the best one decides.
 * Ordered by similarity, ties by id.
 *
 * @param neighbours catalog images near the photo
 * @param productsShowing the live products that show each image
 */
export function scoreProducts(
  neighbours: readonly Neighbour[],
  productsShowing: ReadonlyMap<number, readonly string[]>,
): Scored[] {
  const best = new Map<string, number>();
  for (const neighbour of neighbours) {
    const similarity = 1 - neighbour.distance;
    for (const id of productsShowing.get(neighbour.imageId) ?? []) {
      if (similarity > (best.get(id) ?? Number.NEGATIVE_INFINITY)) best.set(id, similarity);
    }
  }
  return [...best].map(([id, similarity]) => ({ id, similarity })).sort(bySimilarity);
}

/**
 * The rows to answer with, best first, none below the floor (decisions.md 8). When no product is sure but a style,
 * model or brand that several candidates share is, that taxonomy row comes first with its own confidence.
 *
 * @param products scored candidates, as `scoreProducts` gives them
 * @param ancestry taxonomy ids of each candidate, innermost first
 * @param calibration the model version's
 * @param floor confidence below which nothing is returned
 * @param unseen similarity that products beyond the candidates may have at most; 0 when there are none
 */
export function rankMatches(
  products: readonly Scored[],
  ancestry: Ancestry,
  calibration: Calibration,
  floor: number,
  unseen: number,
): Match[] {
  const ranked = products.map((product) => ({
    id: product.id,
    confidence: confidenceOf(
      calibration.confidence,
      product.similarity,
      marginOf(products, unseen, (id) => id === product.id),
    ),
  }));
  const best = ranked[0];
  const node = best && best.confidence < SURE ? surestNode(products, ancestry, calibration, unseen) : null;
  const rows = node && node.confidence >= SURE ? [node, ...ranked] : ranked;
  return rows.filter((match) => match.confidence >= floor).slice(0, MATCHES_MAX);
}

/** The innermost taxonomy node of the best candidate that is sure, with at least two candidates below it. */
function surestNode(
  products: readonly Scored[],
  ancestry: Ancestry,
  calibration: Calibration,
  unseen: number,
): Match | null {
  const best = products[0];
  if (!best) return null;
  for (const node of ancestry.get(best.id) ?? []) {
    const below = (id: string) => ancestry.get(id)?.includes(node) ?? false;
    if (products.filter((product) => below(product.id)).length < 2) continue;
    const confidence = confidenceOf(
      calibration.confidence,
      best.similarity,
      marginOf(products, unseen, below),
    );
    if (confidence >= SURE) return { id: node, confidence };
  }
  return null;
}

/** How far the best candidate of a group stands above the best outside of it, seen or unseen. */
function marginOf(products: readonly Scored[], unseen: number, inside: (id: string) => boolean): number {
  const best = products.find((product) => inside(product.id));
  const rival = products.find((product) => !inside(product.id));
  return best ? best.similarity - (rival?.similarity ?? unseen) : 0;
}

function confidenceOf(calibration: LogisticCalibration, similarity: number, margin: number): number {
  const logit = calibration.bias + calibration.similarity * similarity + calibration.margin * margin;
  return 1 / (1 + Math.exp(-logit));
}

function bySimilarity(left: Scored, right: Scored): number {
  if (left.similarity !== right.similarity) return right.similarity - left.similarity;
  return left.id < right.id ? -1 : 1;
}
