import pMap from 'p-map';
import type { Embedder } from '../../models/ports';
import type { ModelManifest } from '../../models/vision/embedding-model';
import type { InferencePool } from './inference-pool';
import { renderViews } from './render-views';

/** Enough pictures of one call on their way for full batches on many threads. */
const PICTURES_AT_ONCE = 16;

/**
 * A model of the inference pool. Pictures are decoded in the thread pool of libuv while the engines compute; batches
 * form in the pool, from whatever calls there are.
 */
export class TensorFlowEmbedder implements Embedder {
  /**
   * @param key under which the pool holds the model
   * @param release takes the model out of memory
   */
  constructor(
    readonly manifest: ModelManifest,
    private readonly key: string,
    private readonly pool: InferencePool,
    private readonly release: () => Promise<void>,
  ) {}

  /** @throws unprocessable for a picture that can't be decoded, PictureFailed for one that can't be embedded */
  embed(jpegs: readonly Buffer[], views: 'catalog' | 'query'): Promise<readonly (readonly Float32Array[])[]> {
    const { manifest } = this;
    const embed = async (jpeg: Buffer) =>
      this.pool.embed(this.key, await renderViews(jpeg, manifest.views[views], manifest.input), views);
    return pMap(jpegs, embed, { concurrency: PICTURES_AT_ONCE });
  }

  close(): Promise<void> {
    return this.release();
  }
}
