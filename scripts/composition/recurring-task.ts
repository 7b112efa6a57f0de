import type { Logger } from '../../models/ports';

/** Work that is done from time to time; what fails is done again the next time, and logged where it did not fail so before. */
export class RecurringTask {
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();
  readonly #stop = new AbortController();
  /** An outage says the same again each time. */
  #told = '';

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
        .then(
          () => {
            this.#told = '';
          },
          (failure: unknown) => this.#tell(String(failure)),
        )
        .then(() => this.start());
    }, firstAfterMs).unref();
  }

  #tell(reason: string): void {
    if (reason !== this.#told) this.logger.warn({ task: this.name, reason }, 'a task failed');
    this.#told = reason;
  }

  /** Tells what runs to end, by its signal. Resolves when nothing of it runs any more. */
  async stop(): Promise<void> {
    this.#stop.abort();
    clearTimeout(this.#timer);
    await this.#running;
  }
}
