import pMap from 'p-map';
import { inject, injectable } from 'tsyringe';
import type { Taxonomy } from '../catalog/taxonomy';
import { notFound } from '../errors';
import type * as ports from '../ports';
import { PORTS } from '../ports';
import { candidatesOf, NEIGHBOURS, nearestImages, shortlistOf } from '../vision/candidates';
import type { EmbeddingVersion } from '../vision/embedding-model';
import { ancestryOf } from '../vision/matches';
import type { CatalogNeighbour } from '../vision/neighbours';
import type { CatalogImage } from './embedding-version';
import type { LabelledExample } from './fit-calibration';

export interface Query {
  /** The kind of query: `level 1` to `level 3`, `other photo`, `photo`, `feedback`. */
  readonly name: string;
  /** The products that it shows; several if products share a picture, none when the catalog does not have it. */
  readonly products: readonly string[];
  /** The item shown, so that queries for one item stay together. */
  readonly item: string;
  readonly jpegs: readonly Buffer[];
  /** Images that the search must not find: the query's own picture. */
  readonly leftOut: ReadonlySet<number>;
  /** All images of the products; without them the item is unknown to the catalog. Null: not asked that way. */
  readonly itemImages: ReadonlySet<number> | null;
}

/** The level whose queries are asked as unknown items too. */
const UNKNOWN_LEVEL = 2;

const NONE: ReadonlySet<number> = new Set();

@injectable()
export class QueryMaker {
  constructor(
    @inject(PORTS.ImageSamples) private readonly samples: ports.ImageSamples,
    @inject(PORTS.CatalogRepository) private readonly catalog: ports.CatalogRepository,
    @inject(PORTS.ImageStore) private readonly store: ports.ImageStore,
    @inject(PORTS.ImageSource) private readonly source: ports.ImageSource,
    @inject(PORTS.ImagePreparer) private readonly preparer: ports.ImagePreparer,
    @inject(PORTS.PhotoDistorter) private readonly distorter: ports.PhotoDistorter,
    @inject(PORTS.LabelledPhotos) private readonly labelled: ports.LabelledPhotos,
    @inject(PORTS.PredictionRepository) private readonly predictions: ports.PredictionRepository,
  ) {}

  /** The same queries for the same seed and catalog. @throws AppError when there is no picture that can be read */
  async fromCatalog(versionIds: readonly number[], count: number, seed: number, progress: ports.Progress) {
    progress.begin('queries', count);
    const images = await this.samples.sample(versionIds, count, seed);
    const showing = await this.catalog.productsShowing(images.map(({ id }) => id));
    const siblings = await this.samples.imagesOf([...new Set([...showing.values()].flat())]);
    let done = 0;
    const make = async (image: CatalogImage): Promise<Query[]> => {
      const products = showing.get(image.id) ?? [];
      const item = new Set(products.flatMap((id) => (siblings.get(id) ?? []).map((each) => each.id)));
      const queries = await this.#queriesOf(image, products, item, seed);
      done += 1;
      progress.reach(done);
      return queries;
    };
    const queries = (await pMap(images, make, { concurrency: 2 })).flat();
    progress.end();
    if (queries.length > 0) return queries;
    throw notFound('There is no embedded catalog picture to make queries of: import pictures first.');
  }

