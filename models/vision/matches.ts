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

/** Rows an identification answers with at most (decisions.md 8). */
export const MATCHES_MAX = 10;

/** Confidence from which an answer counts as sure: more likely right than wrong. */
const SURE = 0.5;

/**
 * The rows to answer with, best first, none below the floor (decisions.md 8). When no product is sure but a style,
 * model or brand that several candidates share is, that taxonomy row comes first with its own confidence.
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
): Match[] {
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
  const node = best && best.confidence < SURE ? surestNode(candidates, ancestry, sureness) : null;
  const rows = node ? [node, ...ranked] : ranked;
  return rows.filter((match) => match.confidence >= floor).slice(0, MATCHES_MAX);
}

/** The innermost taxonomy node of the best candidate that is sure, with at least two candidates below it. */
function surestNode(
  candidates: readonly Candidate[],
  ancestry: Ancestry,
  sureness: (inside: (candidate: Candidate) => boolean) => number,
): Match | null {
  const best = candidates[0];
  for (const id of best ? (ancestry.get(best.id) ?? []) : []) {
    const below = (candidate: Candidate) => ancestry.get(candidate.id)?.includes(id) ?? false;
    if (candidates.filter(below).length < 2) continue;
    const confidence = sureness(below);
    if (confidence >= SURE) return { id, confidence };
  }
  return null;
}
