import { insufficientCredits } from '../../models/errors';
import type { ChargeRequest } from '../../models/ports';
import { sqlStateOf } from '../core/postgres-faults';
import { type Sql, sql } from '../core/sql';
import { messagesAbout } from '../webhooks/messages-about';

/** SQLSTATE of what the schema forbids, such as a balance below zero. */
const CHECK_VIOLATION = '23514';

/** The bookings that take the balance below what an address names (contract 16.16): of all that run at the same time it is one statement's. */
const LOW_CREDITS = {
  data: sql`json_build_object('credits', a.credits, 'credits_below', e.credits_below)`,
  whose: sql`e.account_id = a.id AND a.credits < e.credits_below
    AND a.credits + (SELECT coalesce(sum(amount), 0) FROM booked) >= e.credits_below`,
  from: sql`, account a`,
};

/**
 * The part of a statement that books charges of one account and frees what was held for them: common table expressions,
 * of which `account` has the credits left of a limited account that was changed. A charge is booked once. Locks are
 * taken in one order everywhere: ledger, reservations (so they ask what was booked), account.
 * @param owed a query for `charge_id` and `amount`; what is not in it, or 0, is not booked
 */
export function bookings(charges: readonly ChargeRequest[], owed: Sql, now: Date): Sql {
  const ids = charges.map(({ chargeId }) => chargeId);
  const accountId = charges[0]?.accountId ?? null;
  return sql`booked AS (
      INSERT INTO credit_ledger (charge_id, account_id, key_id, endpoint, request_id, amount, booked_at)
      SELECT charge_id, ${accountId}::text, key_id, endpoint, request_id, amount, ${now}::timestamptz
      FROM unnest(${ids}::text[], ${charges.map(({ keyId }) => keyId)}::text[],
          ${charges.map(({ endpoint }) => endpoint)}::text[], ${charges.map(({ requestId }) => requestId)}::text[])
        AS charge (charge_id, key_id, endpoint, request_id)
      JOIN (${owed}) AS owed USING (charge_id)
      WHERE amount > 0 ON CONFLICT (charge_id) DO NOTHING RETURNING amount
    ), freed AS (
      DELETE FROM credit_reservations
      WHERE charge_id = ANY(${ids}::text[]) AND (SELECT count(*) FROM booked) >= 0 RETURNING amount
    ), account AS (
      UPDATE accounts SET held = held - coalesce((SELECT sum(amount) FROM freed), 0)::bigint,
        credits = credits - coalesce((SELECT sum(amount) FROM booked), 0)::bigint
      WHERE id = ${accountId} AND credits IS NOT NULL AND (EXISTS (SELECT FROM freed) OR EXISTS (SELECT FROM booked))
      RETURNING id, credits
    ), told AS (${messagesAbout('account.credits.low', now, LOW_CREDITS)})`;
}

/**
 * What an account has left after its `bookings`; null when it is unlimited. Where they changed nothing, another process has
 * just booked the same: the lock reads what it left, which the statement's own snapshot may lack.
 */
export const creditsLeft = (accountId: string | undefined): Sql =>
  sql`coalesce((SELECT credits FROM account),
    (SELECT credits FROM accounts WHERE id = ${accountId ?? null} AND credits IS NOT NULL FOR NO KEY UPDATE))`;

/**
 * Does work that books for all of the items at once or, when their account does not cover all, for each by itself, so that
 * none is refused for another.
 *
 * @param dearest what an item may cost, for its refusal
 * @returns in the order of the items; a 402 for whom the account does not cover
 */
export async function bookedTogether<Item, Result>(
  items: readonly Item[],
  dearest: (item: Item) => number,
  book: (items: readonly Item[]) => Promise<readonly Result[]>,
): Promise<(Result | Error)[]> {
  try {
    return [...(await book(items))];
  } catch (failure) {
    if (sqlStateOf(failure) !== CHECK_VIOLATION) throw failure;
    if (items.length === 1) return items.map((item) => insufficientCredits(dearest(item)));
  }
  const results: (Result | Error)[] = [];
  for (const item of items) results.push(...(await bookedTogether([item], dearest, book)));
  return results;
}
