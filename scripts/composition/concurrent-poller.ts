import type { Logger, WorkSlot } from '../../models/ports';
import { RecurringTask } from './recurring-task';

/** Does one piece of work; returns whether there was any. */
export type NextTask = (stop: AbortSignal, slot: WorkSlot) => Promise<boolean>;

export interface Limits {
  readonly atOnce: number;
  /** No new piece begins while this many have released their slot and not got it back. Default: no limit. */
  readonly pausedMax?: number;
  readonly everyMs: number;
}

/** Runs tasks concurrently. One loop polls while there is none; a loop that begins a piece starts another. */
export class ConcurrentPoller {
  readonly #loops = new Set<Promise<void>>();
  readonly #task: RecurringTask;
  /** Loops that have a slot, those that are paused, and paused ones that want their slot back. */
  #held = 0;
  #paused = 0;
  readonly #returning: (() => void)[] = [];

  constructor(
    private readonly name: string,
    private readonly limits: Limits,
    private readonly next: NextTask,
    private readonly logger: Logger,
  ) {
    this.#task = new RecurringTask(name, limits.everyMs, (stop) => this.#poll(stop), logger);
  }

  start(): void {
    this.#task.start();
  }

  async stop(): Promise<void> {
    await this.#task.stop();
    await Promise.all(this.#loops);
  }

  /** Starts a loop that runs until it finds no work. Resolves when it has begun a piece, or found none. */
  #poll(stop: AbortSignal): Promise<void> {
    if (stop.aborted || this.#isFull || this.#held >= this.limits.atOnce) return Promise.resolve();
    this.#held += 1;
    return new Promise((resolve, reject) => {
      let failed: (failure: unknown) => void = reject;
      const reportWork = (): void => {
        failed = (failure) => this.#logFailure(failure);
        resolve();
        this.#pollAgain(stop);
      };
      // Deferred until the loop is counted: a piece that it finds starts another loop.
      const loop = Promise.resolve()
        .then(() => this.#work(stop, reportWork))
        .then(resolve, (failure: unknown) => failed(failure))
        .finally(() => {
          this.#loops.delete(loop);
          this.#leave();
        });
      this.#loops.add(loop);
    });
  }

  #pollAgain(stop: AbortSignal): void {
    this.#poll(stop).catch((failure: unknown) => this.#logFailure(failure));
  }

  get #isFull(): boolean {
    return this.#paused >= (this.limits.pausedMax ?? Number.POSITIVE_INFINITY);
  }

  /** Returning pieces go before those that have not begun. */
  async #work(stop: AbortSignal, reportWork: () => void): Promise<void> {
    const slot: WorkSlot = { reportWork, releaseWhile: (wait) => this.#releaseWhile(stop, wait) };
    while (!stop.aborted && !this.#isFull && (await this.next(stop, slot)) && this.#returning.length === 0);
  }

  async #releaseWhile<Result>(stop: AbortSignal, wait: () => Promise<Result>): Promise<Result> {
    this.#paused += 1;
    this.#leave();
    this.#pollAgain(stop);
    try {
      return await wait();
    } finally {
      if (this.#held < this.limits.atOnce) this.#held += 1;
      else await new Promise<void>((resolve) => this.#returning.push(resolve));
      this.#paused -= 1;
    }
  }

  /** Frees a slot, or hands it to the first piece that wants its own back. */
  #leave(): void {
    const next = this.#returning.shift();
    if (next) next();
    else this.#held -= 1;
  }

  #logFailure(failure: unknown): void {
    this.logger.warn({ task: this.name, reason: String(failure) }, 'a task failed');
  }
}
