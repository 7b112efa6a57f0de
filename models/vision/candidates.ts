import type { Neighbour } from './neighbours';

/** Catalog images asked of the index; several belong to one product, hence more than the ten rows. */
export const NEIGHBOURS = 60;

/** Products that are looked at closely: twice the rows of an answer, so that a shared style or brand shows. */
const CANDIDATES = 20;

/** A product that may be what the photo shows, with the cosine similarity of its nearest pictures. */
export interface Candidate {
  readonly id: string;
  /** Of the nearest pair of a view of the photo and a view of a picture of the product. */
  readonly similarity: number;
  /** The same for each view of the photo. */
  readonly byView: readonly number[];
}

/**
 * Products near a photo: every picture of a product and its variants counts, and of each view of the photo the nearest. Best
 * first by the nearest pair and the mean over the photo's views together, ties by id: of two products with an equally near
 * pair the one is right that more views see. (Measured against the nearest pair alone: docs/model-card.md.)
 *
 * @param neighbours catalog pictures near the photo
 * @param productsShowing the live products that show each picture
 */
export function candidatesOf(
  neighbours: readonly Neighbour[],
  productsShowing: ReadonlyMap<number, readonly string[]>,
): Candidate[] {
  const best = new Map<string, number[]>();
  for (const { imageId, distance, byView = [distance] } of neighbours) {
    for (const id of productsShowing.get(imageId) ?? []) {
      const known = best.get(id) ?? [];
      best.set(
        id,
        byView.map((each, view) => Math.max(1 - each, known[view] ?? -1)),
      );
    }
  }
  return [...best]
    .map(([id, byView]) => ({ id, similarity: Math.max(...byView), byView }))
    .sort((left, right) => scoreOf(right) - scoreOf(left) || (left.id < right.id ? -1 : 1));
}

/**
 * The products that are looked at closely, and the similarity that those beyond them may have at most; 0 when there are
 * none.
 *
 * @param near as `candidatesOf` gives them
 * @param neighbours how many pictures they were made of: with fewer than were asked for, the index has no more
 */
export function shortlistOf(
  near: readonly Candidate[],
  neighbours: number,
): { scored: readonly Candidate[]; unseen: number } {
  const scored = near.slice(0, CANDIDATES);
  const isAll = near.length <= CANDIDATES && neighbours < NEIGHBOURS;
  return { scored, unseen: isAll ? 0 : (scored.at(-1)?.similarity ?? 0) };
}

const scoreOf = ({ similarity, byView }: Candidate): number =>
  similarity + byView.reduce((sum, each) => sum + each, 0) / byView.length;
