import type { Logger } from '../../models/ports';
import { RecurringTask } from './recurring-task';

/**
 * Does one piece of work, if there is one, and tells whether there was.
 *
 * @param begun is called when there is one, before it is done
 */
export type NextPiece = (stop: AbortSignal, begun: () => void) => Promise<boolean>;

/**
 * Work of many pieces, several at the same time. While there is none, one look for it from time to time; whoever finds a
 * piece has another look for the next, so that a piece that takes long keeps none waiting.
 */
export class SideBySide {
  readonly #hands = new Set<Promise<void>>();
  readonly #task: RecurringTask;

  constructor(
    private readonly name: string,
    private readonly limits: { readonly atOnce: number; readonly everyMs: number },
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
    if (stop.aborted || this.#hands.size >= this.limits.atOnce) return Promise.resolve();
    return new Promise((resolve, reject) => {
      let failed: (failure: unknown) => void = reject;
      const begun = (): void => {
        failed = (failure) => this.#tell(failure);
        resolve();
        this.#look(stop).catch((failure: unknown) => this.#tell(failure));
      };
      // Not before the hand counts: what it finds brings in another.
      const hand = Promise.resolve()
        .then(() => this.#work(stop, begun))
        .then(resolve, (failure: unknown) => failed(failure))
        .finally(() => this.#hands.delete(hand));
      this.#hands.add(hand);
    });
  }

  async #work(stop: AbortSignal, begun: () => void): Promise<void> {
    while (!stop.aborted && (await this.next(stop, begun)));
  }

  #tell(failure: unknown): void {
    this.logger.warn({ task: this.name, reason: String(failure) }, 'a task failed');
  }
}
