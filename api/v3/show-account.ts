import type { z } from 'zod';
import type { Period, Statement } from '../../models/access/account-service';
import type { ApiServices, DefaultLimits } from '../api-services';
import { free, type Route } from '../middleware/charged-answer';
import { presentKey, presentUsage } from '../wire/accounts';
import { periodOf } from '../wire/period';
import type { accountAnswer } from './answers';

/** `GET /v3/account`: what a key may do, what its account has, and what was charged (contract 9.7). */
export function showOwnAccount({ statements, clock }: ApiServices, limits: DefaultLimits): Route {
  return (req) => {
    const period = periodOf(req.query, clock.now());
    return free(async ({ caller }) =>
      presentStatement(await statements.statement(caller, period), period, limits),
    );
  };
}

function presentStatement(
  { account: { id, name, credits }, key, usage }: Statement,
  { since, until }: Period,
  defaults: DefaultLimits,
): z.output<typeof accountAnswer> {
  const { perSecond, perMinute, concurrency } = key.limits;
  return {
    success: true,
    account: { id, name, credits },
    key: {
      ...presentKey(key),
      limits: {
        per_second: perSecond ?? defaults.perSecond,
        per_minute: perMinute ?? defaults.perMinute,
        concurrency: concurrency ?? defaults.visionConcurrency,
        per_month: key.test ? defaults.testCallsPerMonth : 0,
      },
    },
    since: since.toISOString(),
    until: until.toISOString(),
    usage: presentUsage(usage),
    credits_used: 0,
  };
}
