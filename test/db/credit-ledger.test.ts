import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { rowsOf } from '../../db/core/sql';
import { RESERVATION_MS } from '../../models/access/billing';
import { CREDITS_MAX } from '../../models/access/credits';
import { badRequest, insufficientCredits } from '../../models/errors';
import type { ChargeRequest, CreditLedger, UsageLine } from '../../models/ports';
import { at } from '../../models/random';
import { HOUR_MS, MINUTE_MS, type Stores, useTwoProcesses } from './stores';

const SEED = 20_261_125;
const { clock, database, here, there, owner } = useTwoProcesses();

const chargeOf = (accountId: string, more: Partial<ChargeRequest> = {}): ChargeRequest => ({
  ...{ chargeId: randomUUID(), accountId, keyId: 'key_1', endpoint: 'v3.catalog.query', requestId: 'r' },
  ...more,
});

/** What an account has, holds for running calls, and was charged; its balance is its top-ups less its charges. */
async function accountState(accountId: string) {
  const [found] = await rowsOf<{ credits: number | null; held: number; booked: number; topped: number }>(
    database.knex,
  )`
    SELECT credits, held,
      (SELECT coalesce(sum(amount), 0)::bigint FROM credit_ledger WHERE account_id = a.id) AS booked,
      (SELECT coalesce(sum(amount), 0)::bigint FROM credit_top_ups WHERE account_id = a.id) AS topped
    FROM accounts a WHERE id = ${accountId}`;
  if (!found) throw new Error('no such account');
  const { topped, ...state } = found;
  if (state.credits !== null) expect(state.credits).toBe(topped - state.booked);
  return state;
}

class NaiveLedger {
  readonly #reserved = new Map<ChargeRequest, { amount: number; until: number }>();
  readonly #booked = new Map<ChargeRequest, number>();

  constructor(private credits: number | null) {}

