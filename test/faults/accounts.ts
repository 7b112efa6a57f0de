import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Knex } from 'knex';
import { PostgresCreditLedger } from '../../db/accounts/credit-ledger';
import { rowsOf } from '../../db/core/sql';
import type { Payer } from '../support/open-account';
import type { Outcome } from './load';

export const CREDITS = 1_000_000;

/** Longer than any reservation lasts. */
const LATER_MS = 10 * 60_000;
/** A failed call is refunded after its answer, once the database is back. */
const REFUNDED_MS_MAX = 10_000;
const POLL_MS = 200;

export interface Audit {
  /** Sum of all `credits_used`. */
  readonly answered: number;
  readonly booked: number;
  /** One sentence each; none when the ledger is right. */
  readonly faults: readonly string[];
}

/** An answered call is booked once with its `credits_used`, a refused one not, one without an answer at most once; nothing stays reserved. */
export async function auditAccount(
  knex: Knex,
  { accountId }: Payer,
  outcomes: readonly Outcome[],
): Promise<Audit> {
  for (const until = performance.now() + REFUNDED_MS_MAX; ; await delay(POLL_MS)) {
    const audit = await auditNow(knex, accountId, outcomes);
    if (audit.faults.length === 0 || performance.now() > until) return audit;
  }
}

async function auditNow(knex: Knex, accountId: string, outcomes: readonly Outcome[]): Promise<Audit> {
  const calls = outcomes.map(({ requestId, status, creditsUsed }) => ({
    id: requestId,
    credits: typeof status === 'number' ? creditsUsed : null,
  }));
  // Refunded charges remain with an amount of 0.
  const wrong = await rowsOf<{ id: string; told: number | null; booked: number; charges: number }>(knex)`
    SELECT coalesce(called.id, request_id) AS id, max(called.credits) AS told,
      coalesce(sum(amount), 0)::bigint AS booked, count(amount)::int AS charges
    FROM jsonb_to_recordset(${JSON.stringify(calls)}::jsonb) AS called (id text, credits bigint)
    FULL JOIN (SELECT request_id, amount FROM credit_ledger WHERE account_id = ${accountId} AND amount > 0) AS charge
      ON request_id = called.id
    GROUP BY 1
    HAVING count(called.id) = 0 OR count(amount) > 1 OR max(called.credits) <> coalesce(sum(amount), 0)`;
  const faults = wrong.map(
    ({ id, told, booked, charges }) =>
      `${id}: told of ${told ?? 'no'} credits, booked ${booked} in ${charges} charges`,
  );
  const [account] = await rowsOf<{ credits: number; held: number; reserved: number; booked: number }>(knex)`
    SELECT credits, held,
      (SELECT coalesce(sum(amount), 0)::bigint FROM credit_reservations WHERE account_id = a.id) AS reserved,
      (SELECT coalesce(sum(amount), 0)::bigint FROM credit_ledger WHERE account_id = a.id) AS booked
    FROM accounts a WHERE id = ${accountId}`;
  const { credits = 0, held = 0, reserved = 0, booked = 0 } = account ?? {};
  if (credits + booked !== CREDITS) faults.push(`${credits} credits left and ${booked} booked of ${CREDITS}`);
  if (held !== reserved) faults.push(`${held} held and ${reserved} reserved`);
  const later = new Date(Date.now() + LATER_MS);
  const ledger = new PostgresCreditLedger(knex, { now: () => later });
  const everything = { chargeId: randomUUID(), accountId, keyId: '', endpoint: 'test', requestId: 'test' };
  if (!(await ledger.reserve(everything, credits, later))) faults.push('a reservation does not expire');
  await ledger.settle(everything, 0);
  const answered = outcomes.reduce((sum, { creditsUsed }) => sum + creditsUsed, 0);
  return { answered, booked, faults };
}
