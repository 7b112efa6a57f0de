import { AsyncResource } from 'node:async_hooks';
import { AppError, internalError, timeout, unavailable } from '../../models/errors';
import type { CatalogImage } from '../../models/indexing/embedding-version';
import type {
  IndexQueue,
  Logger,
  NeighbourRequest,
  VisionCaller,
  VisionPlace,
  VisionQueue,
} from '../../models/ports';
import type { ViewSize } from '../../models/vision/embedding-model';
import type { Neighbourhood } from '../../models/vision/neighbours';
import type { ImageIndex, IndexOutcome } from '../index-images';
import type { PhotoPipeline } from '../pipeline';
import { Admission, type QueueLoad, type VisionQueueLimits } from './admission';
import { race } from './bullmq-producer';
import { INDEX_JOB_IMAGES, slices } from './job';

export interface InProcessVisionQueueOptions extends VisionQueueLimits {
  readonly logger: Logger;
  /** Photos in work at the same time; see `visionConcurrency`. */
  readonly concurrency: number;
}

/** A photo in the queue, and the promise of its answer. */
interface Place {
  readonly request: NeighbourRequest;
  readonly askedAt: number;
  readonly answer: Promise<Neighbourhood>;
  /** Has work done in the asynchronous context of the call, not in that of the one which made room for it. */
  inItsCall<Result>(work: () => Result): Result;
  resolve(neighbourhood: Neighbourhood): void;
  reject(failure: unknown): void;
}

const ATTEMPTS = 2;

/** Photos that wait as pixels, of half a megabyte each. */
const DECODED_WAITING_MAX = 64;

/** The vision queue of an installation without Redis: the same promises, in one process, in order of arrival. */
export class InProcessVisionQueue implements VisionQueue {
  readonly #admission: Admission;
  readonly #waiting = new Set<Place>();
  readonly #active = new Map<Place, Promise<void>>();
  #closed = false;

  constructor(
    private readonly pipeline: PhotoPipeline,
    private readonly options: InProcessVisionQueueOptions,
  ) {
    this.#admission = new Admission(options);
  }

  /** JPEGs take a fifth of the memory, while photos have to wait for long. */
  get viewSize(): ViewSize | null {
    return this.#waiting.size < DECODED_WAITING_MAX ? this.pipeline.viewSize : null;
  }

  async admit(caller: VisionCaller): Promise<void> {
    if (this.#closed) throw stopping();
    this.#admission.checkEntrance(this.#load(), caller);
  }

  async enter(caller: VisionCaller): Promise<VisionPlace> {
    await this.admit(caller);
    return this.#admission.enter(caller);
  }

  /** @throws the reason of `request.signal` when it is aborted; else as the port says */
  neighbours(request: NeighbourRequest): Promise<Neighbourhood> {
    return this.#admission.asking(request, async () => {
      request.signal?.throwIfAborted();
      const askedAt = this.#admission.now();
      if (this.#closed) throw stopping();
      if (request.deadlineAt <= askedAt) throw timeout(0);
      this.#admission.check(this.#load(), request);
      return this.#wait(request, askedAt);
    });
  }

  /** The process itself. */
  async workers(): Promise<number> {
    return this.#closed ? 0 : 1;
  }

  async ping(): Promise<void> {
    if (this.#closed) throw stopping();
  }

  async depth(): Promise<QueueLoad> {
    return this.#load();
  }

  async oldestWaitingMs(): Promise<number> {
    const [oldest] = this.#waiting;
    return oldest ? Math.max(0, this.#admission.now() - oldest.askedAt) : 0;
  }

  /** Sends everyone who waits away with `unavailable`; resolves when nothing runs any more. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const place of [...this.#waiting, ...this.#active.keys()]) place.reject(stopping());
    this.#waiting.clear();
    await Promise.all(this.#active.values());
  }

  async #wait(request: NeighbourRequest, askedAt: number): Promise<Neighbourhood> {
    const ticket = this.#admission.rate.ask(askedAt);
    const place = placeFor(request, askedAt);
    const leftMs = request.deadlineAt - askedAt;
    this.#waiting.add(place);
    this.#takeNext();
    try {
      const waited = await race(place.answer, leftMs, request.signal);
      if (waited.kind === 'aborted') throw request.signal?.reason;
      if (waited.kind === 'answered') {
        this.#admission.rate.answered(ticket, this.#admission.now());
        return waited.value;
      }
      this.#admission.rate.missed(ticket, this.#admission.now());
      throw timeout(leftMs);
    } finally {
      this.#waiting.delete(place);
    }
  }

  #takeNext(): void {
    for (const place of this.#waiting) {
      if (this.#active.size >= this.options.concurrency) return;
      this.#waiting.delete(place);
      const work = place
        .inItsCall(() => this.#work(place))
        .finally(() => {
          this.#active.delete(place);
          this.#admission.rate.finish();
          this.#takeNext();
        });
      this.#active.set(place, work);
    }
  }

  /** Never rejects: the failure goes to the one who waits. */
  async #work(place: Place): Promise<void> {
    const { request, askedAt } = place;
    const photos = {
      images: request.images,
      limit: request.limit,
      scope: request.scope,
      queueMs: Math.max(0, this.#admission.now() - askedAt),
      trace: request.trace,
    };
    for (let attempt = 1; ; attempt += 1) {
      try {
        return place.resolve(await this.pipeline.neighbours(photos));
      } catch (failure) {
        if (failure instanceof AppError) return place.reject(failure);
        this.options.logger.warn(
          { requestId: request.requestId, attempt, failure: String(failure) },
          'a photo failed in the pipeline',
        );
        if (attempt === ATTEMPTS) return place.reject(internalError(failure));
      }
    }
  }

  #load(): QueueLoad {
    return { waiting: this.#waiting.size, active: this.#active.size };
  }
}

const stopping = () => unavailable('The service is stopping.', 1);

function placeFor(request: NeighbourRequest, askedAt: number): Place {
  let resolve: Place['resolve'] = () => undefined;
  let reject: Place['reject'] = () => undefined;
  const answer = new Promise<Neighbourhood>((resolved, rejected) => {
    resolve = resolved;
    reject = rejected;
  });
  // The one who waits may have left.
  answer.catch(() => undefined);
  const inItsCall: Place['inItsCall'] = AsyncResource.bind((work) => work());
  return { request, askedAt, answer, inItsCall, resolve, reject };
}

const INDEX_ATTEMPTS = 3;

/**
 * Work on the catalog's images of an installation without Redis: one slice after another, no matter who asks, so that the
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
        if (attempt === INDEX_ATTEMPTS) throw internalError(failure);
      }
    }
  }

  #next(work: () => Promise<IndexOutcome>): Promise<IndexOutcome> {
    const turn = this.#last.catch(() => undefined).then(work);
    this.#last = turn;
    return turn;
  }
}
