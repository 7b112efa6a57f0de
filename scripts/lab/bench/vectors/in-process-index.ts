import { createRequire } from 'node:module';
import { z } from 'zod';
import { type ClusteredVectors, DIMENSIONS } from './clustered-vectors';

/** The peer: HNSW within the process, without SQL, filters or a disk. Installed by whoever wants the comparison. */
const PACKAGE = 'usearch';
export const PEER = 'usearch@2.21.4';

/** As the index in the database: connectivity, candidates while building, half precision. */
const CONNECTIVITY = 16;
const EXPANSION_ADD = 128;
const BATCH_IMAGES = 2_000;

interface NativeIndex {
  add(keys: BigUint64Array, vectors: Float32Array, threads: number): void;
  search(vector: Float32Array, count: number, threads: number): { readonly keys: BigUint64Array };
}

const peer = z.object({
  Index: z.custom<new (options: object) => NativeIndex>((value) => typeof value === 'function'),
});

/** An HNSW index of `usearch` over the vectors of images; keys are `image * views + view`. */
export class InProcessIndex {
  private constructor(
    private readonly index: NativeIndex,
    private readonly views: number,
  ) {}

  /** Null where the package is not installed. */
  static async build(
    vectors: ClusteredVectors,
    images: number,
    expansionSearch: number,
    threads: number,
  ): Promise<InProcessIndex | null> {
    const native = load();
    if (!native) return null;
    const index = new native.Index({
      dimensions: DIMENSIONS,
      metric: 'ip',
      quantization: 'f16',
      connectivity: CONNECTIVITY,
      expansion_add: EXPANSION_ADD,
      expansion_search: expansionSearch,
      multi: false,
    });
    let views = 1;
    for (let from = 1; from <= images; from += BATCH_IMAGES) {
      const batch = Array.from({ length: Math.min(BATCH_IMAGES, images - from + 1) }, (_, at) =>
        vectors.ofImage(from + at),
      );
      views = batch[0]?.length ?? 1;
      const keys = batch.flatMap((each, at) => each.map((_, view) => BigInt((from + at) * views + view)));
      const flat = new Float32Array(keys.length * DIMENSIONS);
      batch.flat().forEach((vector, at) => {
        flat.set(vector, at * DIMENSIONS);
      });
      index.add(BigUint64Array.from(keys), flat, threads);
    }
    return new InProcessIndex(index, views);
  }

  /** The nearest images to a vector, found among so many nearest vectors. */
  nearest(vector: Float32Array, count: number, images: number): number[] {
    const { keys } = this.index.search(vector, count, 1);
    return [...new Set(Array.from(keys, (key) => Math.floor(Number(key) / this.views)))].slice(0, images);
  }
}

function load(): z.infer<typeof peer> | null {
  try {
    return peer.parse(createRequire(__filename)(PACKAGE));
  } catch {
    return null;
  }
}
