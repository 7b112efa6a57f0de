import { AsyncResource } from 'node:async_hooks';
import { AppError, internalError, stopping } from '../../models/errors';
import type { CatalogImage } from '../../models/indexing/embedding-version';
import type { IndexQueue, Logger, NeighbourRequest, QueueLoad, VisionQueue } from '../../models/ports';
import type { Neighbourhood } from '../../models/vision/neighbours';
import type { ImageIndex, IndexOutcome } from '../index-images';
import type { PhotoPipeline } from '../pipeline';
import { AdmittingQueue, type QueuedAnswer, type VisionQueueLimits } from './admission';
import { embedInJobs } from './job';

export interface InProcessVisionQueueOptions extends VisionQueueLimits {
  readonly logger: Logger;
  /** Photos in work at the same time; see `visionConcurrency`. */
  readonly concurrency: number;
}

interface WaitingCall {
  readonly request: NeighbourRequest;
  readonly askedAt: number;
  /** Runs work in the asynchronous context of this call, not of the one whose end made it run. */
  runInContext<Result>(work: () => Result): Result;
  resolve(neighbourhood: Neighbourhood): void;
  reject(failure: unknown): void;
}

const ATTEMPTS = 2;

/** The vision queue of an installation without Redis: the same contract in one process, in order of arrival. */
export class InProcessVisionQueue extends AdmittingQueue implements VisionQueue {
  readonly #waiting = new Set<WaitingCall>();
  readonly #active = new Map<WaitingCall, Promise<void>>();
  #closed = false;

  constructor(
    private readonly pipeline: PhotoPipeline,
    private readonly options: InProcessVisionQueueOptions,
  ) {
    super(options);
  }

  /** The process itself. */
  async workers(): Promise<number> {
    return this.#closed ? 0 : 1;
  }

  async ping(): Promise<void> {
    if (this.#closed) throw stopping();
  }

  async depth(): Promise<QueueLoad> {
    return this.load;
  }

  async oldestWaitingMs(): Promise<number> {
    const [oldest] = this.#waiting;
    return oldest ? Math.max(0, this.now() - oldest.askedAt) : 0;
  }

  /** Rejects all waiting calls with `unavailable`; resolves when nothing is running any more. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const call of [...this.#waiting, ...this.#active.keys()]) call.reject(stopping());
    this.#waiting.clear();
    await Promise.all(this.#active.values());
  }

  protected get load(): QueueLoad {
    return { waiting: this.#waiting.size, active: this.#active.size };
  }

  protected refreshLoad(): Promise<void> {
    return this.ping();
  }

  protected add(request: NeighbourRequest, askedAt: number): QueuedAnswer {
    const runInContext: WaitingCall['runInContext'] = AsyncResource.bind((work) => work());
    let discard = (): void => undefined;
    const answer = new Promise<Neighbourhood>((resolve, reject) => {
      const call = { request, askedAt, runInContext, resolve, reject };
      discard = () => void this.#waiting.delete(call);
      this.#waiting.add(call);
    });
    // The waiting caller may have left.
    answer.catch(() => undefined);
    this.#takeNext();
    return { answer, discard };
  }

  #takeNext(): void {
    for (const call of this.#waiting) {
      if (this.#active.size >= this.options.concurrency) return;
      this.#waiting.delete(call);
      const work = call
        .runInContext(() => this.#work(call))
        .finally(() => {
          this.#active.delete(call);
          this.rate.finish();
          this.#takeNext();
        });
      this.#active.set(call, work);
    }
  }

  /** Never rejects: the failure goes to the waiting caller. */
  async #work({ request, askedAt, resolve, reject }: WaitingCall): Promise<void> {
    const queueMs = Math.max(0, this.now() - askedAt);
    for (let attempt = 1; ; attempt += 1) {
      try {
        return resolve(await this.pipeline.neighbours({ ...request, queueMs }));
      } catch (failure) {
        if (failure instanceof AppError) return reject(failure);
        this.options.logger.warn(
          { requestId: request.requestId, attempt, failure: String(failure) },
          'a photo failed in the pipeline',
        );
        if (attempt === ATTEMPTS) return reject(internalError(failure));
      }
    }
  }
}

const INDEX_ATTEMPTS = 3;

/** Embeds catalog images without Redis: one slice after another for all callers, so that photos always get a turn. */
export class InProcessIndexQueue implements IndexQueue {
  readonly isShared = false;
  readonly #stop = new AbortController();
  #last: Promise<unknown> = Promise.resolve();

  constructor(private readonly index: ImageIndex) {}

  /** @throws unavailable when the queue is closed, notFound for a version that is gone, internalError for a fault that stays */
  embed(versionId: number, images: readonly CatalogImage[]): Promise<IndexOutcome> {
    return embedInJobs(images, 1, (part) => {
      const turn = this.#last.catch(() => undefined).then(() => this.#index(versionId, part));
      this.#last = turn;
      return turn;
    });
  }

  /** Ends between two images; what was not stored is found by the next run. */
  async close(): Promise<void> {
    this.#stop.abort(stopping());
    await this.#last.catch(() => undefined);
  }

  async #index(versionId: number, images: readonly CatalogImage[]): Promise<IndexOutcome> {
    for (let attempt = 1; ; attempt += 1) {
      this.#stop.signal.throwIfAborted();
      try {
        return await this.index.index(versionId, images, this.#stop.signal);
      } catch (failure) {
        if (failure instanceof AppError && failure.code === 'not_found') throw failure;
        if (attempt === INDEX_ATTEMPTS) throw internalError(failure);
      }
    }
  }
}
