import { timeout } from '../../models/errors';

/**
 * Room for the last look of those who keep the deadline themselves and know more about it. What does not (a store
 * that hangs) is cut off after it.
 */
const SLACK_MS = 300;

/** The time that a call has to be answered, less what its caller takes to send it. */
export class Deadline {
  readonly #over = new AbortController();
  #leftMs: number;
  #goesSince = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(private readonly ms: number) {
    this.#leftMs = ms + SLACK_MS;
    this.go();
  }

  /** Aborted when the time is over. */
  get signal(): AbortSignal {
    return this.#over.signal;
  }

  /** The clock runs. */
  go(): void {
    clearTimeout(this.#timer);
    this.#goesSince = performance.now();
    this.#timer = setTimeout(() => this.#over.abort(), Math.max(0, this.#leftMs));
  }

  /** The clock stands still; also for good, when the call has ended. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#leftMs -= performance.now() - this.#goesSince;
  }

  /**
   * Waits for work no longer than there is time. What it comes to later is dropped.
   *
   * @throws timeout, or whatever the work throws in time
   */
  async keptBy<Result>(work: Promise<Result>): Promise<Result> {
    const ended = new AbortController();
    const late = new Promise<never>((_resolve, reject) => {
      const refuse = (): void => reject(timeout(this.ms));
      if (this.signal.aborted) refuse();
      this.signal.addEventListener('abort', refuse, { once: true, signal: ended.signal });
    });
    try {
      return await Promise.race([work, late]);
    } catch (failure) {
      throw this.signal.aborted ? timeout(this.ms) : failure;
    } finally {
      ended.abort();
    }
  }
}
