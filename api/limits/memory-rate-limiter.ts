import { RateLimiterMemory } from 'rate-limiter-flexible';
import type { LimitDecision, RateLimiter } from '../../models/ports';
import { CallCounters, type Window } from './call-counters';

/** Limits of one process, kept in its memory. */
export class MemoryRateLimiter implements RateLimiter {
  private readonly calls = new CallCounters((options) => new RateLimiterMemory(options));
  private readonly places = new Map<string, number>();

  consume(keyId: string, window: Window, limit: number): Promise<LimitDecision> {
    return this.calls.consume(keyId, window, limit);
  }

  async acquire(
    keyId: string,
    limit: number,
    lapseMs: number,
    places = 1,
  ): Promise<{ release(): Promise<void> } | null> {
    const taken = this.places.get(keyId) ?? 0;
    if (taken + places > limit) return null;
    this.places.set(keyId, taken + places);
    let released = false;
    const release = (): void => {
      if (released) return;
      released = true;
      clearTimeout(lapse);
      const left = (this.places.get(keyId) ?? 0) - places;
      if (left > 0) this.places.set(keyId, left);
      else this.places.delete(keyId);
    };
    const lapse = setTimeout(release, lapseMs);
    lapse.unref();
    return { release: async () => release() };
  }
}
