import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Knex } from 'knex';
import { PostgresAccountRepository } from '../../db/accounts/account-repository';
import { PostgresCreditLedger } from '../../db/accounts/credit-ledger';
import { rowsOf, sql } from '../../db/core/sql';
import { API_VERSIONS } from '../../models/access/api-key';
import { hashKey, makeKey } from '../../models/access/credential';
import { RANDOM_IDS, SYSTEM_CLOCK } from '../../scripts/composition/system';
import type { Outcome } from './load';

const CREDITS = 1_000_000;
/** Longer than any reservation lasts. */
const LATER_MS = 10 * 60_000;
/** A failed call is refunded after its answer, once the database is there again. */
const REFUNDED_MS_MAX = 10_000;
const POLL_MS = 200;

/** An account and a key of it. */
export interface Payer {
  readonly accountId: string;
  readonly keyId: string;
  readonly key: string;
}

/** Creates an account with a key that has no limits. `credits` null is unlimited; `test` makes it a test key. */
export async function openAccount(
  knex: Knex,
  { credits = CREDITS, test = true }: { readonly credits?: number | null; readonly test?: boolean } = {},
): Promise<Payer> {
  const accounts = new PostgresAccountRepository(knex, RANDOM_IDS, SYSTEM_CLOCK);
  const { id: accountId } = await accounts.createAccount('test', credits);
  const key = makeKey(test);
  const limits = { perSecond: null, perMinute: null, concurrency: null };
  const made = { accountId, name: 'test', versions: API_VERSIONS, test, limits, hash: hashKey(key) };
  const { id: keyId } = await accounts.createKey(made);
  return { accountId, keyId, key };
}

export interface Audit {
  /** Sum of all `credits_used`. */
  readonly answered: number;
  /** Sum of the ledger. */
  readonly booked: number;
  /** One sentence each; none when the ledger is right. */
  readonly faults: readonly string[];
}

/**
 * Compares the ledger of an account with its calls: an answered call is booked once with its `credits_used`, a refused one
 * not at all, one without an answer at most once, and nothing stays reserved.
 */
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
  // Refunded charges remain with an amount of 0.
  const charges = await rowsOf<{ requestId: string; amount: number }>(
    knex,
    sql`SELECT request_id AS "requestId", amount FROM credit_ledger WHERE account_id = ${accountId} AND amount > 0`,
  );
  const [account = { credits: 0, held: 0, reserved: 0 }] = await rowsOf<{
    credits: number;
    held: number;
    reserved: number;
  }>(
    knex,
    sql`SELECT credits, held, (SELECT coalesce(sum(amount), 0)::bigint FROM credit_reservations
          WHERE account_id = a.id) AS reserved FROM accounts a WHERE id = ${accountId}`,
  );
  const faults: string[] = [];
  const called = new Set(outcomes.map(({ requestId }) => requestId));
  const booked = new Map<string, number>();
  for (const { requestId, amount } of charges) {
    if (!called.has(requestId)) faults.push(`${requestId} is booked and was never called`);
    if (booked.has(requestId)) faults.push(`${requestId} is booked twice`);
    booked.set(requestId, amount);
  }
  for (const { requestId, status, creditsUsed } of outcomes) {
    const amount = booked.get(requestId) ?? 0;
    if (typeof status === 'number' && amount !== creditsUsed)
      faults.push(`${requestId}: ${status} with ${creditsUsed} credits, booked ${amount}`);
  }
  const { credits, held, reserved } = account;
  const total = sum(booked.values());
  if (credits + total !== CREDITS) faults.push(`${credits} credits left and ${total} booked of ${CREDITS}`);
  if (held !== reserved) faults.push(`${held} held and ${reserved} reserved`);
  const later = new Date(Date.now() + LATER_MS);
  const ledger = new PostgresCreditLedger(knex, { now: () => later });
  const everything = { chargeId: randomUUID(), accountId, keyId: '', endpoint: 'test', requestId: 'test' };
  if (!(await ledger.reserve(everything, credits, later))) faults.push('a reservation does not expire');
  await ledger.release(everything);
  return { answered: sum(outcomes.map(({ creditsUsed }) => creditsUsed)), booked: total, faults };
}

const sum = (values: Iterable<number>): number => [...values].reduce((total, value) => total + value, 0);
