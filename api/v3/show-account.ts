import type { ApiServices, DefaultLimits } from '../api-services';
import { free, type Routes } from '../middleware/charged-answer';
import { presentKey } from '../wire/accounts';
import { periodOf } from '../wire/period';

/** `GET /v3/account`: what a key may do, what is available to it, and what was charged (contract 9.7). */
export function showOwnAccount(
  { statements, catalog, clock }: ApiServices,
  defaults: DefaultLimits,
): Routes['getOwnAccount'] {
  return (req) => {
    const period = periodOf(req.query, clock.now());
    return free(async ({ caller }) => {
      const [{ account, key, usage }, taxonomy] = await Promise.all([
        statements.statement(caller, period),
        catalog.taxonomy(caller),
      ]);
      return {
        account: { id: account.id, name: account.name, credits: account.credits },
        key: {
          ...presentKey(key),
          limits: {
            per_second: key.limits.perSecond ?? defaults.perSecond,
            per_minute: key.limits.perMinute ?? defaults.perMinute,
            concurrency: key.limits.concurrency ?? defaults.visionConcurrency,
            per_month: key.test ? defaults.testCallsPerMonth : 0,
          },
        },
        categories: taxonomy.categories.map((category) => ({
          id: category.id,
          name: category.name,
          nodes: taxonomy.allowedNodes(category),
        })),
        since: period.since.toISOString(),
        until: period.until.toISOString(),
        usage: [...usage],
        credits_used: 0,
      };
    });
  };
}
