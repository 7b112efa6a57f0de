import { RateLimiterMemory } from 'rate-limiter-flexible';
import type { LimitDecision, RateLimiter } from '../../models/ports';
import { decide } from './decide';
import { WINDOW_SECONDS, type Window } from './windows';

/** Limits of one process, kept in its memory. */
export class MemoryRateLimiter implements RateLimiter {
  /** One counter per window and limit, since a key may have a limit of its own. */
  private readonly counters = new Map<string, RateLimiterMemory>();
  private readonly places = new Map<string, Set<symbol>>();

  async consume(keyId: string, window: Window, limit: number): Promise<LimitDecision> {
    return decide(limit, () => this.counter(window, limit).consume(keyId));
  }

  async acquire(keyId: string, limit: number, lapseMs: number): Promise<{ release(): Promise<void> } | null> {
    const taken = this.places.get(keyId) ?? new Set();
    if (taken.size >= limit) return null;
    this.places.set(keyId, taken);
    const place = Symbol(keyId);
    taken.add(place);
    const release = (): void => {
      clearTimeout(lapse);
      taken.delete(place);
      if (taken.size === 0 && this.places.get(keyId) === taken) this.places.delete(keyId);
    };
    const lapse = setTimeout(release, lapseMs);
    lapse.unref();
    return { release: async () => release() };
  }

  private counter(window: Window, limit: number): RateLimiterMemory {
    const name = `${window}:${limit}`;
    const known = this.counters.get(name);
    if (known) return known;
    const made = new RateLimiterMemory({
      keyPrefix: name,
      points: limit,
      duration: WINDOW_SECONDS[window],
    });
    this.counters.set(name, made);
    return made;
  }
}
