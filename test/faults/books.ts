import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Knex } from 'knex';
import { PostgresAccountRepository } from '../../db/accounts/account-repository';
import { PostgresCreditLedger } from '../../db/accounts/credit-ledger';
import { API_VERSIONS } from '../../models/access/api-key';
import { hashKey, makeKey } from '../../models/access/credential';
import { RandomIds, SystemClock } from '../../scripts/composition/system';
import type { Installation } from './installation';
import type { Outcome } from './load';

/** Longer than any reservation lasts. */
const LATER_MS = 10 * 60_000;

/** Charges of calls that failed are taken back after their answers, as soon as the database is there again. */
const TAKEN_BACK_MS_MAX = 10_000;
const LOOK_EVERY_MS = 200;

const CREDITS = 1_000_000;

/** An account with credits, and a key of it. */
export interface Payer {
  readonly accountId: string;
  readonly keyId: string;
  readonly key: string;
}

/** What the database says of an account after a load, beside what its clients were told. */
export interface Books {
  /** Sum of all `credits_used`. */
  readonly answered: number;
  /** Sum of the ledger. */
  readonly booked: number;
  /** Of that, for calls whose clients got no answer. */
  readonly unanswered: number;
  /** Reservations that are still there, for anyone who died between. */
  readonly reservations: number;
  /** Every sentence that is not true; none when the books are right. */
  readonly faults: readonly string[];
}

/**
 * @param credits null for no limit
 * @param test whether its key is one for tests
 */
export async function openAccount(
  { database }: { readonly database: { readonly knex: Knex } },
  name: string,
  { credits = CREDITS, test = true }: { readonly credits?: number | null; readonly test?: boolean } = {},
): Promise<Payer> {
  const accounts = new PostgresAccountRepository(database.knex, new RandomIds(), new SystemClock());
  const { id: accountId } = await accounts.createAccount(name, credits);
  const key = makeKey(test);
  const limits = { perSecond: null, perMinute: null, concurrency: null };
  const made = { accountId, name, versions: API_VERSIONS, test, limits, hash: hashKey(key) };
  const { id: keyId } = await accounts.createKey(made);
  return { accountId, keyId, key };
}

/**
 * Compares ledger and answers call by call: an answered call is booked once with its `credits_used`, a refused one not at
 * all, and one whose client got no answer at most once. What is wrong for no longer than a charge needs to be taken back
 * is no fault.
 */
export async function audit(
  installation: Pick<Installation, 'database'>,
  payer: Payer,
  outcomes: readonly Outcome[],
): Promise<Books> {
  const until = performance.now() + TAKEN_BACK_MS_MAX;
  let books = await auditNow(installation, payer, outcomes);
  while (books.faults.length > 0 && performance.now() < until) {
    await delay(LOOK_EVERY_MS);
    books = await auditNow(installation, payer, outcomes);
  }
  return books;
}

async function auditNow(
  { database: { knex } }: Pick<Installation, 'database'>,
  { accountId }: Payer,
  outcomes: readonly Outcome[],
): Promise<Books> {
  const lines: { request_id: string; amount: string }[] = await knex('credit_ledger')
    .where({ account_id: accountId })
    // What was taken back is there with nothing.
    .andWhere('amount', '>', 0)
    .select('request_id', 'amount');
  const [account]: { credits: string; held: string }[] = await knex('accounts').where({ id: accountId });
  const reserved: { amount: string }[] = await knex('credit_reservations').where({ account_id: accountId });
  const faults: string[] = [];

  const told = new Map(outcomes.map((outcome) => [outcome.requestId, outcome]));
  const booked = new Map<string, number>();
  let unanswered = 0;
  for (const { request_id: requestId, amount } of lines) {
    const outcome = told.get(requestId);
    if (!outcome) faults.push(`${requestId} is booked and was never called`);
    if (booked.has(requestId)) faults.push(`${requestId} is booked twice`);
    if (outcome && outcome.end !== 'answered') unanswered += Number(amount);
    booked.set(requestId, Number(amount));
  }
  for (const { requestId, end, status, creditsUsed } of outcomes) {
    const amount = booked.get(requestId) ?? 0;
    if (end === 'answered' && amount !== creditsUsed)
      faults.push(`${requestId}: ${status} with ${creditsUsed} credits, booked ${amount}`);
  }

  const answered = sum(outcomes.map((outcome) => outcome.creditsUsed));
  const total = sum([...booked.values()]);
  const credits = Number(account?.credits);
  if (credits + total !== CREDITS) faults.push(`${credits} credits left and ${total} booked of ${CREDITS}`);
  const held = sum(reserved.map(({ amount }) => Number(amount)));
  if (held !== Number(account?.held)) faults.push(`${account?.held} held and ${held} reserved`);
  if (!(await isAllFreeLater(knex, accountId, credits)))
    faults.push('reservations outlive their time: not all that is left can be spent');
  return { answered, booked: total, unanswered, reservations: reserved.length, faults };
}

/** Whether everything that an account has can be reserved once the time of all reservations is over. */
async function isAllFreeLater(
  knex: Installation['database']['knex'],
  accountId: string,
  credits: number,
): Promise<boolean> {
  const later = new Date(Date.now() + LATER_MS);
  const ledger = new PostgresCreditLedger(knex, { now: () => later });
  const charge = { chargeId: randomUUID(), accountId, keyId: '', endpoint: 'test', requestId: 'test' };
  const free = await ledger.reserve(charge, credits, later);
  await ledger.release(charge);
  return free;
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
