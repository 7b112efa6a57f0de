import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import { RateLimiterRedis } from 'rate-limiter-flexible';
import type { LimitDecision, Logger, RateLimiter } from '../../models/ports';
import { countOne, MemoryRateLimiter, unlimited, WINDOW_SECONDS, type Window } from './memory-rate-limiter';

/**
 * Acquires concurrency slots of a key in KEYS[1], a sorted set of slots by expiry, by the clock of Redis. An impossibly late
 * expiry is void (contract 14.18). ARGV: limit, expiry in ms, names of the slots.
 */
const ACQUIRE_SLOTS = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '(' .. (now + ARGV[2]), '+inf')
if redis.call('ZCARD', KEYS[1]) + #ARGV - 2 > tonumber(ARGV[1]) then return 0 end
for slot = 3, #ARGV do redis.call('ZADD', KEYS[1], now + ARGV[2], ARGV[slot]) end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 1`;

/** How long Redis is bypassed after it failed to answer. */
const AWAY_MS = 2_000;

/** Limits shared by all processes, counted in Redis; while it is unavailable each process counts for itself. */
export class RedisRateLimiter implements RateLimiter {
  readonly #calls: Readonly<Record<Window, RateLimiterRedis>>;
  readonly #fallback = new MemoryRateLimiter();
  #awayUntil = 0;

  /** @param redis a client that fails fast @param prefix of every key, so that installations can share a Redis */
  constructor(
    private readonly redis: Redis,
    private readonly prefix: string,
    private readonly logger: Logger,
  ) {
    const counter = (window: Window) =>
      new RateLimiterRedis({
        ...unlimited(WINDOW_SECONDS[window]),
        storeClient: redis,
        keyPrefix: `${prefix}:calls:${window}`,
        rejectIfRedisNotReady: true,
      });
    this.#calls = { second: counter('second'), minute: counter('minute') };
  }

  consume(keyId: string, window: Window, limit: number): Promise<LimitDecision> {
    return this.#sharedOrOwn(
      () => countOne(this.#calls[window], keyId, WINDOW_SECONDS[window], limit),
      () => this.#fallback.consume(keyId, window, limit),
    );
  }

  acquire(keyId: string, limit: number, expiryMs: number, slots = 1) {
    const key = `${this.prefix}:places:${keyId}`;
    const names = Array.from({ length: slots }, () => randomUUID());
    const release = async (): Promise<void> => {
      await this.redis.zrem(key, ...names);
    };
    return this.#sharedOrOwn(
      async () => {
        const taken = await this.redis.eval(ACQUIRE_SLOTS, 1, key, limit, expiryMs, ...names);
        return taken === 1 ? { release } : null;
      },
      () => this.#fallback.acquire(keyId, limit, expiryMs, slots),
    );
  }

  /** Uses Redis; after a failure this process counts for itself for a while, so that a hanging Redis causes only one wait. */
  async #sharedOrOwn<Answer>(shared: () => Promise<Answer>, own: () => Promise<Answer>): Promise<Answer> {
    if (performance.now() < this.#awayUntil) return own();
    try {
      return await shared();
    } catch (failure) {
      this.#awayUntil = performance.now() + AWAY_MS;
      this.logger.warn({ error: String(failure) }, 'Redis is away: this process counts calls for itself');
      return own();
    }
  }
}
