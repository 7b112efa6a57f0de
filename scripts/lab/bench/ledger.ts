import { randomUUID } from 'node:crypto';
import { PostgresAccountRepository } from '../../../db/accounts/account-repository';
import { PostgresCreditLedger } from '../../../db/accounts/credit-ledger';
import { prepared, rowsOf, sql } from '../../../db/core/sql';
import type { ChargeRequest } from '../../../models/ports';
import { type Cell, type Measurement, percentiles, runConcurrently } from './measure';
import { type Knex, onMigratedDatabase } from './set-up';

/** Books one credit for a charge; each caller has its number. */
type Book = (charge: ChargeRequest, caller: number) => Promise<unknown>;

const CALLERS = [16, 64];
const ACCOUNTS = [1, 16];
/** As the service has by default. */
const POOL = 10;
const CREDITS = 1_000_000_000;
const clock = { now: () => new Date() };

/**
 * Bookings of limited accounts in a PostgreSQL that brings each to the disk: by one process, whose bookings of an account go
 * together; each by itself, as if every caller had a process; and what the same server does at most, which is a look-up and
 * an insert that change no balance.
 */
export async function benchLedger({ bookings }: { bookings: number }): Promise<Measurement> {
  return onMigratedDatabase({}, POOL, async (knex) => {
    const rows: Cell[][] = [];
    for (const callers of CALLERS) {
      for (const accounts of ACCOUNTS) {
        const ids = await openAccounts(knex, accounts);
        for (const [name, book] of waysOf(knex, callers)) {
          rows.push([name, callers, accounts, ...(await measure(ids, callers, bookings, book))]);
          process.stderr.write(`${rows.at(-1)?.join(' | ')}\n`);
        }
      }
    }
    return {
      title: `bookings of limited accounts, PostgreSQL, fsync on, ${POOL} connections`,
      head: ['', 'callers', 'accounts', 'bookings/s', 'p50 ms', 'p99 ms'],
      rows,
      notes: ['The limit is a SELECT of the account and an INSERT, which wait for the disk together.'],
    };
  });
}

async function openAccounts(knex: Knex, count: number): Promise<string[]> {
  const accounts = new PostgresAccountRepository(knex, { next: randomUUID }, clock);
  const opened = Array.from({ length: count }, () => accounts.createAccount('bench', CREDITS));
  return (await Promise.all(opened)).map(({ id }) => id);
}

function waysOf(knex: Knex, callers: number): [string, Book][] {
  const shared = new PostgresCreditLedger(knex, clock);
  const single = Array.from({ length: callers }, () => new PostgresCreditLedger(knex, clock));
  return [
    ['the ledger', (charge) => shared.settle(charge, 1)],
    ['each booking by itself', async (charge, caller) => single[caller]?.settle(charge, 1)],
    ['limit: SELECT and INSERT', (charge) => bareBooking(knex, charge)],
  ];
}

/** A look-up and an insert that is brought to the disk, and no balance: what a server does at most. */
export async function bareBooking(
  knex: Knex,
  { chargeId, accountId, keyId, endpoint, requestId }: ChargeRequest,
) {
  await rowsOf(knex, prepared(sql`SELECT credits, held FROM accounts WHERE id = ${accountId}`));
  await rowsOf(
    knex,
    prepared(sql`INSERT INTO credit_ledger (charge_id, account_id, key_id, endpoint, request_id, amount)
                 VALUES (${chargeId}, ${accountId}, ${keyId}, ${endpoint}, ${requestId}, 1)`),
  );
}

/** A new charge of an account. */
export const chargeTo = (accountId: string): ChargeRequest => ({
  chargeId: randomUUID(),
  accountId,
  keyId: 'key_bench',
  endpoint: 'v3.catalog.item',
  requestId: randomUUID(),
});

/** Bookings a second, and how long one takes. */
async function measure(
  accounts: readonly string[],
  callers: number,
  bookings: number,
  book: Book,
): Promise<Cell[]> {
  const run = (count: number) =>
    runConcurrently(count, callers, async (index) => {
      await book(chargeTo(accounts[index % accounts.length] ?? ''), index % callers);
    });
  await run(callers * 4);
  const { each, totalMs } = await run(bookings);
  return [Math.round((1000 * bookings) / totalMs), ...percentiles(each, 1, 0.5, 0.99)];
}
