import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { rateLimited } from '../../models/errors';
import { countOne } from '../limits/call-counters';

const WINDOW_SECONDS = 60;
/** Keys that opened something lately; those of a busy day, in a few megabytes. */
const REMEMBERED = 20_000;

/**
 * Looks up keys (or another credential), of which an address may try so many unknown ones a minute: guessing costs the database no more than that.
 * Keys that this process has seen open something are looked up whatever else their address sends; nothing else about them is
 * remembered, so that a revoked one stops at once.
 */
export class KeyLookups<Known> {
  readonly #unknown: RateLimiterMemory | null;
  readonly #seen = new LRUCache<string, true>({ max: REMEMBERED });

  /**
   * @param lookUp what is known of the key with a SHA-256; null for an unknown one
   * @param perMinute unknown keys of an address; 0 is no limit
   */
  constructor(
    private readonly lookUp: (hash: Buffer) => Promise<Known | null>,
    private readonly perMinute: number,
  ) {
    this.#unknown =
      perMinute > 0 ? new RateLimiterMemory({ points: perMinute, duration: WINDOW_SECONDS }) : null;
  }

  /**
   * What is known of a key; null when it is nobody's.
   *
   * @param address where the call came from
   * @throws AppError 429 when too many unknown keys came from there
   */
  async find(hash: Buffer, address: string): Promise<Known | null> {
    const name = hash.toString('base64');
    const counts = this.#unknown !== null && !this.#seen.has(name);
    // Counted before the look-up, so that many at once are not all let through.
    if (counts) await this.#count(networkOf(address));
    const known = await this.lookUp(hash);
    if (known === null) this.#seen.delete(name);
    else if (counts) {
      this.#seen.set(name, true);
      await this.#unknown?.reward(networkOf(address), 1);
    }
    return known;
  }

  async #count(network: string): Promise<void> {
    if (!this.#unknown) return;
    const { allowed, state } = await countOne(this.#unknown, network, WINDOW_SECONDS);
    if (allowed) return;
    const seconds = Math.max(1, Math.ceil(state.msBeforeNext / 1000));
    const message = 'Too many unknown keys came from this address; check the key and call again later.';
    throw rateLimited(message, { limit: this.perMinute, remaining: 0, resetSeconds: seconds });
  }
}

/** IPv4 as it is; of IPv6 the network of 64 bits, since whoever has one address of it has all. */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  return parsed instanceof ipaddr.IPv6 ? parsed.parts.slice(0, 4).join(':') : parsed.toString();
}
