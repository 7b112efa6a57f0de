import type { RequestHandler } from 'express';
import { rateLimited } from '../../models/errors';
import type { AccountRepository, Clock, LimitDecision, RateLimiter } from '../../models/ports';
import type { DefaultLimits } from '../api-services';
import { callerOf } from './call';
import { onceClosed } from './hang-up';

/** Longest time from the start of a vision call to its answer, upload included, before its place lapses by itself. */
const PLACE_LAPSE_MS = 180_000;

/** 429 when the key has used up its calls of this second or minute; every answer tells the tighter of the two limits. */
export function rateLimit(limiter: RateLimiter, defaults: DefaultLimits): RequestHandler {
  return async (_req, res, next) => {
    const { keyId, limits } = callerOf(res);
    const windows = [
      { window: 'second', limit: limits.perSecond ?? defaults.perSecond },
      { window: 'minute', limit: limits.perMinute ?? defaults.perMinute },
    ] as const;
    let tightest: LimitDecision | null = null;
    for (const { window, limit } of windows) {
      if (limit <= 0) continue;
      const decision = await limiter.consume(keyId, window, limit);
      if (!decision.allowed) {
        throw rateLimited(
          `This key may make ${limit} calls per ${window}.`,
          decision.resetSeconds,
          limitHeaders(decision),
        );
      }
      if (tightest === null || decision.remaining < tightest.remaining) tightest = decision;
    }
    if (tightest) res.set(limitHeaders(tightest));
    next();
  };
}

/** 429 when a test key has used up its calls of this calendar month, in UTC (contract 9.9). */
export function testCallLimit(
  accounts: Pick<AccountRepository, 'countTestCall'>,
  clock: Clock,
  { testCallsPerMonth: limit }: DefaultLimits,
): RequestHandler {
  return async (_req, res, next) => {
    const { keyId, test } = callerOf(res);
    if (test && limit > 0 && (await accounts.countTestCall(keyId)) > limit) {
      const now = clock.now();
      const next = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1);
      const resetSeconds = (next - now.getTime()) / 1000;
      throw rateLimited(
        `A test key may make ${limit} calls a month; a live key has no such limit.`,
        resetSeconds,
        limitHeaders({ allowed: false, limit, remaining: 0, resetSeconds }),
      );
    }
    next();
  };
}

/** 429 when all vision calls that the key may have at the same time are under way; a place is free when its call ends. */
export function visionRateLimit(limiter: RateLimiter, defaults: DefaultLimits): RequestHandler {
  return async (_req, res, next) => {
    const { keyId, limits } = callerOf(res);
    const limit = limits.concurrency ?? defaults.visionConcurrency;
    if (limit > 0) {
      const place = await limiter.acquire(keyId, limit, PLACE_LAPSE_MS);
      if (!place) {
        const decision = { allowed: false, limit, remaining: 0, resetSeconds: 1 };
        throw rateLimited(
          `This key may have ${limit} vision calls at the same time.`,
          decision.resetSeconds,
          limitHeaders(decision),
        );
      }
      onceClosed(res, () => void place.release().catch(() => undefined));
    }
    next();
  };
}

const limitHeaders = (decision: LimitDecision): Record<string, string> => ({
  'RateLimit-Limit': String(decision.limit),
  'RateLimit-Remaining': String(Math.max(0, decision.remaining)),
  'RateLimit-Reset': String(Math.max(0, Math.ceil(decision.resetSeconds))),
});
