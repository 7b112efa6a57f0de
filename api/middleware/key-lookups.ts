import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { rateLimited } from '../../models/errors';
import { countOne } from '../limits/call-counters';

const WINDOW_SECONDS = 60;
/** Credentials that opened something lately; those of a busy day, in a few megabytes. */
const REMEMBERED = 20_000;

/**
 * Looks up keys (or another credential), of which an address may send so many unknown ones a minute; more are 429 (contract
 * 9.11). A key has too many random bits to be guessed, so a known one is never refused for what else its address sends, and
 * look-ups that come together are one statement. A password may be guessed: past the limit it opens nothing for its address
 * either, unless it has opened something before.
 */
export class KeyLookups<Known> {
  readonly #unknown: RateLimiterMemory | null;
  readonly #seen: LRUCache<string, true> | null;

  /**
   * @param lookUp what is known of the key with a SHA-256; null for an unknown one
   * @param perMinute unknown keys of an address; 0 is no limit
   */
  constructor(
    private readonly lookUp: (hash: Buffer) => Promise<Known | null>,
    private readonly perMinute: number,
    { guessable = false }: { guessable?: boolean } = {},
  ) {
    const limited = { points: perMinute, duration: WINDOW_SECONDS };
    this.#unknown = perMinute > 0 ? new RateLimiterMemory(limited) : null;
    this.#seen = guessable ? new LRUCache({ max: REMEMBERED }) : null;
  }

  /**
   * What is known of a key; null when it is nobody's.
   *
   * @param address where the call came from
   * @throws AppError 429 when too many unknown keys came from there
   */
  async find(hash: Buffer, address: string): Promise<Known | null> {
    const name = hash.toString('base64');
    const network = networkOf(address);
    // Counted before it is compared, so that many guesses at once are not all heard.
    const isGuess = this.#seen !== null && !this.#seen.has(name);
    if (isGuess) await this.#count(network);
    const known = await this.lookUp(hash);
    if (known === null && !isGuess) await this.#count(network);
    if (known !== null && isGuess) {
      this.#seen?.set(name, true);
      await this.#unknown?.reward(network, 1);
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
