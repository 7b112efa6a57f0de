import pRetry, { type Options } from 'p-retry';

const FIRST_MS = 2_000;
export const PAUSE_MAX_MS = 3_600_000;

/** Milliseconds until the next try after this many failures: two seconds, then twice as long, up to an hour. */
export const pauseAfter = (tries: number): number => Math.min(FIRST_MS * 2 ** (tries - 1), PAUSE_MAX_MS);

/** The number of tries that fit into a day with the pauses between them. */
export const TRIES_PER_DAY = 35;

/** Retries after a failure of any kind. p-retry gives up at a TypeError, which drivers throw too when a connection breaks. */
export const retryAlways = <Result>(work: () => Promise<Result>, options: Options): Promise<Result> =>
  pRetry(
    () =>
      work().catch((failure: unknown) => {
        const isRetried = failure instanceof Error && !(failure instanceof TypeError);
        throw isRetried ? failure : new Error(String(failure), { cause: failure });
      }),
    options,
  );
