import { stopping } from '../../models/errors';
import { PHOTOS_EXPECTED_MS } from '../foreground-load';
import type { BackendName } from './backends';
import type { Embeddings, Engine } from './engine';
import { EngineGroup, type EngineGroupOptions } from './engine-group';

export interface InferencePoolOptions extends EngineGroupOptions {
  /** Time after which a batch counts as hung, and its engine is replaced. */
  readonly batchTimeoutMs: number;
}

export interface InferencePoolStats {
  /** What computes each model that is loaded, by its reference. */
  readonly models: Readonly<Record<string, BackendName>>;
  readonly threads: number;
  readonly free: number;
  /** Pictures in each lane, waiting or in work. */
  readonly pictures: Readonly<Record<Lane, number>>;
  /** Engines that ended and were replaced since the start. */
  readonly replaced: number;
}

/** One core stays for everything else, but of two both compute: what remains is input and output. */
export const defaultThreads = (cores: number): number => (cores === 2 ? 2 : Math.max(1, cores - 1));

/** Photos that a process has in work: enough, of several views each, for a full batch per thread while the next ones form. */
export const visionConcurrency = (threads: number): number => 8 * threads;

/** One picture could not be embedded, through no fault of the others or of the machine; retrying does not help. */
export class PictureFailed extends Error {
  override readonly name = 'PictureFailed';
}

/**
 * Inference outside of the main thread: a free engine takes everything waiting, up to a batch, at once and without a timer;
 * photos of callers first, and while they come one engine is kept for them. A batch whose engine fails is tried once more,
 * each view alone.
 */
export class InferencePool {
  /** Views in the order in which they are served. */
  readonly #waiting: Readonly<Record<Lane, WaitingView[]>> = { query: [], catalog: [] };
  readonly #running = new Set<Promise<void>>();
  readonly #pictures: Record<Lane, number> = { query: 0, catalog: 0 };
  #catalogBatches = 0;
  #photoAt = Number.NEGATIVE_INFINITY;
  #closed = false;

  private constructor(
    /** Into which models are loaded. */
    readonly engines: EngineGroup,
    private readonly options: InferencePoolOptions,
  ) {
    engines.whenFree = () => this.#dispatch();
  }

  /** A pool whose engines run, without a model yet. @throws Error when no backend starts here */
  static async start(options: InferencePoolOptions): Promise<InferencePool> {
    return new InferencePool(await EngineGroup.start(options), options);
  }

  /**
   * Embeds the views of one picture: a unit vector each. They are spread over the engines that are free.
   * @param views width x height x 3 bytes each, red, green and blue
   * @throws PictureFailed when a view has no usable vector, or its inference failed twice
   * @throws AppError 503 when the pool is closed
   */
  async embed(model: string, views: readonly Uint8Array[], lane: Lane): Promise<readonly Float32Array[]> {
    if (this.#closed) throw stopping();
    this.#pictures[lane] += 1;
    if (lane === 'query') this.#photoAt = performance.now();
    try {
      const vectors = views.map(
        (pixels) =>
          new Promise<Float32Array>((resolve, reject) => {
            this.#waiting[lane].push({ lane, model, pixels, failedBefore: false, resolve, reject });
          }),
      );
      this.#dispatch();
      return await Promise.all(vectors);
    } finally {
      this.#pictures[lane] -= 1;
    }
  }

  stats(): InferencePoolStats {
    const { engines } = this;
    const { size: threads, replaced } = engines;
    const pictures = { ...this.#pictures };
    return { models: engines.models(), threads, free: engines.free().length, pictures, replaced };
  }

  /** Finishes what runs, refuses what waits, ends the engines. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const lane of LANES) for (const view of this.#waiting[lane].splice(0)) view.reject(stopping());
    await Promise.all(this.#running);
    await this.engines.close();
  }

  #dispatch(): void {
    const { rowsMax, size } = this.engines;
    for (const [index, engine] of this.engines.free().entries()) {
      const lanes = this.#openLanes().map((lane) => this.#waiting[lane]);
      const batch = nextBatch(lanes, rowsMax, size - index);
      if (batch.length === 0) return;
      const run = this.#run(engine, batch).finally(() => {
        this.#running.delete(run);
        this.#dispatch();
      });
      this.#running.add(run);
    }
  }

  /** A batch can't be broken off, and takes the processor from everything else that a photo needs. */
  #openLanes(): readonly Lane[] {
    const { size } = this.engines;
    const isExpected = performance.now() - this.#photoAt < PHOTOS_EXPECTED_MS;
    return isExpected && size > 1 && this.#catalogBatches >= size - 1 ? ['query'] : LANES;
  }

  /** Never rejects: every view of the batch is answered, refused, or put back. */
  async #run(engine: Engine, batch: readonly WaitingView[]): Promise<void> {
    engine.tasks += 1;
    const catalogBatch = batch[0]?.lane === 'catalog' ? 1 : 0;
    this.#catalogBatches += catalogBatch;
    try {
      const whole = Buffer.concat(batch.map((view) => view.pixels));
      // A small buffer shares its memory with others, and can't be given away.
      const pixels = whole.length === whole.buffer.byteLength ? whole : new Uint8Array(whole);
      const request = { key: batch[0]?.model ?? '', rows: batch.length, pixels };
      answer(batch, await engine.call('run', request, this.options.batchTimeoutMs));
    } catch (failure) {
      // The state left by a failed inference can't be trusted.
      await engine.stop();
      this.#tryAgain(batch, failure);
    } finally {
      this.#catalogBatches -= catalogBatch;
      engine.tasks -= 1;
    }
  }

