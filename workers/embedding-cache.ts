import { LRUCache } from 'lru-cache';
import type { EmbeddingVersion } from '../models/vision/embedding-model';

type Vectors = readonly Float32Array[];
type Embed = () => Promise<Vectors>;

/**
 * The vectors of the photos seen last, by embedding version: an identical photo is not computed again, and of two that come
 * at once one is computed. It stores vectors and not neighbours, so an answer always reflects the current catalog. Each
 * process remembers for itself.
 */
export class EmbeddingCache {
  readonly #vectors: LRUCache<string, Vectors, Embed> | null;

  /** @param bytesMax of vectors, four kilobytes for a photo of four views and 256 dimensions; 0 turns the cache off */
  constructor(bytesMax: number) {
    this.#vectors = bytesMax === 0 ? null : memoryOf(bytesMax);
  }

  /**
   * One vector per view of a photo.
   *
   * @param digest identifies the photo
   * @param embed computes them; its errors are rethrown and not cached
   */
  async vectorsOf(version: EmbeddingVersion, digest: string, embed: Embed): Promise<Vectors> {
    if (!this.#vectors) return embed();
    return this.#vectors.forceFetch(`${version.id} ${digest}`, { context: embed });
  }
}

const memoryOf = (bytesMax: number): LRUCache<string, Vectors, Embed> =>
  new LRUCache({
    maxSize: bytesMax,
    sizeCalculation: (vectors) => vectors.reduce((sum, vector) => sum + vector.byteLength, 1),
    fetchMethod: (_key, _stale, { context }) => context(),
  });
