import { AppError, internalError, unavailable } from '../../models/errors';
import type { CatalogImage } from '../../models/indexing/embedding-version';
import type { IndexQueue } from '../../models/ports';
import type { ImageIndex, IndexOutcome } from '../index-images';
import { INDEX_JOB_IMAGES, slices } from './job';

const ATTEMPTS = 3;

/**
 * Work on the catalog's images of an installation without Redis: one slice after another, whoever asks, so that the
 * photos of callers always find room.
 */
export class InProcessIndexQueue implements IndexQueue {
  readonly isShared = false;
  readonly #stop = new AbortController();
  #last: Promise<unknown> = Promise.resolve();

  constructor(private readonly index: ImageIndex) {}

  /** @throws unavailable when the queue is closed, notFound for a version that is gone, internalError for a fault that stays */
  async embed(versionId: number, images: readonly CatalogImage[]): Promise<IndexOutcome> {
    const total = { embedded: 0, failed: 0 };
    for (const slice of slices(images, INDEX_JOB_IMAGES)) {
      const outcome = await this.#next(() => this.#index(versionId, slice));
      total.embedded += outcome.embedded;
      total.failed += outcome.failed;
    }
    return total;
  }

  /** Ends between two images; what was not stored is found by the next run. */
  async close(): Promise<void> {
    this.#stop.abort(unavailable('The service is stopping.', 1));
    await this.#last.catch(() => undefined);
  }

  async #index(versionId: number, images: readonly CatalogImage[]): Promise<IndexOutcome> {
    for (let attempt = 1; ; attempt += 1) {
      this.#stop.signal.throwIfAborted();
      try {
        return await this.index.index(versionId, images, this.#stop.signal);
      } catch (failure) {
        if (failure instanceof AppError && failure.code === 'not_found') throw failure;
        if (attempt === ATTEMPTS) throw internalError(failure);
      }
    }
  }

  #next(work: () => Promise<IndexOutcome>): Promise<IndexOutcome> {
    const turn = this.#last.catch(() => undefined).then(work);
    this.#last = turn;
    return turn;
  }
}
