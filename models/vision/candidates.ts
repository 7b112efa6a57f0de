import type { ModelManifest } from './embedding-model';
import type { CatalogNeighbour, IsEnough, PhotoSearch, Vectors } from './neighbours';

/** Catalog images requested from the index; several belong to one product, hence more than the ten rows. */
export const NEIGHBOURS = 60;

/** Most products in an answer of similar products (contract 6.3). */
export const SIMILAR_MAX = 10;

/** Products that are weighed against each other for each photo: twice the rows of an answer, so that a shared style or brand shows. */
const CANDIDATES = 20;

/** A product that the photos may show, with the cosine similarity of its nearest pictures. */
export interface Candidate {
  readonly id: string;
  /** Of the nearest pair of a photo view and a view of a picture of the product; the mean for several photos. */
  readonly similarity: number;
  /** The nearest similarity of each view of each photo. */
  readonly byPhoto: readonly (readonly number[])[];
  /** The picture of the nearest pair. */
  readonly imageId: number;
}

/**
 * Products near the photos of a call, by the nearest of their pictures to each view. The most similar first, ties by id.
 * @param photos how many photos the distances of a neighbour refer to, each with the same number of views
 */
export function candidatesOf(neighbours: readonly CatalogNeighbour[], photos = 1): Candidate[] {
  const best = new Map<string, { imageId: number; nearest: number; views: readonly number[] }>();
  for (const { imageId, products, distance, byView = [distance] } of neighbours) {
    for (const id of products) {
      const known = best.get(id);
      const views = byView.map((each, view) => Math.max(1 - each, known?.views[view] ?? -1));
      const nearest = Math.max(...byView.map((each) => 1 - each));
      const nearer = known && known.nearest >= nearest ? known : { imageId, nearest };
      best.set(id, { imageId: nearer.imageId, nearest: nearer.nearest, views });
    }
  }
  const candidates = [...best].map(([id, { imageId, views }]) => {
    const part = views.length / photos;
    const byPhoto = Array.from({ length: photos }, (_, photo) =>
      views.slice(photo * part, (photo + 1) * part),
    );
    return { id, similarity: mean(byPhoto.map((each) => Math.max(...each))), byPhoto, imageId };
  });
  return candidates.sort(
    (left, right) => right.similarity - left.similarity || (left.id < right.id ? -1 : 1),
  );
}

/** The vectors of the views of a photo, or what embeds some of them when they are asked for. */
export type PhotoViews = { slice(from: number, to?: number): Vectors | Promise<Vectors> };

/**
 * The catalog images nearest to photos. If the first view of a single photo makes its product certain, the others are neither
 * embedded nor searched, and its neighbours have the distance of that view alone. Of several photos all views are used:
 * `candidatesOf` needs as many of each. Where nothing is found, the other views would find nothing either.
 * @param search finds up to `NEIGHBOURS` images of each photo: a product beyond a full list may be as near as the last of it
 */
export async function nearestImages(
  { certain }: Pick<ModelManifest, 'certain'>,
  photos: readonly PhotoViews[],
  search: (...search: PhotoSearch) => Promise<readonly CatalogNeighbour[]>,
): Promise<readonly CatalogNeighbour[]> {
  const [photo, ...further] = photos;
  if (!certain || !photo || further.length > 0)
    return search(await Promise.all(photos.map((each) => each.slice(0))));
  const isEnough: IsEnough = (found) => {
    const last = found.at(-1);
    if (!last) return true;
    const beyond = found.length < NEIGHBOURS ? 0 : Math.max(0, 1 - last.distance);
    const [best = 0, next = beyond] = candidatesOf(found).map(({ similarity }) => Math.max(0, similarity));
    const { similarity, margin, ratio = 1 } = certain;
    return best >= similarity && best - next >= margin && 1 - best <= ratio * (1 - next);
  };
  const first = await photo.slice(0, 1);
  const found = await search([first], isEnough);
  return isEnough(found) ? found : search([[...first, ...(await photo.slice(1))]], undefined, found);
}

/** Nearest first, by its nearest view and the mean of its views. */
export function nearestByPhoto(candidates: readonly Candidate[]): Candidate[][] {
  const photos = candidates[0]?.byPhoto ?? [];
  return photos.map((_, photo) => {
    const closeness = new Map(
      candidates.map((each) => {
        const views = each.byPhoto[photo] ?? [];
        return [each, Math.max(...views) + mean(views)];
      }),
    );
    const byCloseness = (left: Candidate, right: Candidate) =>
      (closeness.get(right) ?? 0) - (closeness.get(left) ?? 0);
    return candidates.toSorted(byCloseness).slice(0, CANDIDATES);
  });
}

export const shortlistOf = (candidates: readonly Candidate[]): Candidate[] => [
  ...new Set(nearestByPhoto(candidates).flat()),
];

export const mean = (values: readonly number[]): number =>
  values.reduce((sum, each) => sum + each, 0) / values.length;
