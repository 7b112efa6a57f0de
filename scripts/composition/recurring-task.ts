import type { Logger } from '../../models/ports';

/** Work that is done from time to time; what fails is logged and done again the next time. */
export class RecurringTask {
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();
  readonly #stop = new AbortController();

  constructor(
    private readonly name: string,
    private readonly everyMs: number,
    private readonly work: (signal: AbortSignal) => Promise<unknown>,
    private readonly logger: Logger,
  ) {}

  /** @param firstAfterMs one interval, where nothing is said */
  start(firstAfterMs = this.everyMs): void {
    if (this.#stop.signal.aborted) return;
    this.#timer = setTimeout(() => {
      this.#running = this.work(this.#stop.signal)
        .catch((failure: unknown) =>
          this.logger.warn({ task: this.name, reason: String(failure) }, 'a task failed'),
        )
        .then(() => this.start());
    }, firstAfterMs).unref();
  }

  /** Tells what runs to end, by its signal. Resolves when nothing of it runs any more. */
  async stop(): Promise<void> {
    this.#stop.abort();
    clearTimeout(this.#timer);
    await this.#running;
  }
}
