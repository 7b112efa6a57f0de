import type { Period, Statement } from '../../models/access/account-service';
import type { Taxonomy } from '../../models/catalog/taxonomy';
import type { ApiServices, DefaultLimits } from '../api-services';
import { free, type Routes } from '../middleware/charged-answer';
import { presentKey } from '../wire/accounts';
import { periodOf } from '../wire/period';

/** `GET /v3/account`: what a key may do, what is available to it, and what was charged (contract 9.7). */
export function showOwnAccount(
  { statements, catalog, clock }: ApiServices,
  limits: DefaultLimits,
): Routes['getOwnAccount'] {
  return (req) => {
    const period = periodOf(req.query, clock.now());
    return free(async ({ caller }) => {
      const [statement, taxonomy] = await Promise.all([
        statements.statement(caller, period),
        catalog.taxonomy(caller),
      ]);
      return presentStatement(statement, taxonomy, period, limits);
    });
  };
}

function presentStatement(
  { account: { id, name, credits }, key, usage }: Statement,
  taxonomy: Taxonomy,
  { since, until }: Period,
  defaults: DefaultLimits,
) {
  const { perSecond, perMinute, concurrency } = key.limits;
  return {
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
    categories: taxonomy.categories.map((category) => ({
      id: category.id,
      name: category.name,
      nodes: taxonomy.allowedNodes(category),
    })),
    since: since.toISOString(),
    until: until.toISOString(),
    usage: [...usage],
    credits_used: 0 as const,
  };
}
