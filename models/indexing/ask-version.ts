import pMap from 'p-map';
import { Taxonomy } from '../catalog/taxonomy';
import type { CatalogRepository, Embedder, NeighbourIndex } from '../ports';
import { candidatesOf, NEIGHBOURS, shortlistOf } from '../vision/candidates';
import type { Signals } from '../vision/confidence';
import type { EmbeddingVersion } from '../vision/embedding-model';
import { judgementOf, levelsOf, sightingOf } from '../vision/matches';
import type { LabelledSignals } from './fit-calibration';
import type { Query } from './query-maker';

/** The first product that a version answers a query with. */
export interface VersionAnswer {
  readonly query: Query;
  /** Whether the item was left out of the search, as one that the catalog does not have. */
  readonly isUnknown: boolean;
  /** Null when nothing was found. */
  readonly first: string | null;
  /** Place of the right product, from 1; null when it was not found. */
  readonly place: number | null;
  /** What speaks for the first one; null when nothing was found. */
  readonly signals: Signals | null;
  /** What speaks for the taxonomy rows above it, and whether the item is below them, also one that was left out. */
  readonly levels: readonly LabelledSignals[];
}

export interface AskPorts {
  readonly embedder: Embedder;
  readonly index: NeighbourIndex;
  readonly catalog: CatalogRepository;
}

const AT_ONCE = 4;

/**
 * Asks a version all queries as the service would: its views, its index, its products; once each, and those that have
 * an `itemImages` once more without their item.
 *
 * @param onQuery told after each query
 */
export async function askVersion(
  version: EmbeddingVersion,
  queries: readonly Query[],
  asked: AskPorts,
  onQuery: (done: number) => void,
): Promise<VersionAnswer[]> {
  const ports = { ...asked, taxonomy: new Taxonomy(await asked.catalog.categories()) };
  let done = 0;
  const ask = async (query: Query): Promise<VersionAnswer[]> => {
    const vectors = await ports.embedder.embed(query.jpegs, 'query');
    const isUnknown = query.products.length === 0;
    const known = await answerTo(version, query, vectors, query.leftOut, isUnknown, ports);
    const unknown = query.itemImages
      ? [await answerTo(version, query, vectors, query.itemImages, true, ports)]
      : [];
    done += 1;
    onQuery(done);
    return [known, ...unknown];
  };
  return (await pMap(queries, ask, { concurrency: AT_ONCE })).flat();
}

async function answerTo(
  version: EmbeddingVersion,
  query: Query,
  photos: readonly (readonly Float32Array[])[],
  leftOut: ReadonlySet<number>,
  isUnknown: boolean,
  { index, catalog, taxonomy }: AskPorts & { readonly taxonomy: Taxonomy },
): Promise<VersionAnswer> {
  const found = await index.nearest(version, photos, NEIGHBOURS + leftOut.size);
  const wanted = NEIGHBOURS * photos.length;
  const neighbours = found.filter(({ imageId }) => !leftOut.has(imageId)).slice(0, wanted);
  const showing = await catalog.productsShowing(neighbours.map(({ imageId }) => imageId));
  const near = candidatesOf(neighbours, showing, photos.length);
  const shortlist = shortlistOf(near, neighbours.length);
  const [first] = shortlist.candidates;
  const place = near.findIndex(({ id }) => query.products.includes(id));
  const answer = { query, isUnknown, first: first?.id ?? null, place: place < 0 ? null : place + 1 };
  if (!first) return { ...answer, signals: null, levels: [] };
  const items = await catalog.itemsById([...shortlist.candidates.map(({ id }) => id), ...query.products]);
  const sighting = sightingOf(shortlist, items, taxonomy, version.manifest);
  const above = new Set(query.products.flatMap((id) => sighting.ancestry.get(id) ?? []));
  const levels = levelsOf(sighting, first.id).map(({ id, signals }) => ({ signals, right: above.has(id) }));
  return { ...answer, signals: judgementOf(sighting, first.id).signals, levels };
}

/** Whether the first product of an answer is the item; never of an unknown one. */
export const isRight = ({ isUnknown, place }: VersionAnswer): boolean => !isUnknown && place === 1;
