import type { RequestHandler } from 'express';
import type { z } from 'zod';
import type { Period, Statement } from '../../models/access/account-service';
import type { ApiServices, DefaultLimits } from '../api-services';
import type { AnswerCharged } from '../middleware/charged-answer';
import { periodOf } from '../wire/period';
import { presentKey, presentUsage } from '../wire/presented-accounts';
import type { accountAnswer } from './answers';

/** `GET /v3/account`: what a key may do, what its account has, and what was charged (contract 9.7). */
export function showOwnAccount(
  { statements, clock }: Pick<ApiServices, 'statements' | 'clock'>,
  limits: DefaultLimits,
  answer: AnswerCharged,
): RequestHandler {
  return async (req, res) => {
    const period = periodOf(req.query, clock.now());
    await answer(req, res, 'v3.account', async ({ caller }) => {
      const statement = await statements.statement(caller, period);
      return { value: presentStatement(statement, period, limits), price: 0 };
    });
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