  #tryAgain(batch: readonly WaitingView[], failure: unknown): void {
    this.options.logger.warn({ views: batch.length, failure: String(failure) }, 'an inference failed');
    for (const view of batch.toReversed()) {
      if (this.#closed) view.reject(stopping());
      else if (view.failedBefore)
        view.reject(new PictureFailed('the inference failed twice', { cause: failure }));
      else {
        view.failedBefore = true;
        this.#waiting[view.lane].unshift(view);
      }
    }
  }
}

function answer(batch: readonly WaitingView[], { vectors, broken }: Embeddings): void {
  const dimensions = vectors.length / batch.length;
  for (const [row, view] of batch.entries()) {
    if (broken.includes(row))
      view.reject(new PictureFailed('the model gives no finite vector for this picture'));
    else view.resolve(vectors.slice(row * dimensions, (row + 1) * dimensions));
  }
}

/** Photos of callers go before pictures of the catalog. */
const LANES = ['query', 'catalog'] as const;
export type Lane = (typeof LANES)[number];

/** A new photo waits for the batch in work: few pictures of the catalog are as quick, view by view, as many. */
const CATALOG_ROWS_MAX = 3;

interface WaitingView {
  readonly lane: Lane;
  /** Key of the model that it is for. */
  readonly model: string;
  /** Width x height x 3 bytes, red, green and blue. */
  readonly pixels: Uint8Array;
  /** Whether an engine failed on it before: then it runs alone, so that it can't affect others. */
  failedBefore: boolean;
  resolve(vector: Float32Array): void;
  reject(failure: Error): void;
}

/**
 * Takes the next batch for one of so many `engines` out of the first of these lanes that has any: views for one model, at
 * most `rowsMax`, and no more than its share of what waits, so that something is left for those that are busy yet, and all
 * end at about the same time. Empty when nothing waits.
 */
function nextBatch(lanes: readonly WaitingView[][], rowsMax: number, engines: number): WaitingView[] {
  const lane = lanes.find((each) => each.length > 0);
  const first = lane?.[0];
  if (!lane || !first) return [];
  if (first.failedBefore) return lane.splice(0, 1);
  const share = Math.ceil(lane.length / engines);
  const most = Math.min(rowsMax, share, first.lane === 'catalog' ? CATALOG_ROWS_MAX : share);
  const other = lane.findIndex(({ model, failedBefore }) => failedBefore || model !== first.model);
  return lane.splice(0, other < 0 ? most : Math.min(most, other));
}
