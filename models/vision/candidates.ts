import type { Neighbour } from './neighbours';

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

const scoreOf = ({ similarity, byView }: Candidate): number =>
  similarity + byView.reduce((sum, each) => sum + each, 0) / byView.length;
