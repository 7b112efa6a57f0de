import type { Candidate } from './candidates';
import { confidenceOf, signalsOf } from './confidence';
import type { Calibration } from './embedding-model';

/** A catalog row that may be what the photo shows. */
export interface Match {
  readonly id: string;
  /** Calibrated probability that the row is right, 0 to 1. */
  readonly confidence: number;
}

/** Taxonomy ids of a candidate product, innermost first (style before brand), for the back-off. */
export type Ancestry = ReadonlyMap<string, readonly string[]>;

/** Rows an identification answers with at most (contract 7.8). */
export const MATCHES_MAX = 10;

/** Confidence from which an answer counts as sure: more likely right than wrong. */
const SURE = 0.5;

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
 * @param candidates as `candidatesOf` gives them, best first
 * @param ancestry taxonomy ids of each candidate, innermost first
 * @param calibration the model version's
 * @param floor confidence below which nothing is returned
 * @param unseen similarity that products beyond the candidates may have at most; 0 when there are none
 */
export function rankMatches(
  candidates: readonly Candidate[],
  ancestry: Ancestry,
  calibration: Calibration,
  floor: number,
  unseen: number,
): Ranking {
  const sureness = (inside: (candidate: Candidate) => boolean) =>
    confidenceOf(calibration.confidence, signalsOf(candidates, inside, unseen));
  // A lower place is never surer than the one above it, whatever its signals say of it alone.
  let highest = 1;
  const ranked = candidates.map((candidate) => {
    highest = Math.min(
      highest,
      sureness((each) => each === candidate),
    );
    return { id: candidate.id, confidence: highest };
  });
  const best = ranked[0];
  const nodes =
    best && best.confidence < Math.max(SURE, floor) ? sureNodes(candidates, ancestry, sureness) : [];
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

/** The taxonomy nodes of the best candidate that are sure, innermost first, each with at least two candidates below it. */
function sureNodes(
  candidates: readonly Candidate[],
  ancestry: Ancestry,
  sureness: (inside: (candidate: Candidate) => boolean) => number,
): Match[] {
  const best = candidates[0];
  const nodes = best ? (ancestry.get(best.id) ?? []) : [];
  return nodes.flatMap((id) => {
    const below = (candidate: Candidate) => ancestry.get(candidate.id)?.includes(id) ?? false;
    if (candidates.filter(below).length < 2) return [];
    const confidence = sureness(below);
    return confidence >= SURE ? [{ id, confidence }] : [];
  });
}
