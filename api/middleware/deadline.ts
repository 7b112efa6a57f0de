import type { Request, Response } from 'express';
import { timeout } from '../../models/errors';

/** Time for a last check by code that keeps the deadline itself and can report more about it. */
const SLACK_MS = 300;

/** The time in which a call must be answered, not counting the time its caller takes to send it. */
export class Deadline {
  readonly #over = new AbortController();
  readonly signal = this.#over.signal;
  readonly #late: Promise<never>;
  #leftMs: number;
  #goesSince = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(private readonly ms: number) {
    this.#leftMs = ms + SLACK_MS;
    // One for all waits: a signal listener for each would cost more than most waits.
    this.#late = new Promise((_resolve, reject) => {
      this.signal.addEventListener('abort', () => reject(timeout(ms)), { once: true });
    });
    this.#late.catch(() => undefined);
    this.go();
  }

  go(): void {
    clearTimeout(this.#timer);
    this.#goesSince = performance.now();
    this.#timer = setTimeout(() => this.#over.abort(), Math.max(0, this.#leftMs));
  }

  /** Pauses the clock; when the call has ended, for ever. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#leftMs -= performance.now() - this.#goesSince;
  }

  /** Waits for work only as long as time remains. @throws timeout, or whatever the work throws in time */
  async enforce<Result>(work: Promise<Result>): Promise<Result> {
    try {
      return await Promise.race([work, this.#late]);
    } catch (failure) {
      throw this.signal.aborted ? timeout(this.ms) : failure;
    }
  }

  /** Likewise, but runs a paused clock meanwhile: for waits that are not the caller's fault. */
  async runDuring<Result>(work: Promise<Result>): Promise<Result> {
    this.go();
    try {
      return await this.enforce(work);
    } finally {
      this.stop();
    }
  }
}

export const startDeadline = (ms: number) => (_req: Request, res: Response) => {
  const deadline = new Deadline(ms);
  res.locals.deadline = deadline;
  res.once('close', () => deadline.stop());
};
