import type { Logger } from '../../models/ports';

/** Work that is repeated at an interval, failed or not. Failures with the same reason in a row are logged once. */
export class RecurringTask {
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();
  readonly #stop = new AbortController();
  #told = '';

  constructor(
    private readonly name: string,
    private readonly everyMs: number,
    private readonly work: (signal: AbortSignal) => Promise<unknown>,
    private readonly logger: Logger,
  ) {}

  start(firstAfterMs = this.everyMs): void {
    if (this.#stop.signal.aborted) return;
    this.#timer = setTimeout(() => {
      this.#running = this.work(this.#stop.signal)
        .then(() => '', String)
        .then((reason) => {
          if (reason !== '' && reason !== this.#told) {
            this.logger.warn({ task: this.name, reason }, 'a task failed');
          }
          this.#told = reason;
          this.start();
        });
    }, firstAfterMs).unref();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    clearTimeout(this.#timer);
    await this.#running;
  }
}
