import type { Neighbour } from './neighbours';

/** Catalog images asked of the index; several belong to one product, hence more than the ten rows. */
export const NEIGHBOURS = 60;

/** Products that look like another, in an answer at most (contract 6.3). */
export const SIMILAR_MAX = 10;

/** Products that are looked at closely: twice the rows of an answer, so that a shared style or brand shows. */
const CANDIDATES = 20;

/** A product that may be what the photos show, with the cosine similarity of its nearest pictures. */
export interface Candidate {
  readonly id: string;
  /** Of the nearest pair of a view of a photo and a view of a picture of the product; of several photos the mean. */
  readonly similarity: number;
  /** The nearest similarity of each view of each photo. */
  readonly byPhoto: readonly (readonly number[])[];
  /** The picture of the nearest pair. */
  readonly imageId: number;
}

/** What is left of a distance even when all views match perfectly, so that the ratio of two small ones says little. */
const LEAST_DISTANCE = 0.05;

/** A photo takes a product to be at most this many times as far as the nearest one. */
const FARTHEST = 2;

/**
 * Products near the photos of a call: every picture of a product and its variants counts, and of each view of a photo the
 * nearest. Best first, as the photos agree (`standingsOf`); ties by distance, then by id.
 *
 * @param neighbours catalog pictures near the photos
 * @param productsShowing the live products that show each picture
 * @param photos how many photos the distances of a neighbour are of, each with as many views
 */
export function candidatesOf(
  neighbours: readonly Neighbour[],
  productsShowing: ReadonlyMap<number, readonly string[]>,
  photos = 1,
): Candidate[] {
  const best = new Map<string, { imageId: number; nearest: number; views: readonly number[] }>();
  for (const { imageId, distance, byView = [distance] } of neighbours) {
    for (const id of productsShowing.get(imageId) ?? []) {
      const known = best.get(id);
      const views = byView.map((each, view) => Math.max(1 - each, known?.views[view] ?? -1));
      const nearest = Math.max(...byView.map((each) => 1 - each));
      const isNearer = !known || nearest > known.nearest;
      best.set(id, isNearer ? { imageId, nearest, views } : { ...known, views });
    }
  }
  const candidates = [...best].map(([id, { imageId, views }]) => {
    const byPhoto = slices(views, photos);
    return { id, similarity: mean(byPhoto.map((each) => Math.max(...each))), byPhoto, imageId };
  });
  const standings = standingsOf(candidates);
  return standings
    .sort(
      (left, right) =>
        right.standing - left.standing ||
        left.distance - right.distance ||
        (left.candidate.id < right.candidate.id ? -1 : 1),
    )
    .map(({ candidate }) => candidate);
}

/**
 * How the photos judge each candidate together. Each photo sees a candidate at a distance, by its nearest view and the mean
 * of its views (of two with an equally near view the one is right that more views see), and takes it to be so many times as
 * far as the candidate nearest to it, `FARTHEST` at most. The standing is the mean of the logarithms, 0 where all photos
 * have it nearest: a photo of something else moves all candidates alike, and decides nothing. (Measured against the mean
 * of the similarities, the best photo alone and others: docs/model-card.md.)
 */
function standingsOf(
  candidates: readonly Candidate[],
): { candidate: Candidate; standing: number; distance: number }[] {
  const distances = candidates.map(({ byPhoto }) => byPhoto.map(distanceOf));
  const nearest = (distances[0] ?? []).map((_, photo) =>
    distances.reduce((least, each) => Math.min(least, each[photo] ?? least), Number.POSITIVE_INFINITY),
  );
  return candidates.map((candidate, at) => {
    const own = distances[at] ?? [];
    const judged = own.map((each, photo) => -Math.log(Math.min(FARTHEST, each / (nearest[photo] ?? each))));
    return { candidate, standing: mean(judged), distance: mean(own) };
  });
}

const distanceOf = (views: readonly number[]): number =>
  2 + LEAST_DISTANCE - Math.max(...views) - mean(views);

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
): { candidates: readonly Candidate[]; unseen: number } {
  const candidates = near.slice(0, CANDIDATES);
  const isAll = near.length <= CANDIDATES && neighbours < NEIGHBOURS;
  return { candidates, unseen: isAll ? 0 : (candidates.at(-1)?.similarity ?? 0) };
}

/** The views of each photo. */
const slices = (views: readonly number[], photos: number): number[][] =>
  Array.from({ length: photos }, (_, photo) =>
    views.slice((photo * views.length) / photos, ((photo + 1) * views.length) / photos),
  );

export const mean = (values: readonly number[]): number =>
  values.reduce((sum, each) => sum + each, 0) / values.length;
