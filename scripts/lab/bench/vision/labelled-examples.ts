import { cpus } from 'node:os';
import pMap from 'p-map';
import { pino } from 'pino';
import type { LabelledExample } from '../../../../models/indexing/fit-calibration';
import type { InstalledModel } from '../../../../models/ports';
import { useAndClose } from '../../../../models/promises';
import { Random } from '../../../../models/random';
import { candidatesOf, NEIGHBOURS, nearestImages, shortlistOf } from '../../../../models/vision/candidates';
import type { EmbeddingVersion, ModelManifest } from '../../../../models/vision/embedding-model';
import { dot } from '../../../../models/vision/linear-map';
import type { CatalogNeighbour, Vectors } from '../../../../models/vision/neighbours';
import { PooledEmbedderRegistry } from '../../../../workers/embedder/embedder-registry';
import { defaultThreads } from '../../../../workers/embedder/inference-pool';
import { SharpImagePreparer } from '../../../../workers/image/sharp-image-preparer';
import type { PhotoSet, Query } from './photo-set';

export interface Trial {
  /** Position in the queries of the set. */
  readonly query: number;
  readonly isKnown: boolean;
  /** Products in the catalog, picked at random; null is all. */
  readonly size: number | null;
}

const PICTURES_AT_ONCE = 4;

/** What a model sees of a set of photos, in this process and with an exhaustive search. */
export class ExampleSource {
  readonly #ancestry: ReadonlyMap<string, readonly string[]>;
  /** For each query the similarity of each of its views to the nearest view of each catalog photo. */
  readonly #similarities = new Map<number, Vectors>();

  private constructor(
    private readonly set: PhotoSet,
    private readonly catalog: readonly Vectors[],
    /** For each query. */
    private readonly asked: readonly Vectors[],
    private readonly manifest: ModelManifest,
  ) {
    this.#ancestry = new Map(set.photos.map(({ product, brand }) => [product, [brand]]));
  }

  static async of(set: PhotoSet, { folder, manifest }: InstalledModel): Promise<ExampleSource> {
    const preparer = new SharpImagePreparer({ bytesMax: 1 << 30, pixelsMax: 1 << 30 });
    const embedders = new PooledEmbedderRegistry({
      ...{ threads: defaultThreads(cpus().length), backend: 'auto', batchTimeoutMs: 30_000 },
      ...{ logger: pino({ level: 'warn' }), folderOf: () => folder, mapOf: async () => null },
    });
    return useAndClose(embedders, async () => {
      const embedder = await embedders.forVersion({ manifest } as EmbeddingVersion);
      const embed = (photos: readonly { jpeg(): Promise<Buffer> }[], views: 'catalog' | 'query') =>
        pMap(
          photos,
          async (photo) => {
            const { jpeg } = await preparer.prepare(await photo.jpeg());
            return embedder.embed(jpeg, views);
          },
          { concurrency: PICTURES_AT_ONCE },
        );
      const catalog = await embed(set.photos, 'catalog');
      return new ExampleSource(set, catalog, await embed(set.queries, 'query'), manifest);
    });
  }

  async example(trial: Trial): Promise<LabelledExample> {
    const { product, set } = this.query(trial);
    const [similarities, catalog] = [this.#similaritiesOf(trial.query), this.#catalog(trial)];
    const search = async ([views = []]: readonly Vectors[]) =>
      nearest(views, catalog).map((photo): CatalogNeighbour => {
        const byView = views.map((view) => 1 - (view[photo] ?? -1));
        const products = [this.set.photos[photo]?.product ?? ''];
        return { imageId: photo, products, distance: Math.min(...byView), byView };
      });
    const neighbours = await nearestImages(this.manifest, [similarities], search);
    return {
      item: product,
      shortlist: shortlistOf(candidatesOf(neighbours, 1)),
      ancestry: this.#ancestry,
      products: trial.isKnown ? [product] : [],
      // The brand of a pair is the name of its set.
      above: set === null ? new Set(this.#ancestry.get(product)) : null,
    };
  }

  query({ query: at }: Trial): Query {
    const query = this.set.queries[at];
    if (!query) throw new RangeError(`there is no query ${at}`);
    return query;
  }

  #catalog(trial: Trial): number[] {
    const { query, isKnown, size } = trial;
    const { product } = this.query(trial);
    const own = this.set.photos.findIndex((photo) => photo.product === product);
    const others = this.set.photos.flatMap((photo, at) => (photo.product === product ? [] : at));
    const random = new Random('catalog', size ?? 0, query);
    const chosen = size === null ? others : Array.from({ length: size - 1 }, () => random.pick(others));
    return isKnown ? [own, ...chosen] : chosen;
  }

  #similaritiesOf(query: number): Vectors {
    const known = this.#similarities.get(query);
    if (known) return known;
    const computed = (this.asked[query] ?? []).map((view) =>
      Float32Array.from(this.catalog, (photo) => Math.max(...photo.map((other) => dot(view, other)))),
    );
    this.#similarities.set(query, computed);
    return computed;
  }
}

function nearest(views: Vectors, catalog: readonly number[]): number[] {
  const best = new Map(catalog.map((photo) => [photo, Math.max(...views.map((view) => view[photo] ?? -1))]));
  return [...best.keys()]
    .sort((left, right) => (best.get(right) ?? 0) - (best.get(left) ?? 0))
    .slice(0, NEIGHBOURS);
}
