import { timingSafeEqual } from 'node:crypto';
import type { Request } from 'express';
import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import {
  type ApiVersion,
  allowsVersion,
  type Caller,
  hashKey,
  isKeyForm,
  type Scope,
} from '../../models/access/api-key';
import { setCurrentParty } from '../../models/access/fair-budget';
import { forbidden, rateLimited, unauthorized } from '../../models/errors';
import { countOne, unlimited, WINDOW_SECONDS } from '../limits/memory-rate-limiter';
import type { Middleware } from './call';

/** Recently accepted credentials; those of a busy day, in a few megabytes. */
const REMEMBERED = 20_000;

/**
 * Looks up keys (or another credential). An address may send a limited number of unknown ones a minute; more are 429
 * (contract 9.11). A key has too many random bits to be guessed, so a known key is always accepted. A password may be
 * guessed: past the limit even the right one is refused from that address, unless it was accepted before.
 */
export class KeyLookups<Known> {
  readonly #unknown = new RateLimiterMemory(unlimited(WINDOW_SECONDS.minute));
  readonly #seen: LRUCache<string, true> | null;

  /**
   * @param lookUp the record of the key with this SHA-256; null for an unknown one
   * @param perMinute unknown keys of an address; 0 means no limit
   */
  constructor(
    private readonly lookUp: (hash: Buffer) => Promise<Known | null>,
    private readonly perMinute: number,
    { guessable = false }: { guessable?: boolean } = {},
  ) {
    this.#seen = guessable ? new LRUCache({ max: REMEMBERED }) : null;
  }

  /** The record of a key; null when it is unknown. @throws AppError 429 when too many unknown keys came from an address */
  async find(hash: Buffer, address: string): Promise<Known | null> {
    const name = hash.toString('base64');
    const network = networkOf(address);
    // Counted before it is compared, so that simultaneous guesses are limited too.
    const isGuess = this.#seen !== null && !this.#seen.has(name);
    if (isGuess) await this.#count(network);
    const known = await this.lookUp(hash);
    if (known === null && !isGuess) await this.#count(network);
    if (known !== null && isGuess) {
      this.#seen?.set(name, true);
      await this.#unknown.reward(network, 1);
    }
    return known;
  }

  async #count(network: string): Promise<void> {
    if (this.perMinute <= 0) return;
    const counted = await countOne(this.#unknown, network, WINDOW_SECONDS.minute, this.perMinute);
    if (counted.allowed) return;
    const message = 'Too many unknown keys came from this address; check the key and call again later.';
    throw rateLimited(message, { ...counted, resetSeconds: Math.max(1, counted.resetSeconds) });
  }
}

/** IPv4 unchanged; for IPv6 the 64-bit network, since anyone with one of its addresses has all. */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  return parsed instanceof ipaddr.IPv6 ? parsed.parts.slice(0, 4).join(':') : parsed.toString();
}

/** Admits a call whose key is known (else 401) and has the API version and the scope, if any (else 403; contract 9.1, 9.3). */
export function authenticate(keys: KeyLookups<Caller>, version: ApiVersion, scope: Scope | null): Middleware {
  return async (req, res) => {
    res.setHeader('Cache-Control', 'no-store');
    const credential = credentialOf(req);
    if (credential === null || !isKeyForm(credential)) throw unauthorized();
    const caller = await keys.find(hashKey(credential), req.ip ?? '');
    if (!caller) throw unauthorized();
    if (!allowsVersion(caller.versions, version)) {
      throw forbidden(`This key does not open API ${version}; it opens ${caller.versions.join(', ')}.`);
    }
    if (scope !== null && !caller.scopes.includes(scope)) {
      throw forbidden(`This key lacks the scope ${scope}; it has ${caller.scopes.join(', ')}.`);
    }
    if (scope === 'catalog:write' && caller.test) {
      throw forbidden('A test key does not write the catalog, which all keys see; take a live one.');
    }
    res.locals.caller = caller;
    setCurrentParty(caller.accountId);
  };
}

/**
 * Admits a call with the operators' token; compared in constant time; else 401, then 429 (contract 17.2). @param token null
 * admits nobody
 */
export function authorizeOperator(token: string | null, unknownPerMinute: number): Middleware {
  const tokens = new KeyLookups<true>(isSecret(token), unknownPerMinute);
  return async (req, res) => {
    res.setHeader('Cache-Control', 'no-store');
    const credential = credentialOf(req);
    if (credential === null || !(await tokens.find(hashKey(credential), req.ip ?? ''))) {
      throw unauthorized('Send the ADMIN_TOKEN of the service as "Authorization: Bearer <ADMIN_TOKEN>".');
    }
    setCurrentParty('operators');
  };
}

/** Compares digests in constant time; they have one length, so that nothing is revealed about that of the secret. */
export function isSecret(secret: string | null): (hash: Buffer) => Promise<true | null> {
  const expected = secret === null ? null : hashKey(secret);
  return async (hash) => (expected && timingSafeEqual(hash, expected) ? true : null);
}

/** What follows the scheme `Bearer`, in any case; null without it. */
const credentialOf = (req: Request): string | null =>
  /^bearer +(\S+) *$/i.exec(req.get('Authorization') ?? '')?.[1] ?? null;
