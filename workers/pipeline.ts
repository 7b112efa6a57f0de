import { inject, injectable } from 'tsyringe';
import type { SearchScope } from '../models/catalog/catalog-query';
import { unavailable } from '../models/errors';
import {
  type EmbedderRegistry,
  type EmbeddingRepository,
  type NeighbourIndex,
  PORTS,
  type TraceContext,
} from '../models/ports';
import { type EmbeddingVersion, type ViewSize, viewSizeOf } from '../models/vision/embedding-model';
import type { Neighbourhood, SmallImage } from '../models/vision/neighbours';
import { EmbeddingCache } from './embedding-cache';
import { ForegroundLoad } from './foreground-load';

/** The photos of a call as they reach the workers. */
export interface Photos {
  readonly images: readonly SmallImage[];
  /** Neighbours wanted for each photo, one per catalog image. */
  readonly limit: number;
  /** The rows that count. */
  readonly scope: SearchScope;
  /** Milliseconds that they waited in the queue. */
  readonly queueMs: number;
  /** Of the call that they belong to, where calls are traced. */
  readonly trace?: TraceContext | undefined;
}

/** What the queues hand photos to. */
export interface PhotoPipeline {
  /** As `VisionQueue` has it: that of the version which was live last; null before the first photo. */
  readonly viewSize: ViewSize | null;
  neighbours(photos: Photos): Promise<Neighbourhood>;
}

const RETRY_AFTER_SECONDS = 5;

/** How many versions a photo is tried under; nobody promotes a third one meanwhile. */
const ATTEMPTS = 3;

/**
 * How photos of an item become neighbours: their views become vectors under the live model, and the vector index knows the
 * catalog images nearest to any of them. A photo that was just seen has its vectors already. Everything belongs to one
 * embedding version, which is asked for anew with each call: another that is promoted counts from the next call on. A call
 * whose version was pruned under it is answered under the live one.
 */
@injectable()
export class VisionPipeline implements PhotoPipeline {
  #viewSize: ViewSize | null = null;

  constructor(
    @inject(PORTS.EmbeddingRepository) private readonly embeddings: EmbeddingRepository,
    @inject(PORTS.EmbedderRegistry) private readonly embedders: EmbedderRegistry,
    @inject(PORTS.NeighbourIndex) private readonly index: NeighbourIndex,
    @inject(EmbeddingCache) private readonly memory: EmbeddingCache,
    @inject(ForegroundLoad) private readonly inWork: ForegroundLoad,
  ) {}

  get viewSize(): ViewSize | null {
    return this.#viewSize;
  }

  /** @throws unavailable while no embedding version is live; whatever embedder and index throw */
  neighbours(photos: Photos): Promise<Neighbourhood> {
    return this.inWork.during(async () => {
      for (let attempt = 1; ; attempt += 1) {
        const version = await this.embeddings.live();
        if (!version) throw unavailable('No embedding version is live yet.', RETRY_AFTER_SECONDS);
        try {
          return await this.#under(version, photos);
        } catch (failure) {
          // A version that is not live any more may have lost its vectors or its model while photos were in work under it.
          const live = attempt === ATTEMPTS ? null : await this.embeddings.live().catch(() => null);
          if (live === null || live.id === version.id) throw failure;
        }
      }
    });
  }

  async #under(version: EmbeddingVersion, { images, limit, scope, queueMs }: Photos): Promise<Neighbourhood> {
    const embedder = await this.embedders.forVersion(version);

    const started = performance.now();
    this.#viewSize = viewSizeOf(version.manifest, 'query');
    const vectorsOf = (image: SmallImage) =>
      this.memory.vectorsOf(version, image.digest, async () => {
        const [computed = []] = await embedder.embed(['pixels' in image ? image : image.jpeg], 'query');
        return computed;
      });
    const photos = await Promise.all(images.map(vectorsOf));
    const embedded = performance.now();
    const neighbours = await this.index.nearest(version, photos, limit, scope);
    const found = performance.now();

    const timings = { queueMs, embedMs: embedded - started, neighboursMs: found - embedded };
    const { id, model, manifest } = version;
    return { version: { id, model, calibration: manifest.calibration }, neighbours, timings };
  }
}
