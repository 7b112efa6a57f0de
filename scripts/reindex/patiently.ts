import { setTimeout as delay } from 'node:timers/promises';
import { AppError } from '../../models/errors';

/** What fails (the queue or the database is away, workers died over it) is tried again for a minute and a half. */
const ATTEMPTS = 8;
const WAIT_FIRST_MS = 1_000;
const WAIT_MAX_MS = 30_000;

/** Who hears of each try that failed, and what ends the waiting. */
export interface Patience {
  readonly note: (line: string) => void;
  readonly signal: AbortSignal;
}

/**
 * Does what may be done again, until it succeeds or has failed too often.
 *
 * @throws the reason of `signal`; the last failure, or the first that another try can't mend: anything but an AppError,
 * and what is not there
 */
export async function patiently<Result>(
  work: () => Promise<Result>,
  { note, signal }: Patience,
): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (failure) {
      if (!(failure instanceof AppError) || failure.code === 'not_found' || attempt === ATTEMPTS)
        throw failure;
      signal.throwIfAborted();
      note(`${reasonOf(failure)}; trying again`);
      const waitMs = Math.min(WAIT_MAX_MS, WAIT_FIRST_MS * 2 ** (attempt - 1));
      // Only the signal ends it early, whose own reason is the one to tell.
      await delay(waitMs, undefined, { signal }).catch(() => signal.throwIfAborted());
    }
  }
}

/** What went wrong in here is told in full: whoever reads it is the operator. */
const reasonOf = (failure: AppError): string =>
  failure.code === 'internal_error' && failure.cause !== undefined ? String(failure.cause) : failure.message;
