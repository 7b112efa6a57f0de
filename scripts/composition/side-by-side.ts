import type { Place } from '../../models/place';
import type { Logger } from '../../models/ports';
import { RecurringTask } from './recurring-task';

/** Does one piece of work, if there is one, and tells whether there was. */
export type NextPiece = (stop: AbortSignal, place: Place) => Promise<boolean>;

export interface Limits {
  /** Pieces that are done at the same time. */
  readonly atOnce: number;
  /** Pieces that wait aside, or to come back: while there are so many, none is begun. Default: no limit. */
  readonly asideMax?: number;
  readonly everyMs: number;
}

/**
 * Work of many pieces, several at the same time. While there is none, one look for it from time to time; whoever finds a
 * piece has another look for the next, so that a piece that takes long keeps none waiting.
 */
export class SideBySide {
  readonly #hands = new Set<Promise<void>>();
  readonly #task: RecurringTask;
  /** Hands in a place, hands aside, and of those the ones that want a place again. */
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

  /** Tells what runs to end, by its signal. Resolves when nothing of it runs any more. */
  async stop(): Promise<void> {
    await this.#task.stop();
    await Promise.all(this.#hands);
  }

  /** One more hand, which works until it finds nothing. Resolves when it has begun a piece, or found none. */
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
      // Not before the hand counts: what it finds brings in another.
      const hand = Promise.resolve()
        .then(() => this.#work(stop, begun))
        .then(resolve, (failure: unknown) => failed(failure))
        .finally(() => {
          this.#hands.delete(hand);
          this.#leave();
        });
      this.#hands.add(hand);
    });
  }

  #lookAgain(stop: AbortSignal): void {
    this.#look(stop).catch((failure: unknown) => this.#tell(failure));
  }

  get #isFull(): boolean {
    return this.#aside >= (this.limits.asideMax ?? Number.POSITIVE_INFINITY);
  }

  /** What comes back goes before what is not begun. */
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

  /** A place that becomes free is whose turn it is to come back. */
  #leave(): void {
    const comesBack = this.#returning.shift();
    if (comesBack) comesBack();
    else this.#placed -= 1;
  }

  #tell(failure: unknown): void {
    this.logger.warn({ task: this.name, reason: String(failure) }, 'a task failed');
  }
}
