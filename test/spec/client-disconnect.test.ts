import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import fc from 'fast-check';
import type { Knex } from 'knex';
import { PostgresAccountRepository } from '../../db/accounts/account-repository';
import { PostgresCreditLedger } from '../../db/accounts/credit-ledger';
import { PostgresItemSales } from '../../db/catalog/item-sales';
import { Billing } from '../../models/access/billing';
import { PORTS } from '../../models/ports';
import { type Answer, ApiClient } from '../support/api-client';
import { endsOf, holdMethod, type RawCall, requestText, sendRaw } from '../support/interrupted-calls';
import { useService } from '../support/service';
import { useEmbeddedPictures } from '../support/stored-vectors';

/** contract 10.6: callers who hang up pay for what was booked before, and for nothing else. */
const service = useService({ VISION_DEADLINE_MS: '60000' });
const { photo } = service;
useEmbeddedPictures(service, {
  'https://pictures.example/birkin_croc-30.jpg': 0,
  'https://pictures.example/speedy_epi.jpg': 10,
});

beforeEach(async () => {
  service.queue.reset();
  await service.sees(['product_birkin_croc', 0.05]);
  service.log.clear();
});

const ITEM = '/v3/catalog/items/product_birkin_croc';

/** A call of each endpoint that costs credits. How its charge is booked: rows as they are read, or settled with the answer. */
const ENDPOINTS: Readonly<Record<string, readonly [booking: 'rows' | 'answer', call: () => RawCall]>> = {
  'v1 products': ['rows', () => ({ method: 'GET', path: '/v1/products' })],
  'v2 products': ['rows', () => ({ method: 'POST', path: '/v2/products', body: {} })],
  'v2 vision': ['answer', () => ({ method: 'POST', path: '/v2/vision', body: photo })],
  query: ['rows', () => ({ method: 'POST', path: '/v3/catalog/query', body: { includes: ['pricing'] } })],
  item: ['rows', () => ({ method: 'GET', path: `${ITEM}?includes=pricing` })],
  items: [
    'rows',
    () => ({ method: 'POST', path: '/v3/catalog/items', body: { ids: ['product_birkin_croc', 'x'] } }),
  ],
  similar: ['answer', () => ({ method: 'GET', path: `${ITEM}/similar?includes=pricing` })],
  'v3 vision': [
    'answer',
    () => ({ method: 'POST', path: '/v3/vision/identify', body: { ...photo, includes: ['pricing'] } }),
  ],
};

const PLAIN = Object.entries(ENDPOINTS).map(([name, [booking, call]]) => ({ name, booking, call }));
/** With an `Idempotency-Key` an answer is kept, and its charge settled with it. */
const NAMED = PLAIN.filter(({ call }) => call().method === 'POST').map(({ name, call }) => ({
  name: `${name} with an Idempotency-Key`,
  booking: 'answer',
  call: () => ({ ...call(), headers: { 'Idempotency-Key': 'gone' } }),
}));
const ALL = [...PLAIN, ...NAMED];
const PHOTOS = ALL.filter(({ name }) => name.includes('vision'));
const QUERIES = ALL.filter(({ name }) => !name.includes('vision'));
const SETTLED = ALL.filter(({ booking }) => booking === 'answer');
const SOLD = ALL.filter(({ booking }) => booking === 'rows');
const [ledger, sales] = [PostgresCreditLedger.prototype, PostgresItemSales.prototype];

