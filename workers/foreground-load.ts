import { EventEmitter, once } from 'node:events';
import { race } from './queue/race';

/** How long after a photo more are expected. */
export const PHOTOS_EXPECTED_MS = 1_000;

/** Other work waits for photos, but no longer than this. */
const PATIENCE_MS = 500;

/** The callers' photos that this process is working on, so that other work can yield to them. */
export class ForegroundLoad {
  #count = 0;
  #seenAt = Number.NEGATIVE_INFINITY;
  #last: Promise<unknown> = Promise.resolve();
  readonly #events = new EventEmitter<{ idle: [] }>();

  /** Counts a photo as being processed until `work` has ended. */
  async track<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#count += 1;
    try {
      return await work();
    } finally {
      this.#count -= 1;
      this.#seenAt = performance.now();
      if (this.#count === 0) this.#events.emit('idle');
    }
  }

  /**
   * Does other work at once while no photos come, else piece by piece between photos, so that the next one finds a processor.
   * @param signal ends the wait; `work` itself must watch it
   */
  runBetween<Result>(work: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    if (this.#count === 0 && performance.now() - this.#seenAt > PHOTOS_EXPECTED_MS) return work();
    const turn = this.#last.then(() => this.#idle(signal)).then(work);
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  async #idle(signal?: AbortSignal): Promise<void> {
    if (this.#count === 0) return;
    const waiting = new AbortController();
    const idle = once(this.#events, 'idle', { signal: waiting.signal }).catch(() => undefined);
    await race(idle, PATIENCE_MS, signal);
    waiting.abort();
  }
}
