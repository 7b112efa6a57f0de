import type { Knex } from 'knex';
import type { UsageLine } from '../../models/ports';
import { joined, rowsOf, sql } from '../core/sql';

/** What an account was charged, by day (UTC), then endpoint. Whole days are read from their sums. */
export function usageOf(
  knex: Knex,
  accountId: string,
  since: Date | null,
  until: Date | null,
  test?: boolean,
): Promise<readonly UsageLine[]> {
  const { days, edges } = wholeDays(since?.getTime() ?? -Infinity, until?.getTime() ?? Infinity);
  const ofKind = test === undefined ? sql`true` : sql`test = ${test}`;
  const charges = [
    sql`SELECT day, endpoint, calls, credits FROM credits_by_day
        WHERE account_id = ${accountId} AND calls > 0 AND ${ofKind}
          AND day >= ${dayOf(days.from)}::date AND day < ${dayOf(days.to)}::date`,
    ...edges.map(
      ({ from, to }) => sql`SELECT day, endpoint, 1, amount FROM (
          SELECT (c.booked_at AT TIME ZONE 'UTC')::date AS day, c.endpoint, c.amount, coalesce(k.test, false) AS test
          FROM credit_ledger c LEFT JOIN api_keys k ON k.id = c.key_id
          WHERE c.account_id = ${accountId} AND c.amount > 0
            AND c.booked_at >= ${new Date(from)} AND c.booked_at < ${new Date(to)}
        ) AS edge WHERE ${ofKind}`,
    ),
  ];
  return rowsOf<UsageLine>(knex)`
    SELECT to_char(day, 'YYYY-MM-DD') AS day, endpoint, sum(calls)::bigint AS calls, sum(credits)::bigint AS credits
    FROM (${joined(charges, ' UNION ALL ')}) AS charges
    GROUP BY charges.day, endpoint ORDER BY charges.day, endpoint COLLATE "C"`;
}

const DAY_MS = 86_400_000;

interface Span {
  readonly from: number;
  readonly to: number;
}

/** The whole days (UTC) of a period in milliseconds, and the rest before and after them. */
function wholeDays(since: number, until: number): { readonly days: Span; readonly edges: readonly Span[] } {
  const from = Math.ceil(since / DAY_MS) * DAY_MS;
  const to = Math.max(from, Math.floor(until / DAY_MS) * DAY_MS);
  const edges = [
    { from: since, to: Math.min(from, until) },
    { from: to, to: until },
  ];
  return { days: { from, to }, edges: edges.filter((edge) => edge.from < edge.to) };
}

const dayOf = (time: number): string =>
  Number.isFinite(time) ? new Date(time).toISOString() : time < 0 ? '-infinity' : 'infinity';
