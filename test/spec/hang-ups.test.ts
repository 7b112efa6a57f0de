import fc from 'fast-check';
import type { Knex } from 'knex';
import { PostgresCreditLedger } from '../../db/accounts/credit-ledger';
import { PostgresItemSales } from '../../db/catalog/item-sales';
import { Billing } from '../../models/access/billing';
import { type ChargeRequest, PORTS, type Sale } from '../../models/ports';
import { processEnvironment } from '../../scripts/config';
import { type Answer, ApiClient } from '../support/api-client';
import { endsOf } from '../support/hold-method';
import { type RawCall, requestText, sendRaw } from '../support/raw-caller';
import { useService } from '../support/service';
import { useEmbeddedPictures } from '../support/stored-vectors';

/**
 * Callers hang up at random moments of their calls, on every endpoint, with and without an `Idempotency-Key`:
 * the ledger is what was answered. `HANG_UP_CALLS` says how many calls are made, `HANG_UP_SEED` which.
 */
const { HANG_UP_CALLS = '150', HANG_UP_SEED = '20261122' } = processEnvironment();
const CALLERS = 6;
const CREDITS = 1_000_000;
/** Of all callers together; a call takes five to ten. */
const STATEMENTS_MAX = 60;
/** Repetitions share so many keys per endpoint. */
const KEYS = 12;

jest.setTimeout(60_000 + Number(HANG_UP_CALLS) * 1_000);

const service = useService({ VISION_DEADLINE_MS: '60000' });
useEmbeddedPictures(service, {
  'https://pictures.example/birkin_croc-30.jpg': 0,
  'https://pictures.example/speedy_epi.jpg': 10,
});

interface Plan {
  readonly endpoint: keyof ReturnType<typeof endpoints>;
  /** Number of its `Idempotency-Key`, where the endpoint takes one. */
  readonly name: number | null;
  /** Messages to and from the database after which the caller hangs up; null for one that stays. */
  readonly leavesAfter: number | null;
}

const endpoints = (photo: object) =>
  ({
    v1: { method: 'GET', path: '/v1/products' },
    item: { method: 'GET', path: '/v3/catalog/items/product_birkin_croc?includes=pricing' },
    items: {
      method: 'POST',
      path: '/v3/catalog/items',
      body: { ids: ['product_birkin_croc', 'x', 'handbags'] },
    },
    similar: { method: 'GET', path: '/v3/catalog/items/product_birkin_croc/similar?includes=pricing' },
    v2: { method: 'POST', path: '/v2/products', body: {} },
    v2Vision: { method: 'POST', path: '/v2/vision', body: photo },
    query: { method: 'POST', path: '/v3/catalog/query', body: { includes: ['pricing'], page_size: 3 } },
    nothing: { method: 'POST', path: '/v3/catalog/query', body: { query: 'nothingatall' } },
    vision: { method: 'POST', path: '/v3/vision/identify', body: { ...photo, includes: ['pricing'] } },
  }) satisfies Record<string, RawCall>;

const plans = fc.sample<Plan>(
  fc.record({
    endpoint: fc.constantFrom(...(Object.keys(endpoints({})) as Plan['endpoint'][])),
    name: fc.option(fc.nat(KEYS - 1)),
    leavesAfter: fc.option(fc.nat(STATEMENTS_MAX), { freq: 3 }),
  }),
  { numRuns: Number(HANG_UP_CALLS), seed: Number(HANG_UP_SEED) },
);

interface Made {
  readonly requestId: string;
  /** The call that it repeats or begins; null for one without an `Idempotency-Key`. */
  readonly named: string | null;
  /** Null for a caller that left. */
  readonly answer: Answer | null;
}

