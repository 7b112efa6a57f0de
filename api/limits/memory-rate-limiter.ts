import { type RateLimiterAbstract, RateLimiterMemory } from 'rate-limiter-flexible';
import { HeldUnits } from '../../models/access/fair-budget';
import type { LimitDecision, RateLimiter } from '../../models/ports';

export const WINDOW_SECONDS = { second: 1, minute: 60 } as const;
export type Window = keyof typeof WINDOW_SECONDS;

/** A counter without its own limit, as limits differ between keys. */
export const unlimited = (seconds: number) => ({ points: Number.MAX_SAFE_INTEGER, duration: seconds });

/** Counts one under a name. A window that ends too far ahead was started by a fast clock, and is void (contract 14.18). */
export async function countOne(counter: RateLimiterAbstract, name: string, seconds: number, limit: number) {
  let { consumedPoints, msBeforeNext } = await counter.consume(name);
  if (msBeforeNext > seconds * 1000) {
    await counter.delete(name);
    ({ consumedPoints, msBeforeNext } = await counter.consume(name));
  }
  const remaining = Math.max(0, limit - consumedPoints);
  return {
    allowed: consumedPoints <= limit,
    limit,
    remaining,
    resetSeconds: Math.max(0, msBeforeNext) / 1000,
  };
}

export class MemoryRateLimiter implements RateLimiter {
  readonly #calls = {
    second: new RateLimiterMemory(unlimited(WINDOW_SECONDS.second)),
    minute: new RateLimiterMemory(unlimited(WINDOW_SECONDS.minute)),
  };
  readonly #slots = new HeldUnits();

  consume(keyId: string, window: Window, limit: number): Promise<LimitDecision> {
    return countOne(this.#calls[window], keyId, WINDOW_SECONDS[window], limit);
  }

  async acquire(keyId: string, limit: number, expiryMs: number, slots = 1) {
    if (this.#slots.of(keyId) + slots > limit) return null;
    this.#slots.add(keyId, slots);
    let held = slots;
    const release = async (): Promise<void> => {
      clearTimeout(expiry);
      this.#slots.add(keyId, -held);
      held = 0;
    };
    const expiry = setTimeout(() => void release(), expiryMs).unref();
    return { release };
  }
}
