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
    const { allowed, state } = await countOne(this.#counter(window, limit), keyId, WINDOW_SECONDS[window]);
    const { remainingPoints: remaining, msBeforeNext } = state;
    return { allowed, limit, remaining, resetSeconds: Math.max(0, msBeforeNext) / 1000 };
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

/**
 * Counts one under a name. A window that ends further ahead than it is long was begun by a clock that was ahead: it is
 * void, and another begins (contract 14.18).
 */
export async function countOne(
  counter: RateLimiterAbstract,
  name: string,
  windowSeconds: number,
): Promise<{ readonly allowed: boolean; readonly state: RateLimiterRes }> {
  const counted = await consumed(counter, name);
  if (counted.state.msBeforeNext <= windowSeconds * 1000) return counted;
  await counter.delete(name);
  return consumed(counter, name);
}

async function consumed(counter: RateLimiterAbstract, name: string) {
  try {
    return { allowed: true, state: await counter.consume(name) };
  } catch (refusal) {
    // A counter refuses by rejecting with its state.
    if (refusal instanceof RateLimiterRes) return { allowed: false, state: refusal };
    throw refusal;
  }
}