  get state() {
    return { credits: this.credits, held: this.#held, booked: sum([...this.#booked.values()]) };
  }

  get #held(): number {
    return sum([...this.#reserved.values()].map(({ amount }) => amount));
  }

  reserve(charge: ChargeRequest, amount: number, until: Date): boolean {
    const { credits } = this;
    if (credits === null || this.#reserved.has(charge)) return true;
    if (credits - this.#held < amount) this.expireReservations();
    if (credits - this.#held < amount) return false;
    this.#reserved.set(charge, { amount, until: until.getTime() });
    return true;
  }

  settle(charge: ChargeRequest, amount: number) {
    if (!this.#booked.has(charge)) {
      const heldByOthers = this.#held - (this.#reserved.get(charge)?.amount ?? 0);
      if (this.credits !== null && this.credits - amount < heldByOthers) throw insufficientCredits(amount);
      if (this.credits !== null) this.credits -= amount;
      if (amount > 0) this.#booked.set(charge, amount);
    }
    return { creditsRemaining: this.release(charge) };
  }

  release(charge: ChargeRequest): number | null {
    this.#reserved.delete(charge);
    return this.credits;
  }

  refund(charge: ChargeRequest): void {
    this.release(charge);
    if (this.credits !== null) this.credits += this.#booked.get(charge) ?? 0;
    this.#booked.set(charge, 0);
  }

  expireReservations(): void {
    for (const [charge, { until }] of this.#reserved) if (until <= clock.at) this.release(charge);
  }

  topUp(_accountId: string, amount: number): number | null {
    this.expireReservations();
    if (this.credits === null) return null;
    if (this.credits + amount < this.#held) throw badRequest('too much is taken off');
    this.credits += amount;
    return this.credits;
  }
}

const sum = (amounts: readonly number[]): number => amounts.reduce((total, amount) => total + amount, 0);

describe('the credit ledger', () => {
  const step = fc.record({
    action: fc.constantFrom(
      ...(['reserve', 'reserve', 'settle', 'settle', 'release', 'refund', 'lapse', 'topUp', 'wait'] as const),
    ),
    at: fc.nat(3),
    amount: fc.integer({ min: 0, max: 12 }),
    minutes: fc.integer({ min: 1, max: Math.floor(RESERVATION_MS / MINUTE_MS) }),
    isHere: fc.boolean(),
  });

  // contract 10.4, 10.5
  test('behaves like plain arithmetic, whatever two processes do in turn, repeat, or leave to expire', async () => {
    const steps = fc.array(step, { minLength: 8, maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(20, 20, 20, null), steps, async (credits, taken) => {
        const { accountId } = await owner(credits);
        const charges = Array.from({ length: 4 }, () => chargeOf(accountId, { isUnlimited: !credits }));
        const expected = new NaiveLedger(credits);
        for (const { action, at: number, amount, minutes, isHere } of taken) {
          const charge = at(charges, number);
          const until = clock.in(minutes * MINUTE_MS);
          if (action === 'wait') clock.at = until.getTime();
          else {
            const act = async (ledger: CreditLedger | NaiveLedger) =>
              ({
                reserve: () => ledger.reserve(charge, amount, until),
                settle: () => ledger.settle(charge, amount),
                release: () => ledger.settle(charge, 0),
                refund: () => ledger.refund(charge),
                lapse: () => ledger.expireReservations(),
                topUp: () => ledger.topUp(accountId, amount - 8, null),
              })[action]();
            const outcomeOf = (ledger: CreditLedger | NaiveLedger) => act(ledger).catch(({ code }) => code);
            const outcome = await outcomeOf((isHere ? here() : there()).ledger);
            expect([action, outcome]).toEqual([action, await outcomeOf(expected)]);
            expect(await accountState(accountId)).toEqual(expected.state);
          }
        }
      }),
      { seed: SEED, numRuns: 60 },
    );
  });

  // contract 10.4, 10.5
  test('is never overdrawn by two processes at once, and adds up to what the balance lost', async () => {
    const { accountId } = await owner(100);
    const call = async ({ ledger }: Stores, index: number) => {
      const charge = chargeOf(accountId);
      if (!(await ledger.reserve(charge, 5, clock.in(MINUTE_MS)))) return 0;
      if (index % 5 === 0) await ledger.settle(charge, 0);
      else await ledger.settle(charge, 1 + (index % 5));
      return index % 5 === 0 ? 0 : 1 + (index % 5);
    };
    const calls = Array.from({ length: 60 }, (_, index) => call(index % 2 === 0 ? here() : there(), index));
    const used = sum(await Promise.all(calls));
    expect(used).toBeGreaterThan(0);
    expect(await accountState(accountId)).toEqual({ credits: 100 - used, held: 0, booked: used });
  });

  test('makes every concurrent booking that the balance still covers', async () => {
    const { accountId } = await owner(10);
    const bookings = [4, 20, 4, 3, 2].map((amount) => here().ledger.settle(chargeOf(accountId), amount));
    expect(await Promise.allSettled(bookings)).toMatchObject([
      { status: 'fulfilled' },
      { reason: { status: 402 } },
      { status: 'fulfilled' },
      { reason: { status: 402 } },
      { status: 'fulfilled' },
    ]);
    expect(await accountState(accountId)).toEqual({ credits: 0, held: 0, booked: 10 });
  });

  test('books a charge once when two processes settle it at once, and not at all when it is refunded meanwhile', async () => {
    for (let round = 0; round < 10; round += 1) {
      const { accountId } = await owner(40);
      const [repeated, refunded] = [chargeOf(accountId), chargeOf(accountId)];
      for (const charge of [repeated, refunded]) await here().ledger.reserve(charge, 10, clock.in(MINUTE_MS));
      await Promise.all([
        ...[here(), there(), here(), there()].map(({ ledger }) => ledger.settle(repeated, 7)),
        ...[here().ledger.settle(refunded, 5), there().ledger.refund(refunded)],
        here().ledger.refund(refunded),
      ]);
      expect(await accountState(accountId)).toEqual({ credits: 33, held: 0, booked: 7 });
    }
  });

  // contract 10.7
  test('refuses a balance beyond its limits with the reason, and keeps every top-up with its note', async () => {
    const { accountId } = await owner(10);
    const { ledger, accounts } = here();
    await ledger.reserve(chargeOf(accountId), 4, clock.in(MINUTE_MS));
    expect(await ledger.topUp(accountId, -5, 'booked twice by us')).toBe(5);
    await expect(ledger.topUp(accountId, -2, null)).rejects.toMatchObject({
      code: 'bad_request',
      message: 'The account has 5 credits, and calls that run hold 4 of them; no more can be taken off.',
    });
    expect(await ledger.topUp(accountId, CREDITS_MAX - 5, null)).toBe(CREDITS_MAX);
    for (const amount of [1, CREDITS_MAX])
      await expect(ledger.topUp(accountId, amount, null)).rejects.toMatchObject({ code: 'bad_request' });
    expect(await ledger.topUps(accountId)).toEqual([
      { at: expect.any(Date), amount: 10, note: null },
      { at: clock.now(), amount: -5, note: 'booked twice by us' },
      { at: clock.now(), amount: CREDITS_MAX - 5, note: null },
    ]);
    const full = expect.objectContaining({ id: accountId, credits: CREDITS_MAX });
    expect(await accounts.listAccounts()).toContainEqual(full);
  });
});

/** contract 9.7, 10.5: usage is the ledger, by day. */
describe('usage', () => {
  const START = Date.UTC(2026, 2, 1);
  /** Hours after the start; whole days are frequent. */
  const hours = fc.oneof(
    fc.nat(8).map((day) => day * 24),
    fc.nat(8 * 24),
  );
  const booking = fc.record({
    hour: hours,
    endpoint: fc.constantFrom('v3.vision.identify', 'v3.catalog.query'),
    amount: fc.nat(9),
    fate: fc.constantFrom('stands', 'stands', 'refunded', 'settled again'),
  });
  const timeOf = (hour: number | null): Date | null =>
    hour === null ? null : new Date(START + hour * HOUR_MS);

  async function inLedger(accountId: string, since: Date | null, until: Date | null): Promise<UsageLine[]> {
    const charges = await rowsOf<{ booked_at: Date; endpoint: string; amount: number }>(database.knex)`
      SELECT booked_at, endpoint, amount FROM credit_ledger WHERE account_id = ${accountId} AND amount > 0`;
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
    const limit = fc.option(hours);
    await fc.assert(
      fc.asyncProperty(fc.array(booking, { maxLength: 12 }), limit, limit, async (bookings, from, to) => {
        const { accountId } = await owner();
        const { ledger } = here();
        for (const { hour, endpoint, amount, fate } of bookings) {
          clock.at = START + hour * HOUR_MS;
          const charge = chargeOf(accountId, { endpoint });
          await ledger.settle(charge, amount);
          if (fate === 'settled again') await ledger.settle(charge, amount);
          if (fate === 'refunded') await ledger.refund(charge);
        }
        const [since, until] = [timeOf(from), timeOf(to)];
        expect(await ledger.usage(accountId, since, until)).toEqual(await inLedger(accountId, since, until));
      }),
      { seed: SEED, numRuns: 60 },
    );
  });
});
