import type { SearchScope } from '../models/catalog/catalog-query';
import type { Logger, NeighbourIndex } from '../models/ports';
import type { EmbeddingVersion } from '../models/vision/embedding-model';
import type { Neighbour, Vectors } from '../models/vision/neighbours';

/** Figures of the version that was searched last. */
export interface RecallFigures {
  /** Share of the nearest images that the searches found, mean of the last samples. */
  readonly mean: number;
  readonly lowest: number;
  readonly samples: number;
}

type Search = [version: EmbeddingVersion, vectors: Vectors, found: readonly Neighbour[], scope: SearchScope];

/** How many samples the mean is over. */
const KEPT = 200;

/** How many nearest images are compared. */
const LOOKED_AT = 10;

/** Repeats a sample of searches exactly, one at a time in the background, and compares the results. */
export class RecallSampler {
  #versionId = 0;
  #recalls: number[] = [];
  #running: Promise<void> | null = null;

  constructor(
    private readonly index: NeighbourIndex,
    private readonly logger: Logger,
    /** One in this many searches is measured; 0 means none. */
    private readonly oneOf: number,
  ) {}

  /** Measures a search if it is in the sample; nobody waits for it, and failures are only logged. */
  maybeMeasure(...search: Search): void {
    if (this.oneOf === 0 || this.#running || Math.random() * this.oneOf >= 1) return;
    this.#running = this.#measure(...search)
      .catch((failure: unknown) =>
        this.logger.warn({ reason: String(failure) }, 'the recall of a search could not be measured'),
      )
      .finally(() => {
        this.#running = null;
      });
  }

  /** Null before the first sample; exact searches are not sampled. */
  figures(): RecallFigures | null {
    const recalls = this.#recalls;
    if (recalls.length === 0) return null;
    const mean = recalls.reduce((sum, recall) => sum + recall, 0) / recalls.length;
    return { mean, lowest: Math.min(...recalls), samples: recalls.length };
  }

  /** Resolves when nothing is being measured. */
  async close(): Promise<void> {
    await this.#running;
  }

  async #measure(...[version, vectors, found, scope]: Search): Promise<void> {
    if (!(await this.index.isApproximate(version))) return;
    const nearest = await this.index.exact(version, vectors, Math.min(LOOKED_AT, found.length), scope);
    if (nearest.length === 0) return;
    const known = new Set(found.map(({ imageId }) => imageId));
    const recall = nearest.filter((imageId) => known.has(imageId)).length / nearest.length;
    if (version.id !== this.#versionId) this.#recalls = [];
    this.#versionId = version.id;
    this.#recalls = [...this.#recalls, recall].slice(-KEPT);
  }
}
