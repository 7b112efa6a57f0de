import pRetry from 'p-retry';
import { AppError } from '../errors';

/** What fails (the queue or the database is away, workers died over it) is tried again for a minute and a half. */
const BACKOFF = { retries: 7, minTimeout: 1_000, maxTimeout: 30_000 };

/** Who hears of each try that failed, and what ends the waiting. */
export interface RetryOptions {
  readonly note: (line: string) => void;
  readonly signal: AbortSignal;
}

/**
 * Does what may be done again, until it succeeds or has failed too often.
 *
 * @throws the reason of `signal`; the last failure, or the first that another try can't mend: anything but an AppError,
 * and what is not there
 */
export function retry<Result>(work: () => Promise<Result>, { note, signal }: RetryOptions): Promise<Result> {
  return pRetry(work, {
    ...BACKOFF,
    signal,
    shouldRetry: ({ error }) => {
      if (!(error instanceof AppError) || error.code === 'not_found' || signal.aborted) return false;
      note(`${reasonOf(error)}; trying again`);
      return true;
    },
  });
}

/** What went wrong in here is told in full: anyone who reads it is the operator. */
const reasonOf = (failure: AppError): string =>
  failure.code === 'internal_error' && failure.cause !== undefined ? String(failure.cause) : failure.message;