  async #queriesOf(
    { id, address }: CatalogImage,
    products: readonly string[],
    item: ReadonlySet<number>,
    seed: number,
  ): Promise<Query[]> {
    const bytes = address.startsWith('/')
      ? await this.store.get(address)
      : URL.canParse(address) && (await this.source.fetch(new URL(address)).catch(() => null));
    if (!bytes || products.length === 0) return [];
    const { jpeg } = await this.preparer.prepare(bytes);
    const shown = { products, item: products[0] ?? '' };
    const queries: Query[] = [];
    for (const level of [1, 2, 3] as const) {
      const jpegs = [await this.distorter.distort(jpeg, level, seed, address)];
      const itemImages = level === UNKNOWN_LEVEL ? item : null;
      queries.push({ name: `level ${level}`, ...shown, jpegs, leftOut: NONE, itemImages });
    }
    const itself = { ...shown, jpegs: [jpeg], leftOut: new Set([id]), itemImages: null };
    return item.size > 1 ? [...queries, { name: 'other photo', ...itself }] : queries;
  }

  /** Each photo is asked unchanged and with its item left out. @throws AppError for a folder without labels, or without known products */
  async fromPhotos(folder: string, count: number): Promise<Query[]> {
    const labels = await this.labelled.labels(folder);
    const images = await this.samples.imagesOf([...new Set(labels.map(({ product }) => product))]);
    const known = labels.filter(({ product }) => images.has(product)).slice(0, count);
    if (known.length === 0) {
      throw notFound(
        `None of the ${labels.length} photos in "${folder}" shows a product of the catalog: name each by labels.jsonl (photo, product), or by a subfolder per product id.`,
      );
    }
    const make = async ({ photo, product }: (typeof known)[number]): Promise<Query> => ({
      ...{ name: 'photo', products: [product], item: product, leftOut: NONE },
      jpegs: [(await this.preparer.prepare(await this.labelled.read(folder, photo))).jpeg],
      itemImages: new Set((images.get(product) ?? []).map(({ id }) => id)),
    });
    return pMap(known, make, { concurrency: 4 });
  }

  /** Queries from callers' photos kept with their feedback, the newest first. @throws AppError when there are none */
  async fromFeedback(count: number): Promise<Query[]> {
    const corrected = await this.predictions.correctedPhotos(count);
    const images = await this.samples.imagesOf(corrected.flatMap(({ correctId }) => correctId ?? []));
    const known = corrected.filter(({ correctId }) => correctId === null || images.has(correctId));
    if (known.length === 0) {
      throw notFound(
        'No photo with feedback is kept: loupe accounts keep-photos <account> keeps those of an account from now on.',
      );
    }
    return known.map(({ id, correctId, photos }) => ({
      name: photos.length === 1 ? 'feedback' : `feedback, ${photos.length} photos`,
      products: correctId === null ? [] : [correctId],
      ...{ item: correctId ?? id, jpegs: photos, leftOut: NONE, itemImages: null },
    }));
  }
}

export interface VersionAnswer extends LabelledExample {
  readonly query: Query;
}

interface SearchPorts {
  readonly embedder: ports.Embedder;
  readonly index: ports.NeighbourIndex;
  readonly catalog: ports.CatalogRepository;
}

/** Those with `itemImages` are asked once more without their item. */
export async function evaluateVersion(
  version: EmbeddingVersion,
  queries: readonly Query[],
  { embedder, index, catalog }: SearchPorts,
  progress: ports.Progress,
): Promise<VersionAnswer[]> {
  progress.begin(version.model, queries.length);
  const taxonomy = await catalog.taxonomy();
  let done = 0;
  const ask = async (query: Query): Promise<VersionAnswer[]> => {
    const photos = await Promise.all(query.jpegs.map((jpeg) => embedder.embed(jpeg, 'query')));
    const { products: shows, item, leftOut, itemImages } = query;
    const answerTo = async (hidden: ReadonlySet<number>, products: readonly string[]) => {
      const neighbours = await nearestImages(version.manifest, photos, async (vectors) => {
        const found = await index.nearest(version, vectors, NEIGHBOURS + hidden.size);
        return found.filter(({ imageId }) => !hidden.has(imageId)).slice(0, NEIGHBOURS * photos.length);
      });
      const shown = { item, neighbours, photos: photos.length, products, shows };
      return { query, ...(await labelledExample(shown, catalog, taxonomy)) };
    };
    const answers = [await answerTo(leftOut, shows)];
    if (itemImages) answers.push(await answerTo(itemImages, []));
    done += 1;
    progress.reach(done);
    return answers;
  };
  const answers = (await pMap(queries, ask, { concurrency: 4 })).flat();
  progress.end();
  return answers;
}

/** @param shown `products`: the right ones; `shows`: those whose taxonomy rows are right, even if they were left out */
export async function labelledExample(
  shown: {
    readonly item: string;
    readonly neighbours: readonly CatalogNeighbour[];
    readonly photos: number;
    readonly products: readonly string[];
    readonly shows: readonly string[];
  },
  catalog: ports.CatalogRepository,
  taxonomy: Taxonomy,
): Promise<LabelledExample> {
  const { item, neighbours, photos, products, shows } = shown;
  const shortlist = shortlistOf(candidatesOf(neighbours, photos));
  const items = await catalog.itemsById([...new Set([...shortlist.map(({ id }) => id), ...shows])]);
  const ancestry = ancestryOf(items, taxonomy);
  // Nothing is known about the rows above a product that is gone.
  const isKnown = shows.every((id) => ancestry.has(id));
  const above = isKnown ? new Set(shows.flatMap((id) => ancestry.get(id) ?? [])) : null;
  return { item, shortlist, ancestry, products, above };
}
