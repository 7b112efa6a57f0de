import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import type { Knex } from 'knex';
import { PostgresAccountRepository } from '../../db/accounts/account-repository';
import { PostgresCreditLedger } from '../../db/accounts/credit-ledger';
import { rowsOf, sql } from '../../db/core/sql';
import { CREDITS_MAX } from '../../models/access/credits';
import { type ChargeRequest, type UsageLine } from '../../models/ports';
import { useDatabase } from '../support/database';

const NOW = new Date('2026-03-01T12:00:00Z');
const LATER = new Date('2026-03-01T12:02:00Z');
const ids = { next: () => randomUUID() };

describe('the credit ledger', () => {
  const database = useDatabase();
  let here: PostgresCreditLedger;
  let there: PostgresCreditLedger;
  let now = NOW;
  const clock = { now: () => now };

  beforeAll(async () => {
    here = new PostgresCreditLedger(database.knex, clock);
    there = new PostgresCreditLedger(await database.connect(), clock);
  });
  beforeEach(() => {
    now = NOW;
  });
  const accountWith = (credits: number | null) =>
    new PostgresAccountRepository(database.knex, ids, clock).createAccount('test', credits);
  /** An account with so many credits, of which a charge has reserved some. */
  const charged = async (credits: number | null, reserved = 0) => {
    const account = await accountWith(credits);
    const own = chargeOf(account);
    if (reserved > 0) await here.reserve(own, reserved, LATER);
    return { account, charge: own, standing: () => standingOf(database.knex, account.id) };
  };
  const chargeOf = (account: { id: string }): ChargeRequest => ({
    chargeId: randomUUID(),
    accountId: account.id,
    keyId: 'key_1',
    endpoint: 'v3.catalog.query',
    requestId: 'request-1',
  });

  test('two processes that settle at the same time never overdraw, and the ledger sums to what the balance lost', async () => {
    const account = await accountWith(100);
    const outcomes = await Promise.all(
      Array.from({ length: 60 }, async (_, index) => {
        const ledger = index % 2 === 0 ? here : there;
        const charge = chargeOf(account);
        if (!(await ledger.reserve(charge, 5, LATER))) return 0;
        if (index % 5 === 0) {
          await ledger.release(charge);
          return 0;
        }
        const amount = 1 + (index % 5);
        await ledger.settle(charge, amount);
        return amount;
      }),
    );
    const used = outcomes.reduce((sum, amount) => sum + amount, 0);
    expect(used).toBeGreaterThan(0);
    expect(await standingOf(database.knex, account.id)).toEqual({
      credits: 100 - used,
      held: 0,
      booked: used,
    });
  });

  test('of concurrent bookings, each that the balance still covers is made', async () => {
    const account = await accountWith(10);
    const bookings = await Promise.allSettled(
      [4, 20, 4, 3, 2].map((amount) => here.settle(chargeOf(account), amount)),
    );
    expect(bookings.map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'fulfilled',
      'rejected',
      'fulfilled',
    ]);
    expect(bookings[1]).toMatchObject({ reason: { status: 402 } });
    expect(await standingOf(database.knex, account.id)).toEqual({ credits: 0, held: 0, booked: 10 });
  });

  test('concurrent bookings release their own reservations', async () => {
    const account = await accountWith(30);
    const charges = [chargeOf(account), chargeOf(account), chargeOf(account)];
    for (const charge of charges) await here.reserve(charge, 10, LATER);
    await Promise.all(charges.map((charge, index) => here.settle(charge, index)));
    expect(await standingOf(database.knex, account.id)).toEqual({ credits: 27, held: 0, booked: 3 });
  });

  test.each([
    ['reserved', false],
    ['settled', true],
  ])('a charge that was %s and is refunded twice leaves no trace', async (_state, settles) => {
    const { charge, standing } = await charged(20, 10);
    if (settles) await here.settle(charge, 5);
    await Promise.all([here.takeBack(charge), there.takeBack(charge)]);
    expect(await standing()).toEqual({ credits: 20, held: 0, booked: 0 });
  });

  test('settling a charge after its refund books nothing', async () => {
    const { account, charge, standing } = await charged(20, 10);
    await here.takeBack(charge);
    expect(await there.settle(charge, 5)).toEqual({ creditsRemaining: 20 });
    expect(await standing()).toEqual({ credits: 20, held: 0, booked: 0 });
    expect(await here.usage(account.id, null, null)).toEqual([]);
  });

  test('a booking that races with its refund is undone', async () => {
    for (let round = 0; round < 10; round += 1) {
      const { charge, standing } = await charged(20, 10);
      await Promise.all([here.settle(charge, 5), there.takeBack(charge)]);
      expect(await standing()).toEqual({ credits: 20, held: 0, booked: 0 });
    }
  });

  test('a charge that two processes settle at once is booked once', async () => {
    const { charge, standing } = await charged(20, 10);
    const balances = await Promise.all([
      ...Array.from({ length: 4 }, () => here.settle(charge, 7)),
      ...Array.from({ length: 4 }, () => there.settle(charge, 7)),
    ]);
    expect(balances).toEqual(Array(8).fill({ creditsRemaining: 13 }));
    expect(await standing()).toEqual({ credits: 13, held: 0, booked: 7 });
  });

  test('reserving or releasing the same charge again changes nothing', async () => {
    const { charge, standing } = await charged(10);
    expect(await here.reserve(charge, 10, LATER)).toBe(true);
    expect(await there.reserve(charge, 10, LATER)).toBe(true);
    expect(await here.release(charge)).toBe(10);
    expect(await there.release(charge)).toBe(10);
    expect(await standing()).toEqual({ credits: 10, held: 0, booked: 0 });
  });

  test('releasing a settled charge gives nothing back', async () => {
    const { charge } = await charged(10, 5);
    await here.settle(charge, 5);
    expect(await here.release(charge)).toBe(5);
  });

  test('expired reservations are removed, running ones stay', async () => {
    const account = await accountWith(10);
    const running = chargeOf(account);
    await here.reserve(chargeOf(account), 4, NOW);
    await here.reserve(running, 3, LATER);
    await Promise.all([here.lapse(), there.lapse()]);
    expect(await standingOf(database.knex, account.id)).toMatchObject({ credits: 10, held: 3 });
    await here.settle(running, 3);
    expect(await standingOf(database.knex, account.id)).toMatchObject({ credits: 7, held: 0 });
  });

  test('the next reservation may use what expired ones held', async () => {
    const account = await accountWith(10);
    await here.reserve(chargeOf(account), 10, LATER);
    expect(await there.reserve(chargeOf(account), 6, LATER)).toBe(false);
    now = LATER;
    const granted = await Promise.all([
      here.reserve(chargeOf(account), 5, new Date('2026-03-01T12:04:00Z')),
      there.reserve(chargeOf(account), 5, new Date('2026-03-01T12:04:00Z')),
    ]);
    expect(granted).toEqual([true, true]);
  });

  test('a charge with an expired reservation is booked whole if the rest of the balance covers it', async () => {
    const { account, charge: late, standing } = await charged(10, 10);
    now = LATER;
    await there.reserve(chargeOf(account), 4, new Date('2026-03-01T12:04:00Z'));
    expect(await here.settle(late, 6)).toEqual({ creditsRemaining: 4 });
    expect(await standing()).toEqual({ credits: 4, held: 4, booked: 6 });
  });

  test('a charge with an expired reservation is not booked if others hold what it needs', async () => {
    const { account, charge: late, standing } = await charged(10, 10);
    now = LATER;
    await there.reserve(chargeOf(account), 5, new Date('2026-03-01T12:04:00Z'));
    await expect(here.settle(late, 6)).rejects.toMatchObject({ code: 'insufficient_credits' });
    expect(await standing()).toEqual({ credits: 10, held: 5, booked: 0 });
  });

  test('an unlimited account is never refused, has no balance, and is in the ledger', async () => {
    const { account, charge, standing } = await charged(null);
    expect(await here.reserve(charge, 1_000_000, LATER)).toBe(true);
    expect(await here.settle(charge, 10)).toEqual({ creditsRemaining: null });
    expect(await here.topUp(account.id, 5, null)).toBeNull();
    expect(await standing()).toEqual({ credits: null, held: 0, booked: 10 });
  });

  test('a top-up raises the balance and leaves the ledger alone', async () => {
    const account = await accountWith(1);
    expect(await here.reserve(chargeOf(account), 5, LATER)).toBe(false);
    expect(await there.topUp(account.id, 9, null)).toBe(10);
    expect(await here.topUp('account_unknown', 9, null)).toBeNull();
    expect(await here.reserve(chargeOf({ id: 'account_unknown' }), 1, LATER)).toBe(false);
    expect(await standingOf(database.knex, account.id)).toEqual({ credits: 10, held: 0, booked: 0 });
  });

  test('a correction lowers the balance, never below what running calls hold, and says why', async () => {
    const { account, charge, standing } = await charged(10, 4);
    expect(await there.topUp(account.id, -5, 'booked twice by us')).toBe(5);
    await expect(here.topUp(account.id, -2, null)).rejects.toMatchObject({
      code: 'bad_request',
      message: 'The account has 5 credits, and calls that run hold 4 of them; no more can be taken off.',
    });
    await here.settle(charge, 4);
    expect(await here.topUp(account.id, -1, null)).toBe(0);
    await expect(here.topUp(account.id, -1, null)).rejects.toMatchObject({ code: 'bad_request' });
    expect(await standing()).toEqual({ credits: 0, held: 0, booked: 4 });
    expect(await here.topUps(account.id)).toEqual([
      { at: expect.any(Date), amount: 10, note: null },
      { at: NOW, amount: -5, note: 'booked twice by us' },
      { at: NOW, amount: -1, note: null },
    ]);
  });

  test('a correction may take what an expired reservation held', async () => {
    const account = await accountWith(10);
    await here.reserve(chargeOf(account), 10, LATER);
    now = LATER;
    expect(await here.topUp(account.id, -10, null)).toBe(0);
  });

  // contract 10.7
  test('a balance above the limit is refused, and accounts can still be listed', async () => {
    const account = await accountWith(CREDITS_MAX - 1);
    expect(await here.topUp(account.id, 1, null)).toBe(CREDITS_MAX);
    await expect(here.topUp(account.id, 1, null)).rejects.toMatchObject({ code: 'bad_request' });
    await expect(here.topUp(account.id, CREDITS_MAX, null)).rejects.toMatchObject({ code: 'bad_request' });
    const accounts = new PostgresAccountRepository(database.knex, ids, clock);
    expect(await accounts.listAccounts()).toContainEqual({ ...account, credits: CREDITS_MAX });
  });
});

async function standingOf(knex: Knex, accountId: string) {
  const [standing] = await rowsOf<{ credits: number | null; held: number; booked: number; topped: number }>(
    knex,
    sql`SELECT credits, held,
          (SELECT coalesce(sum(amount), 0)::bigint FROM credit_ledger WHERE account_id = a.id) AS booked,
          (SELECT coalesce(sum(amount), 0)::bigint FROM credit_top_ups WHERE account_id = a.id) AS topped
        FROM accounts a WHERE id = ${accountId}`,
  );
  if (!standing) throw new Error('no such account');
  const { topped, ...rest } = standing;
  if (rest.credits !== null) expect(rest.credits).toBe(topped - rest.booked);
  return rest;
}

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
