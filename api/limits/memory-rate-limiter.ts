import { RateLimiterMemory } from 'rate-limiter-flexible';
import type { LimitDecision, RateLimiter } from '../../models/ports';
import { CallCounters, type Window } from './call-counters';

/** Limits of one process, kept in its memory. */
export class MemoryRateLimiter implements RateLimiter {
  private readonly calls = new CallCounters((options) => new RateLimiterMemory(options));
  private readonly places = new Map<string, Set<symbol>>();

  consume(keyId: string, window: Window, limit: number): Promise<LimitDecision> {
    return this.calls.consume(keyId, window, limit);
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
}