/** Each moment of a call until its charge is booked, as a method that is under way. */
const MOMENTS = [
  ['while its credits are reserved', PHOTOS, () => holdMethod(ledger, 'reserve')],
  ['when its credits are reserved', PHOTOS, () => holdMethod(ledger, 'reserve', 'after')],
  ['when its balance suffices', QUERIES, () => holdMethod(Billing.prototype, 'cover', 'after')],
  ['before its charge is booked', SETTLED, () => holdMethod(ledger, 'settle')],
  ['while its charge is booked', SETTLED, () => holdMethod(ledger, 'settle', 'after')],
  ['before its rows are sold', SOLD, () => holdMethod(sales, 'sell')],
  ['while its rows are sold', SOLD, () => holdMethod(sales, 'sell', 'after')],
  [
    'while its key is looked up',
    // A body that breaks off meanwhile ends its call before.
    PLAIN.filter(({ call }) => call().method === 'GET'),
    () => holdMethod(PostgresAccountRepository.prototype, 'callerByKeyHash'),
  ],
] as const;

// contract 10.6
describe.each(MOMENTS)('a caller that hangs up %s is not charged for', (_moment, endpoints, hold) => {
  test.each(endpoints)('$name', async ({ call: callOf }) => {
    const call = callOf();
    const { api, key, accountId } = await service.newKey({ credits: 100 });
    const ends = endsOf([Billing.prototype, 'charge'], [ledger, 'takeBack']);
    const held = hold();
    try {
      const socket = await sendRaw(service.url, requestText(call, key));
      await held.waiting(1);
      await hangUp(socket);
    } finally {
      held.letGo();
    }
    await ends.all();
    expect(await booksOf(accountId)).toEqual({ booked: 0, balance: 100 });
    // Nothing stays reserved either, and the call can be made again.
    const { method, path, body, headers = {} } = call;
    const again = await api.send(method, path, { body, headers });
    const used = Number(again.headers.get('X-Credits-Used'));
    expect([again.status, used > 0]).toEqual([200, true]);
    expect(await booksOf(accountId)).toEqual({ booked: used, balance: 100 - used });
  });
});

test('pipelined requests start one after the other, and not at all for a caller who hung up', async () => {
  const { key, accountId } = await service.newKey({ credits: 100 });
  const first = { method: 'POST', path: '/v3/vision/identify', body: photo } as const;
  const ends = endsOf([Billing.prototype, 'charge']);
  const letGo = service.queue.holds();
  const both = requestText(first, key) + requestText({ method: 'GET', path: ITEM }, key);
  const socket = await sendRaw(service.url, both);
  await service.queue.asked();
  await hangUp(socket);
  letGo();
  await ends.all();
  expect(await booksOf(accountId)).toEqual({ booked: 0, balance: 100 });
  expect(await service.log.lines(0)).toHaveLength(1);
});

// contract 12.8
test('pipelined requests are answered in their order', async () => {
  const { key, accountId } = await service.newKey({ credits: 100 });
  const item = { method: 'GET', path: ITEM } as const;
  const last = { ...item, headers: { Connection: 'close' } };
  const socket = await sendRaw(service.url, requestText(item, key).repeat(11) + requestText(last, key));
  const answers = await text(socket);
  const left = [...answers.matchAll(/^X-Credits-Remaining: (\d+)/gim)].map(([, credits]) => Number(credits));
  expect(left).toEqual(Array.from({ length: 12 }, (_, call) => 99 - call));
  expect(await booksOf(accountId)).toEqual({ booked: 12, balance: 88 });
});

const booksOf = async (accountId: string) => ({
  booked: await service.creditsBooked(accountId),
  balance: await service.balance(accountId),
});

/** Hangs up, and waits until the service has noticed: then it writes the line of the request. */
async function hangUp(socket: Socket): Promise<void> {
  const before = (await service.log.lines(0)).length;
  socket.destroy();
  await service.log.lines(before + 1);
}

interface Plan {
  readonly endpoint: string;
  /** Number of its `Idempotency-Key`, where the endpoint takes one. */
  readonly name: number | null;
  /** Messages to and from the database after which the caller hangs up; null for one that stays. */
  readonly leavesAfter: number | null;
}

interface Made {
  readonly requestId: string;
  /** The call that it repeats or begins; null for one without an `Idempotency-Key`. */
  readonly named: string | null;
  /** Null for a caller that left. */
  readonly answer: Answer | null;
}

