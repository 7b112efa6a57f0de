import { RateLimiterRes } from 'rate-limiter-flexible';
import type { LimitDecision } from '../../models/ports';

/** What a counter says about one call, in the words of the port; a counter refuses by rejecting with its state. */
export async function decide(limit: number, consume: () => Promise<RateLimiterRes>): Promise<LimitDecision> {
  try {
    return decisionOf(true, limit, await consume());
  } catch (refusal) {
    if (refusal instanceof RateLimiterRes) return decisionOf(false, limit, refusal);
    throw refusal;
  }
}

const decisionOf = (allowed: boolean, limit: number, state: RateLimiterRes): LimitDecision => ({
  allowed,
  limit,
  remaining: state.remainingPoints,
  resetSeconds: Math.max(0, state.msBeforeNext) / 1000,
});
