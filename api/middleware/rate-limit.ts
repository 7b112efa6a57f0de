import type { Response } from 'express';
import { counted, limitHeaders, rateLimited } from '../../models/errors';
import type { LimitDecision, QueueSlot } from '../../models/ports';
import type { ApiServices, DefaultLimits } from '../api-services';
import { callerOf, type Middleware, onceClosed } from './call';

/** Longest time from the start of a vision call to its answer, upload included; then its slot expires by itself. */
const SLOT_EXPIRY_MS = 180_000;

/** 429 when the key has used up its calls of this second or minute (every answer reports the tighter limit) or of this month. */
export function rateLimit(services: ApiServices, defaults: DefaultLimits): Middleware {
  return async (_req, res) => {
    const { keyId, limits } = callerOf(res);
    const windows = [
      { window: 'second', limit: limits.perSecond ?? defaults.perSecond },
      { window: 'minute', limit: limits.perMinute ?? defaults.perMinute },
    ] as const;
    let tightest: LimitDecision | null = null;
    for (const { window, limit } of windows) {
      if (limit <= 0) continue;
      const decision = await services.limiter.consume(keyId, window, limit);
      if (!decision.allowed)
        throw rateLimited(`This key may make ${counted(limit, 'call')} per ${window}.`, decision);
      if (tightest === null || decision.remaining < tightest.remaining) tightest = decision;
    }
    if (tightest) res.set(limitHeaders(tightest));
    await countTestCalls(services, res, 1, defaults);
  };
}

/** Counts calls of a test key, all or none: 429 when it may not make that many more this month (contract 9.9). */
export async function countTestCalls(
  { accounts, clock }: ApiServices,
  res: Response,
  calls: number,
  { testCallsPerMonth: limit }: DefaultLimits,
): Promise<void> {
  const { keyId, test } = callerOf(res);
  if (!test || limit <= 0 || calls === 0 || (await accounts.countTestCalls(keyId, calls, limit))) return;
  const now = clock.now();
  const resetSeconds = (Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1) - now.getTime()) / 1000;
  const message = `A test key may make ${counted(limit, 'call')} a month, an entry of a job being one; a live key has no such limit.`;
  throw rateLimited(message, { limit, remaining: 0, resetSeconds });
}

/**
 * Slots for the photos of a call, until it ends. Of its key: 429 when that has too few left; a call with more photos than the key
 * may have at a time takes all of them. In the queue: 503 for photos that the workers can't process within the deadline, before the
 * body is read, so that a refusal costs next to nothing, and again after it, since many may have come meanwhile.
 */
export function photoSlots(
  { limiter, queue, clock }: ApiServices,
  defaults: DefaultLimits,
  deadlineMs: number,
) {
  const acquire = async (res: Response, photos: number): Promise<void> => {
    const { keyId, limits } = callerOf(res);
    const limit = limits.concurrency ?? defaults.visionConcurrency;
    const held = res.locals.photoSlots ?? 0;
    const slots = Math.min(photos, limit - held);
    if (slots <= 0) return;
    const taken = await limiter.acquire(keyId, limit, SLOT_EXPIRY_MS, slots);
    if (!taken) {
      const message = `This key may have ${counted(limit, 'photo')} identified at the same time.`;
      throw rateLimited(message, { limit, remaining: 0, resetSeconds: 1 });
    }
    res.locals.photoSlots = held + slots;
    onceClosed(res, () => void taken.release().catch(() => undefined));
  };
  const admit = (res: Response, photos: number): Promise<QueueSlot> => {
    const { accountId } = callerOf(res);
    return queue.admit({ accountId, deadlineAt: clock.now().getTime() + deadlineMs }, photos);
  };
  const acquireFirst: Middleware = (_req, res) => acquire(res, 1);
  const shedLoad: Middleware = (_req, res) => admit(res, 0);
  const acquireAll = async (res: Response, photos: number): Promise<void> => {
    await acquire(res, photos - 1);
    const slot = await admit(res, photos);
    onceClosed(res, () => slot.release());
  };
  return { acquireFirst, shedLoad, acquireAll };
}
