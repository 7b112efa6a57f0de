import { LRUCache } from 'lru-cache';
import { inject, injectable } from 'tsyringe';
import { NO_FILTER, type SearchScope } from '../models/catalog/catalog-query';
import { unavailable } from '../models/errors';
import type * as ports from '../models/ports';
import { PORTS } from '../models/ports';
import { NEIGHBOURS, nearestImages, type PhotoViews } from '../models/vision/candidates';
import { withLiveVersion } from '../models/vision/embedding-model';
import type { Neighbourhood, PhotoSearch, Pixels, SmallImage, Vectors } from '../models/vision/neighbours';
import { ForegroundLoad } from './foreground-load';
import { RecallSampler } from './recall-sampler';

export interface Photos extends Pick<ports.NeighbourRequest, 'images' | 'scope' | 'liveStamp' | 'trace'> {
  /** Milliseconds that they waited in the queue. */
  readonly queueMs: number;
}

export interface PhotoPipeline {
  neighbours(photos: Photos): Promise<Neighbourhood>;
}

/** Token of the bytes of vectors that are cached: six kilobytes for a photo of three views and 512 dimensions; 0 is off. */
export const PHOTO_CACHE_BYTES = Symbol.for('PhotoCacheBytes');

const RETRY_AFTER_SECONDS = 5;

/**
 * How photos of an item become neighbours: their views become vectors under the live model, and the vector index knows the
 * catalog images nearest to any of them (`nearestImages`). The vectors of the photos seen last are cached; neighbours are not,
 * so an answer reflects the current catalog. Everything belongs to one embedding version (`withLiveVersion`).
 */
@injectable()
export class VisionPipeline implements PhotoPipeline {
  /** By version, photo and range of views. Of two identical photos that come at once one is computed; errors are not cached. */
  readonly #cache: LRUCache<string, Vectors, () => Promise<Vectors>> | null;

  constructor(
    @inject(PORTS.EmbeddingRepository) private readonly embeddings: ports.EmbeddingRepository,
    @inject(PORTS.EmbedderRegistry) private readonly embedders: ports.EmbedderRegistry,
    @inject(PORTS.NeighbourIndex) private readonly index: ports.NeighbourIndex,
    @inject(ForegroundLoad) private readonly foreground: ForegroundLoad,
    @inject(RecallSampler) private readonly recall: RecallSampler,
    @inject(PHOTO_CACHE_BYTES) cacheBytes: number,
  ) {
    this.#cache =
      cacheBytes === 0
        ? null
        : new LRUCache({
            maxSize: cacheBytes,
            sizeCalculation: (vectors) => vectors.reduce((sum, { byteLength }) => sum + byteLength, 1),
            fetchMethod: (_key, _stale, { context: embed }) => embed(),
          });
  }

  /** @throws unavailable while no embedding version is live; whatever embedder and index throw */
  neighbours({ images, scope, liveStamp, queueMs }: Photos): Promise<Neighbourhood> {
    return this.foreground.track(async () => {
      const started = performance.now();
      const live = await this.embeddings.live(liveStamp);
      if (!live) throw unavailable('No embedding version is live yet.', RETRY_AFTER_SECONDS);
      return withLiveVersion(live, this.embeddings, async (version) => {
        const embedder = await this.embedders.forVersion(version);
        const photos = images.map((image) => this.#viewsOf(image, embedder, version.id));
        let [neighboursMs, asked]: [number, readonly Vectors[]] = [0, []];
        const searchIn = async (part: SearchScope, ...[vectors, ...step]: PhotoSearch) => {
          asked = vectors;
          const embedded = performance.now();
          const found = await this.index.nearest(version, vectors, NEIGHBOURS, part, ...step);
          neighboursMs += performance.now() - embedded;
          this.recall.maybeMeasure(version, vectors.flat(), found, part);
          return found;
        };
        const searchAll = (...search: PhotoSearch) => searchIn({ ...scope, ...NO_FILTER }, ...search);
        const nearest = await nearestImages(version.manifest, photos, searchAll);
        const isWhole = scope.category === null && scope.filters.length === 0;
        const rivals = isWhole ? {} : { rivals: nearest };
        const neighbours = isWhole ? nearest : await searchIn(scope, asked);
        const embedMs = performance.now() - started - neighboursMs;
        const { id, model, manifest } = version;
        return {
          ...{ version: { id, model, calibration: manifest.calibration }, neighbours, ...rivals },
          timings: { queueMs, embedMs, neighboursMs },
        };
      });
    });
  }

  /** Views embedded in steps are decoded once. */
  #viewsOf(image: SmallImage, embedder: ports.Embedder, versionId: number): PhotoViews {
    const picture = 'pixels' in image ? image : image.jpeg;
    let decoded: Promise<Pixels> | undefined;
    const embed = async (from: number, to?: number) => {
      if (from === 0 && to === undefined) return embedder.embed(picture, 'query');
      decoded ??= embedder.decode(picture);
      return embedder.embed(await decoded, 'query', from, to);
    };
    return {
      slice: (...range) => {
        const context = () => embed(...range);
        return this.#cache?.forceFetch(`${versionId} ${image.digest} ${range}`, { context }) ?? context();
      },
    };
  }
}
