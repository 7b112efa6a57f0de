import { unavailable } from '../../models/errors';
import type { BackendName } from './backend-choice';
import { EngineGroup, type EngineGroupOptions, type Member } from './engine-group';
import type { Embeddings } from './engine-messages';
import type { ModelFolder } from './model-files';
import { PictureFailed } from './picture-failed';
import { type Lane, PictureLanes, type WaitingPicture } from './picture-lanes';

/** How inference runs in this process. */
export interface InferencePoolOptions extends EngineGroupOptions {
  /** Pictures that may wait in each lane. */
  readonly waitingMax: number;
  /** After which a batch counts as hung, and its engine is replaced. */
  readonly batchTimeoutMs: number;
}

/** What the pool does at the moment, for metrics. */
export interface InferencePoolStats {
  readonly backend: BackendName;
  readonly threads: number;
  readonly free: number;
  readonly waiting: Readonly<Record<Lane, number>>;
  /** Engines that ended and were replaced since the start. */
  readonly replaced: number;
}

/** One core stays for everything else, but of two both compute: what remains is input and output. */
export const defaultThreads = (cores: number): number => (cores === 2 ? 2 : Math.max(1, cores - 1));

const RETRY_AFTER_SECONDS = 1;

/**
 * Inference outside of the main thread: an engine that is free takes all that waits, up to a batch, at once and without
 * a timer; photos of callers first. A batch whose engine fails is tried once more, each picture alone.
 */
export class InferencePool {
  readonly #lanes = new PictureLanes();
  readonly #running = new Set<Promise<void>>();
  #group: EngineGroup | null = null;
  #closed = false;

  private constructor(private readonly options: InferencePoolOptions) {}

  /**
   * A pool whose engines run, without a model yet.
   *
   * @throws Error when no backend starts here
   */
  static async start(options: InferencePoolOptions): Promise<InferencePool> {
    const pool = new InferencePool(options);
    pool.#group = await EngineGroup.start(options, () => pool.#dispatch());
    return pool;
  }

  /**
   * Brings a model into every engine, tried and warm.
   *
   * @throws ModelRefused with the reason
   */
  async load(key: string, model: ModelFolder): Promise<void> {
    await this.#group?.load(key, model);
  }

  /** Takes a model out of memory, after what runs. */
  async unload(key: string): Promise<void> {
    await this.#group?.unload(key);
  }

  /**
   * Embeds the views of one picture: one unit vector per row.
   *
   * @param rows width x height x 3 bytes each, red, green and blue
   * @throws PictureFailed when this picture has no usable vector, or its inference failed twice
   * @throws unavailable when too many wait or the pool is closed
   */
  embed(model: string, rows: readonly Uint8Array[], lane: Lane): Promise<readonly Float32Array[]> {
    if (this.#closed) return Promise.reject(stopping());
    if (this.#lanes.waiting(lane) >= this.options.waitingMax) {
      return Promise.reject(unavailable('Too many pictures wait for the model.', RETRY_AFTER_SECONDS));
    }
    return new Promise((resolve, reject) => {
      this.#lanes.add({ lane, model, rows, failedBefore: false, resolve, reject });
      this.#dispatch();
    });
  }

  stats(): InferencePoolStats | null {
    if (!this.#group) return null;
    const { backend, size, replaced } = this.#group;
    const waiting = { query: this.#lanes.waiting('query'), catalog: this.#lanes.waiting('catalog') };
    return { backend, threads: size, free: this.#group.free().length, waiting, replaced };
  }

  /** Finishes what runs, refuses what waits, ends the engines. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const picture of this.#lanes.drain()) picture.reject(stopping());
    await Promise.all(this.#running);
    await this.#group?.close();
  }

  #dispatch(): void {
    const free = this.#group?.free() ?? [];
    for (const [index, member] of free.entries()) {
      const batch = this.#lanes.take(this.#group?.rowsMax ?? 1, free.length - index);
      if (batch.length === 0) return;
      const run = this.#run(member, batch).finally(() => {
        this.#running.delete(run);
        this.#dispatch();
      });
      this.#running.add(run);
    }
  }

  /** Never rejects: every picture of the batch is answered, refused, or put back. */
  async #run(member: Member, batch: readonly WaitingPicture[]): Promise<void> {
    const hung = setTimeout(() => void member.handle.stop(), this.options.batchTimeoutMs);
    member.tasks += 1;
    try {
      const rows = batch.flatMap((picture) => picture.rows);
      const request = { key: batch[0]?.model ?? '', rows: rows.length, pixels: joined(rows) };
      answer(batch, await member.handle.call('run', request));
    } catch (failure) {
      // Whatever state a failed inference left behind is not worth trusting.
      await member.handle.stop();
      this.#tryAgain(batch, failure);
    } finally {
      clearTimeout(hung);
      member.tasks -= 1;
    }
  }

  #tryAgain(batch: readonly WaitingPicture[], failure: unknown): void {
    this.options.logger.warn({ pictures: batch.length, failure: String(failure) }, 'an inference failed');
    for (const picture of batch.toReversed()) {
      if (this.#closed) picture.reject(stopping());
      else if (picture.failedBefore) picture.reject(new PictureFailed('the inference failed twice', failure));
      else {
        picture.failedBefore = true;
        this.#lanes.putBack(picture);
      }
    }
  }
}

const stopping = () => unavailable('The service is stopping.', RETRY_AFTER_SECONDS);

function answer(batch: readonly WaitingPicture[], { vectors, broken }: Embeddings): void {
  const rows = batch.reduce((sum, picture) => sum + picture.rows.length, 0);
  const dimensions = vectors.length / rows;
  let next = 0;
  for (const picture of batch) {
    const from = next;
    next += picture.rows.length;
    if (broken.some((row) => row >= from && row < next)) {
      picture.reject(new PictureFailed('the model gives no finite vector for this picture'));
      continue;
    }
    picture.resolve(
      picture.rows.map((_, view) =>
        vectors.slice((from + view) * dimensions, (from + view + 1) * dimensions),
      ),
    );
  }
}

function joined(rows: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const pixels = new Uint8Array(rows.reduce((sum, row) => sum + row.length, 0));
  let offset = 0;
  for (const row of rows) {
    pixels.set(row, offset);
    offset += row.length;
  }
  return pixels;
}
