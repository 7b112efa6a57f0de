import { inject, injectable } from 'tsyringe';
import { unavailable } from '../models/errors';
import { type EmbedderRegistry, type EmbeddingRepository, type NeighbourIndex, PORTS } from '../models/ports';
import type { Neighbourhood } from '../models/vision/neighbours';
import { PhotoMemory } from './photo-memory';

/** A photo of a caller as it reaches the workers. */
export interface Photo {
  /** The prepared picture: small, upright. */
  readonly jpeg: Buffer;
  /** Neighbours wanted, one per catalog image. */
  readonly limit: number;
  /** Milliseconds that it waited in the queue. */
  readonly queueMs: number;
}

/** What the queues hand a photo to. */
export interface PhotoPipeline {
  neighbours(photo: Photo): Promise<Neighbourhood>;
}

const RETRY_AFTER_SECONDS = 5;

/**
 * How a photo becomes neighbours: its views become vectors under the live model, and the vector index knows the catalog
 * images nearest to any of them. A photo that was just seen has its vectors already. Everything belongs to one embedding version, also while another is promoted.
 */
@injectable()
export class VisionPipeline implements PhotoPipeline {
  constructor(
    @inject(PORTS.EmbeddingRepository) private readonly embeddings: EmbeddingRepository,
    @inject(PORTS.EmbedderRegistry) private readonly embedders: EmbedderRegistry,
    @inject(PORTS.NeighbourIndex) private readonly index: NeighbourIndex,
    @inject(PhotoMemory) private readonly memory: PhotoMemory,
  ) {}

  /** @throws unavailable while no embedding version is live; whatever embedder and index throw */
  async neighbours({ jpeg, limit, queueMs }: Photo): Promise<Neighbourhood> {
    const version = await this.embeddings.live();
    if (!version) throw unavailable('No embedding version is live yet.', RETRY_AFTER_SECONDS);
    const embedder = await this.embedders.forVersion(version);

    const started = performance.now();
    const vectors = await this.memory.vectorsOf(version, jpeg, async () => {
      const [computed = []] = await embedder.embed([jpeg], 'query');
      return computed;
    });
    const embedded = performance.now();
    const neighbours = await this.index.nearest(version, vectors, limit);
    const found = performance.now();

    const timings = { queueMs, embedMs: embedded - started, neighboursMs: found - embedded };
    return { versionId: version.id, neighbours, timings };
  }
}
