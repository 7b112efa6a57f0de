import type { Logger } from '../../models/ports';

/** Work that is done from time to time; what fails is logged and done again the next time. */
export class RecurringTask {
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(
    private readonly name: string,
    private readonly everyMs: number,
    private readonly work: () => Promise<unknown>,
    private readonly logger: Logger,
  ) {}

  /** The first time is after one interval. */
  start(): void {
    if (this.#stopped) return;
    this.#timer = setTimeout(() => {
      this.#running = this.work()
        .catch((failure: unknown) =>
          this.logger.warn({ task: this.name, reason: String(failure) }, 'a task failed'),
        )
        .then(() => this.start());
    }, this.everyMs).unref();
  }

  /** Resolves when nothing of it runs any more. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#running;
  }
}
