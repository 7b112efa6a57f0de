import { type RateLimiterAbstract, RateLimiterRes } from 'rate-limiter-flexible';
import type { LimitDecision } from '../../models/ports';

/** Windows in which calls are counted, with their length. */
const WINDOW_SECONDS = { second: 1, minute: 60 } as const;
export type Window = keyof typeof WINDOW_SECONDS;

/** What a counter of the library is made of. */
interface CounterOptions {
  readonly keyPrefix: string;
  readonly points: number;
  readonly duration: number;
}

/** Counts calls by window: one counter for each limit, since a key may have a limit of its own. */
export class CallCounters {
  readonly #counters = new Map<string, RateLimiterAbstract>();

  constructor(private readonly make: (options: CounterOptions) => RateLimiterAbstract) {}

  async consume(keyId: string, window: Window, limit: number): Promise<LimitDecision> {
    try {
      return decisionOf(true, limit, await this.#counter(window, limit).consume(keyId));
    } catch (refusal) {
      // A counter refuses by rejecting with its state.
      if (refusal instanceof RateLimiterRes) return decisionOf(false, limit, refusal);
      throw refusal;
    }
  }

  #counter(window: Window, limit: number): RateLimiterAbstract {
    const keyPrefix = `${window}:${limit}`;
    const counter =
      this.#counters.get(keyPrefix) ??
      this.make({ keyPrefix, points: limit, duration: WINDOW_SECONDS[window] });
    this.#counters.set(keyPrefix, counter);
    return counter;
  }
}

const decisionOf = (allowed: boolean, limit: number, state: RateLimiterRes): LimitDecision => ({
  allowed,
  limit,
  remaining: state.remainingPoints,
  resetSeconds: Math.max(0, state.msBeforeNext) / 1000,
});
