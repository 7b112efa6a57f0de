import type { Place } from '../../models/place';
import type { Logger } from '../../models/ports';
import { RecurringTask } from './recurring-task';

/** Does one piece of work, if there is one; returns whether there was. */
export type NextPiece = (stop: AbortSignal, place: Place) => Promise<boolean>;

export interface Limits {
  readonly atOnce: number;
  /** No piece is begun while this many have given up their slot and not got it back. Default: no limit. */
  readonly asideMax?: number;
  readonly everyMs: number;
}

/** Does several pieces of work at once. One loop polls while there are none; a loop that begins a piece starts another. */
export class ConcurrentPoller {
  readonly #loops = new Set<Promise<void>>();
  readonly #task: RecurringTask;
  /** Loops that have a slot, those that have stepped aside, and those of the latter that want their slot back. */
  #placed = 0;
  #aside = 0;
  readonly #returning: (() => void)[] = [];

  constructor(
    private readonly name: string,
    private readonly limits: Limits,
    private readonly next: NextPiece,
    private readonly logger: Logger,
  ) {
    this.#task = new RecurringTask(name, limits.everyMs, (stop) => this.#look(stop), logger);
  }

  start(): void {
    this.#task.start();
  }

  async stop(): Promise<void> {
    await this.#task.stop();
    await Promise.all(this.#loops);
  }

  /** Starts a loop, which continues until it finds nothing. Resolves when it has begun a piece, or found none. */
  #look(stop: AbortSignal): Promise<void> {
    if (stop.aborted || this.#isFull || this.#placed >= this.limits.atOnce) return Promise.resolve();
    this.#placed += 1;
    return new Promise((resolve, reject) => {
      let failed: (failure: unknown) => void = reject;
      const begun = (): void => {
        failed = (failure) => this.#tell(failure);
        resolve();
        this.#lookAgain(stop);
      };
      // Deferred until the loop is counted: a piece that it finds starts another loop.
      const loop = Promise.resolve()
        .then(() => this.#work(stop, begun))
        .then(resolve, (failure: unknown) => failed(failure))
        .finally(() => {
          this.#loops.delete(loop);
          this.#leave();
        });
      this.#loops.add(loop);
    });
  }

  #lookAgain(stop: AbortSignal): void {
    this.#look(stop).catch((failure: unknown) => this.#tell(failure));
  }

  get #isFull(): boolean {
    return this.#aside >= (this.limits.asideMax ?? Number.POSITIVE_INFINITY);
  }

  /** Returning pieces go before those that have not begun. */
  async #work(stop: AbortSignal, begun: () => void): Promise<void> {
    const place: Place = { begun, aside: (wait) => this.#stepAside(stop, wait) };
    while (!stop.aborted && !this.#isFull && (await this.next(stop, place)) && this.#returning.length === 0);
  }

  async #stepAside<Result>(stop: AbortSignal, wait: () => Promise<Result>): Promise<Result> {
    this.#aside += 1;
    this.#leave();
    this.#lookAgain(stop);
    try {
      return await wait();
    } finally {
      if (this.#placed < this.limits.atOnce) this.#placed += 1;
      else await new Promise<void>((resolve) => this.#returning.push(resolve));
      this.#aside -= 1;
    }
  }

  /** Frees a slot, or hands it to the first piece that wants its own back. */
  #leave(): void {
    const comesBack = this.#returning.shift();
    if (comesBack) comesBack();
    else this.#placed -= 1;
  }

  #tell(failure: unknown): void {
    this.logger.warn({ task: this.name, reason: String(failure) }, 'a task failed');
  }
}
