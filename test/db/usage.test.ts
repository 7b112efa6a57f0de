import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { PostgresAccountRepository } from '../../db/accounts/account-repository';
import { PostgresCreditLedger } from '../../db/accounts/credit-ledger';
import { rowsOf, sql } from '../../db/core/sql';
import type { UsageLine } from '../../models/ports';
import { useDatabase } from '../support/database';

const SEED = 20_261_125;
const RUNS = 60;
const HOUR_MS = 3_600_000;
/** The start of a day. */
const START = Date.UTC(2026, 2, 1);

/** contract 9.7, 10.5: usage is the ledger, told by day. */
describe('usage', () => {
  const database = useDatabase();
  let now = new Date(START);
  let ledger: PostgresCreditLedger;
  let accounts: PostgresAccountRepository;

  beforeAll(() => {
    const clock = { now: () => now };
    ledger = new PostgresCreditLedger(database.knex, clock);
    accounts = new PostgresAccountRepository(database.knex, { next: () => randomUUID() }, clock);
  });

  const endpoint = fc.constantFrom('v3.vision.identify', 'v3.catalog.query');
  /** Hours after the start; whole days are frequent. */
  const hours = fc.oneof(
    fc.nat(8).map((day) => day * 24),
    fc.nat(8 * 24),
  );
  const booking = fc.record({
    hour: hours,
    endpoint,
    amount: fc.nat(9),
    fate: fc.constantFrom('stands', 'stands', 'taken back', 'settled again'),
  });
  type Booking = typeof booking extends fc.Arbitrary<infer Value> ? Value : never;
  const limit = fc.option(hours);
  const timeOf = (hour: number | null): Date | null =>
    hour === null ? null : new Date(START + hour * HOUR_MS);

  async function book(accountId: string, bookings: readonly Booking[]): Promise<void> {
    for (const { hour, endpoint, amount, fate } of bookings) {
      now = new Date(START + hour * HOUR_MS);
      const charge = { chargeId: randomUUID(), accountId, keyId: 'key_1', endpoint, requestId: 'request-1' };
      await ledger.settle(charge, amount);
      if (fate === 'settled again') await ledger.settle(charge, amount);
      if (fate === 'taken back') await ledger.takeBack(charge);
    }
  }

  /** Read charge by charge. */
  async function inLedger(accountId: string, since: Date | null, until: Date | null): Promise<UsageLine[]> {
    const charges = await rowsOf<{ booked_at: Date; endpoint: string; amount: number }>(
      database.knex,
      sql`SELECT booked_at, endpoint, amount FROM credit_ledger WHERE account_id = ${accountId} AND amount > 0`,
    );
    const sums = new Map<string, UsageLine>();
    for (const { booked_at, endpoint, amount } of charges) {
      if ((since !== null && booked_at < since) || (until !== null && booked_at >= until)) continue;
      const day = booked_at.toISOString().slice(0, 10);
      const { calls, credits } = sums.get(`${day} ${endpoint}`) ?? { calls: 0, credits: 0 };
      sums.set(`${day} ${endpoint}`, { day, endpoint, calls: calls + 1, credits: credits + amount });
    }
    return [...sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, line]) => line);
  }

  test('of any period is the sum of its charges without refunds', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(booking, { maxLength: 12 }), limit, limit, async (bookings, from, to) => {
        const { id } = await accounts.createAccount('test', 1_000);
        await book(id, bookings);
        const [since, until] = [timeOf(from), timeOf(to)];
        expect(await ledger.usage(id, since, until)).toEqual(await inLedger(id, since, until));
      }),
      { seed: SEED, numRuns: RUNS },
    );
  });

  test('counts concurrent bookings of two processes, by endpoint', async () => {
    const { id } = await accounts.createAccount('test', null);
    const there = new PostgresCreditLedger(await database.connect(), { now: () => now });
    await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        (index % 2 === 0 ? ledger : there).settle(
          {
            chargeId: randomUUID(),
            accountId: id,
            keyId: 'key_1',
            endpoint: `v3.endpoint-${index % 3}`,
            requestId: 'request-1',
          },
          1,
        ),
      ),
    );
    const lines = await ledger.usage(id, null, null);
    expect(lines.map(({ calls }) => calls)).toEqual([14, 13, 13]);
    expect(lines).toEqual(await inLedger(id, null, null));
  });
});