test('the ledger is what was answered, no matter who hangs up, and when', async () => {
  await service.sees(['product_birkin_croc', 0.05]);
  const { api, key, accountId } = await service.newKey({ credits: CREDITS });
  const calls = endpoints({ base64: (await service.photo()).toString('base64') });
  const booked = bookings();
  const ends = endsOf([Billing.prototype, 'charge'], [PostgresCreditLedger.prototype, 'takeBack']);
  const made: Made[] = [];
  const left = plans.entries();
  const caller = async () => {
    for (const [number, plan] of left) made.push(await make(number, plan, calls[plan.endpoint], key));
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
  await ends.all();
  booked.end();

  const ledger = await ledgerOf(accountId);
  const total = [...ledger.values()].reduce((sum, amount) => sum + amount, 0);
  expect(await service.balance(accountId)).toBe(CREDITS - total);
  expect(await heldBy(accountId)).toBe(0);
  expect(faultsOf(made, ledger, await booked.tooLate())).toEqual([]);
  expect(made.filter(({ answer }) => answer === null).length).toBeGreaterThan(0);
  const { status } = await api.query({});
  expect(status).toBe(200);
});

async function make(number: number, plan: Plan, call: RawCall, key: string): Promise<Made> {
  const requestId = `hang-up-${number}`;
  const named = call.method === 'POST' && plan.name !== null ? `${plan.endpoint}-${plan.name}` : null;
  const headers = { 'X-Request-Id': requestId, ...(named === null ? {} : { 'Idempotency-Key': named }) };
  const { method, path, body } = call;
  if (plan.leavesAfter === null) {
    const answer = await new ApiClient(service.url, key).send(method, path, { body, headers });
    return { requestId, named, answer };
  }
  const leaving = messages(plan.leavesAfter);
  const socket = await sendRaw(service.url, requestText({ ...call, headers }, key));
  socket.once('data', leaving.now);
  await leaving.reached;
  socket.destroy();
  return { requestId, named, answer: null };
}

/** Resolves after so many messages between the service and its database, or when it is told to. */
function messages(count: number): { readonly reached: Promise<void>; now(): void } {
  const knex = service.resolve<Knex>(PORTS.Knex);
  let seen = 0;
  let now = (): void => undefined;
  const reached = new Promise<void>((resolve) => {
    const look = () => {
      seen += 1;
      if (seen > count) now();
    };
    now = () => {
      knex.off('query', look).off('query-response', look);
      resolve();
    };
    knex.on('query', look).on('query-response', look);
    if (count === 0) now();
  });
  return { reached, now: () => now() };
}

/** Notes whose connection the service had seen closed when their booking was done. */
function bookings() {
  const { settle } = PostgresCreditLedger.prototype;
  const { sell } = PostgresItemSales.prototype;
  const done: { readonly requestId: string; readonly lines: number }[] = [];
  const note = async ({ requestId }: ChargeRequest) =>
    void done.push({ requestId, lines: (await service.log.lines(0)).length });
  service.log.clear();
  PostgresCreditLedger.prototype.settle = async function (charge: ChargeRequest, ...rest) {
    const booking = await settle.call(this, charge, ...rest);
    await note(charge);
    return booking;
  };
  PostgresItemSales.prototype.sell = async function (sale: Sale) {
    const sold = await sell.call(this, sale);
    await note(sale.charge);
    return sold;
  };
  return {
    end: () => {
      PostgresCreditLedger.prototype.settle = settle;
      PostgresItemSales.prototype.sell = sell;
    },
    tooLate: async (): Promise<Set<string>> => {
      const closed = (await service.log.lines(0)).map((line) => (line as { requestId: string }).requestId);
      const late = done.filter(({ requestId, lines }) => closed.slice(0, lines).includes(requestId));
      const booked = new Set(done.map(({ requestId }) => requestId));
      return new Set([...late.map(({ requestId }) => requestId), ...closed.filter((id) => !booked.has(id))]);
    },
  };
}

/**
 * Every sentence that is not true.
 *
 * @param gone calls whose connection was closed before they were booked, if they ever were
 */
function faultsOf(made: readonly Made[], ledger: ReadonlyMap<string, number>, gone: ReadonlySet<string>) {
  const faults: string[] = [];
  const replays = new Map<string, Answer>();
  for (const { named, answer } of made) {
    if (named !== null && answer?.headers.get('Idempotency-Replayed')) replays.set(named, answer);
  }
  for (const { requestId, named, answer } of made) {
    const amount = ledger.get(requestId) ?? 0;
    if (answer === null) {
      const isReplayed = named !== null && replays.has(named);
      if (amount > 0 && gone.has(requestId) && !isReplayed)
        faults.push(`${requestId} is gone and pays ${amount}`);
      continue;
    }
    if (answer.status !== 200) faults.push(`${requestId}: ${answer.status} ${answer.text}`);
    const used = Number(answer.headers.get('X-Credits-Used'));
    if (used !== amount) faults.push(`${requestId} was told ${used} and pays ${amount}`);
  }
  for (const [named, { text, body }] of replays) {
    const paid = made
      .filter((each) => each.named === named)
      .map(({ requestId }) => ledger.get(requestId) ?? 0)
      .filter((amount) => amount > 0);
    const told = (body as { credits_used?: number }).credits_used ?? paid[0];
    if (paid.length > 1 || (paid[0] ?? 0) !== (told ?? 0))
      faults.push(`${named}: ${paid} for ${told}, ${text.slice(0, 80)}`);
  }
  return faults;
}

/** What each request of an account pays. */
async function ledgerOf(accountId: string): Promise<ReadonlyMap<string, number>> {
  const knex = service.resolve<Knex>(PORTS.Knex);
  const lines = await knex('credit_ledger').where({ account_id: accountId });
  return new Map(
    lines.map((line: { request_id: string; amount: number }) => [line.request_id, Number(line.amount)]),
  );
}

async function heldBy(accountId: string): Promise<number> {
  const account = await service.resolve<Knex>(PORTS.Knex)('accounts').where({ id: accountId }).first('held');
  return Number(account?.held);
}
