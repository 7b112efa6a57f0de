import type { Response } from 'express';
import { timeout } from '../../models/errors';
import { type Gate, pass } from './gate';

/**
 * Room for the last look of those who keep the deadline themselves and know more about it. What does not (a store
 * that hangs) is cut off after it.
 */
const SLACK_MS = 300;

/** The time that a call has to be answered, less what its caller takes to send it. */
export class Deadline {
  readonly #over = new AbortController();
  /** Cuts off what is waited for. A listener of the signal for each wait would cost more than most waits. */
  readonly #cutOffs = new Set<() => void>();
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
    this.#timer = setTimeout(() => this.#end(), Math.max(0, this.#leftMs));
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
  async enforce<Result>(work: Promise<Result>): Promise<Result> {
    let cutOff = (): void => undefined;
    const late = new Promise<never>((_resolve, reject) => {
      cutOff = () => reject(timeout(this.ms));
    });
    this.#cutOffs.add(cutOff);
    if (this.signal.aborted) cutOff();
    try {
      return await Promise.race([work, late]);
    } catch (failure) {
      throw this.signal.aborted ? timeout(this.ms) : failure;
    } finally {
      this.#cutOffs.delete(cutOff);
    }
  }

  #end(): void {
    this.#over.abort();
    for (const cutOff of this.#cutOffs) cutOff();
  }
}

/** The first gate of a call with a deadline. */
export function startDeadline(ms: number): Gate {
  return (_req, res) => {
    const deadline = new Deadline(ms);
    res.locals.deadline = deadline;
    res.once('close', () => deadline.stop());
  };
}

/** Gates that ask a store: 504 when they are not passed before the deadline, however long the store takes. */
export function withinDeadline(...gates: Gate[]): Gate {
  return (req, res) => deadlineOf(res).enforce(pass(gates, req, res));
}

/** A gate that waits for the caller: meanwhile the clock of the deadline stands still. */
export function outsideDeadline(gate: Gate): Gate {
  return async (req, res) => {
    const deadline = deadlineOf(res);
    deadline.stop();
    await gate(req, res);
    deadline.go();
  };
}

/** Waits within such a gate for what the caller is not to blame for: meanwhile the clock goes, where the call has one. */
export async function raceDeadline<Result>(res: Response, work: Promise<Result>): Promise<Result> {
  const { deadline } = res.locals;
  if (!deadline) return work;
  deadline.go();
  try {
    return await deadline.enforce(work);
  } finally {
    deadline.stop();
  }
}

/** The deadline of a call; a gate that asks without `startDeadline` before it is a mistake in the table of endpoints. */
function deadlineOf({ locals: { deadline } }: Response): Deadline {
  if (!deadline) throw new Error('A gate reads the deadline before it is started.');
  return deadline;
}
