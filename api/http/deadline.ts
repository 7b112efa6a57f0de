import type { RequestHandler, Response } from 'express';
import { timeout } from '../../models/errors';
import './locals';

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

/** The first of the gates of a call with a deadline. */
export function startDeadline(ms: number): RequestHandler {
  return (_req, res, next) => {
    const deadline = new Deadline(ms);
    res.locals.deadline = deadline;
    res.once('close', () => deadline.stop());
    next();
  };
}

/** A gate that asks a store: 504 when it does not open before the deadline, however long the store takes. */
export function inTime(gate: RequestHandler): RequestHandler {
  return async (req, res, next) => {
    let opened: readonly unknown[] | null = null;
    const passed = Promise.resolve(
      gate(req, res, (...failure: unknown[]) => {
        opened = failure;
      }),
    );
    await deadlineOf(res).keptBy(passed);
    if (opened) next(...(opened as []));
  };
}

/** A gate that waits for the caller: meanwhile the clock of the deadline stands still. */
export function unhurried(gate: RequestHandler): RequestHandler {
  return (req, res, next) => {
    deadlineOf(res).stop();
    return gate(req, res, (...failure: unknown[]) => {
      deadlineOf(res).go();
      next(...(failure as []));
    });
  };
}

/** The deadline of a call; a route that asks without `startDeadline` before it is a mistake in the route table. */
export function deadlineOf({ locals: { deadline } }: Response): Deadline {
  if (!deadline) throw new Error('A route reads the deadline without starting it first.');
  return deadline;
}
