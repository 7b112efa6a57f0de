import pMap from 'p-map';
import { Taxonomy } from '../catalog/taxonomy';
import type { CatalogRepository, Embedder, NeighbourIndex } from '../ports';
import { candidatesOf, NEIGHBOURS, shortlistOf } from '../vision/candidates';
import type { EmbeddingVersion } from '../vision/embedding-model';
import { ancestryOf } from '../vision/matches';
import type { ShownNeighbour } from '../vision/neighbours';
import type { LabelledSighting } from './fit-calibration';
import type { Query } from './query-maker';

/** What a version has near a query. */
export interface VersionAnswer extends LabelledSighting {
  readonly query: Query;
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
  { embedder, index, catalog }: AskPorts,
  onQuery: (done: number) => void,
): Promise<VersionAnswer[]> {
  const taxonomy = new Taxonomy(await catalog.categories());
  let done = 0;
  const ask = async (query: Query): Promise<VersionAnswer[]> => {
    const photos = await embedder.embed(query.jpegs, 'query');
    const { products, item, leftOut, itemImages } = query;
    const answerTo = async (
      hidden: ReadonlySet<number>,
      right: readonly string[],
    ): Promise<VersionAnswer> => {
      const found = await index.nearest(version, photos, NEIGHBOURS + hidden.size);
      const neighbours = found
        .filter(({ imageId }) => !hidden.has(imageId))
        .slice(0, NEIGHBOURS * photos.length);
      const shown = { item, neighbours, photos: photos.length, products: right, shows: products };
      return { query, ...(await labelledSighting(shown, catalog, taxonomy)) };
    };
    const answers = [
      await answerTo(leftOut, products),
      ...(itemImages ? [await answerTo(itemImages, [])] : []),
    ];
    done += 1;
    onQuery(done);
    return answers;
  };
  return (await pMap(queries, ask, { concurrency: AT_ONCE })).flat();
}

/**
 * @param shown `products`: the right ones; `shows`: those whose taxonomy rows are right, also where they were left out of the
 *   search
 */
export async function labelledSighting(
  shown: {
    readonly item: string;
    readonly neighbours: readonly ShownNeighbour[];
    readonly photos: number;
    readonly products: readonly string[];
    readonly shows: readonly string[];
  },
  catalog: CatalogRepository,
  taxonomy: Taxonomy,
): Promise<LabelledSighting> {
  const { item, neighbours, photos, products, shows } = shown;
  const shortlist = shortlistOf(candidatesOf(neighbours, photos));
  const items = await catalog.itemsById([...new Set([...shortlist.map(({ id }) => id), ...shows])]);
  const ancestry = ancestryOf(items, taxonomy);
  // Nothing is known of the rows above a product that is gone.
  const above = shows.every((id) => ancestry.has(id))
    ? new Set(shows.flatMap((id) => ancestry.get(id) ?? []))
    : null;
  return { item, shortlist, ancestry, products, above };
}