describe('with callers that hang up at random moments', () => {
  const CALLERS = 6;
  const CREDITS = 1_000_000;
  const plans = fc.sample<Plan>(
    fc.record({
      endpoint: fc.constantFrom(...Object.keys(ENDPOINTS), 'nothing'),
      name: fc.option(fc.nat(11)),
      // Of all callers together; a call takes five to ten.
      leavesAfter: fc.option(fc.nat(60), { freq: 3 }),
    }),
    { numRuns: 150, seed: 20261122 },
  );
  const nothing = { method: 'POST', path: '/v3/catalog/query', body: { query: 'nothingatall' } } as const;

  // contract 10.5, 10.6, 12.6
  test('the ledger is what was answered', async () => {
    const { api, key, accountId } = await service.newKey({ credits: CREDITS });
    const ends = endsOf([Billing.prototype, 'charge'], [ledger, 'takeBack']);
    const made: Made[] = [];
    const left = plans.entries();
    const caller = async () => {
      for (const [number, plan] of left) made.push(await make(number, plan, key));
    };
    await Promise.all(Array.from({ length: CALLERS }, caller));
    await ends.all();
    const paid = await paymentsOf(accountId);
    const total = [...paid.values()].reduce((sum, amount) => sum + amount, 0);
    expect(await service.balance(accountId)).toBe(CREDITS - total);
    const account = await service
      .resolve<Knex>(PORTS.Knex)('accounts')
      .where({ id: accountId })
      .first('held');
    expect(Number(account?.held)).toBe(0);
    expect(faultsOf(made, paid)).toEqual([]);
    expect(made.filter(({ answer }) => answer === null).length).toBeGreaterThan(0);
    expect((await api.query({})).status).toBe(200);
  }, 180_000);

  async function make(number: number, plan: Plan, key: string): Promise<Made> {
    const call = ENDPOINTS[plan.endpoint]?.[1]() ?? nothing;
    const requestId = `hang-up-${number}`;
    const name = `${plan.endpoint.replace(' ', '-')}-${plan.name}`;
    const named = call.method === 'POST' && plan.name !== null ? name : null;
    const headers = { 'X-Request-Id': requestId, ...(named === null ? {} : { 'Idempotency-Key': named }) };
    if (plan.leavesAfter === null) {
      const { method, path, body } = call;
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

  /** Resolves after so many messages between the service and its database, or when told to. */
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

  /** What each request of an account pays. */
  async function paymentsOf(accountId: string): Promise<ReadonlyMap<string, number>> {
    const lines = await service.resolve<Knex>(PORTS.Knex)('credit_ledger').where({ account_id: accountId });
    return new Map(lines.map((line) => [line.request_id, Number(line.amount)]));
  }

  /** Answers that were charged otherwise than they say, and calls that were paid twice under their `Idempotency-Key`. */
  function faultsOf(made: readonly Made[], paid: ReadonlyMap<string, number>): string[] {
    const faults = made.flatMap(({ requestId, answer }) => {
      const used = answer?.headers.get('X-Credits-Used') ?? null;
      const isRight =
        answer === null || (answer.status === 200 && Number(used) === (paid.get(requestId) ?? 0));
      return isRight ? [] : [`${requestId}: ${answer.status}, told ${used}, pays ${paid.get(requestId)}`];
    });
    for (const { named, answer } of made) {
      if (named === null || !answer?.headers.get('Idempotency-Replayed')) continue;
      const payments = made
        .filter((each) => each.named === named)
        .flatMap(({ requestId }) => paid.get(requestId) || []);
      const told = (answer.body as { credits_used?: number }).credits_used ?? payments[0];
      if (payments.length > 1 || (payments[0] ?? 0) !== (told ?? 0))
        faults.push(`${named}: ${payments} for ${told}, ${answer.text.slice(0, 80)}`);
    }
    return faults;
  }
});
