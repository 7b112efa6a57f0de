import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { PostgresAccountRepository } from '../../db/accounts/account-repository';
import { PostgresCreditLedger } from '../../db/accounts/credit-ledger';
import { PostgresPredictionRepository } from '../../db/predictions/prediction-repository';
import { Billing } from '../../models/access/billing';
import { PORTS } from '../../models/ports';
import { endsOf, holdMethod, type RawCall, requestText, sendRaw } from '../support/interrupted-calls';
import { useService } from '../support/service';
import { useEmbeddedPictures } from '../support/stored-vectors';

/** contract 10.6: callers who disconnect pay for what was booked before, and for nothing else. */
const service = useService({ VISION_DEADLINE_MS: '60000' });
const { photo } = service;
useEmbeddedPictures(service);
service.seesInEachTest(['product_birkin_croc', 0.05]);
beforeEach(() => service.log.clear());

const ITEM = '/v3/catalog/items/product_birkin_croc';
const PRICING = { includes: ['pricing'] };
const post = (path: string, body: object): RawCall => ({ method: 'POST', path, body });
const get = (path: string): RawCall => ({ method: 'GET', path });

/** A call of each endpoint that costs credits, and how its charge is booked: as its rows are read, or settled with the answer. */
const ENDPOINTS: Readonly<Record<string, readonly [booking: 'rows' | 'answer', call: () => RawCall]>> = {
  'v1 products': ['rows', () => get('/v1/products')],
  'v2 products': ['rows', () => post('/v2/products', {})],
  'v2 vision': ['rows', () => post('/v2/vision', photo)],
  query: ['rows', () => post('/v3/catalog/query', PRICING)],
  item: ['rows', () => get(`${ITEM}?includes=pricing`)],
  items: ['rows', () => post('/v3/catalog/items', { ids: ['product_birkin_croc', 'x'] })],
  similar: ['answer', () => get(`${ITEM}/similar?includes=pricing`)],
  'v3 vision': ['rows', () => post('/v3/vision/identify', { ...photo, ...PRICING })],
  'v3 vision, explained': ['answer', () => post('/v3/vision/identify', { ...photo, explain: true })],
};

const PLAIN = Object.entries(ENDPOINTS).map(([name, [booking, call]]) => ({ name, booking, call }));
/** With an `Idempotency-Key` an answer is kept, and its charge is settled with it. */
const NAMED = PLAIN.filter(({ call }) => call().method === 'POST').map(({ name, call }) => ({
  ...{ name: `${name} with an Idempotency-Key`, booking: 'answer' },
  call: () => ({ ...call(), headers: { 'Idempotency-Key': 'gone' } }),
}));
const ALL = [...PLAIN, ...NAMED];
const PHOTOS = ALL.filter(({ name }) => name.includes('vision'));
const QUERIES = ALL.filter(({ name }) => !name.includes('vision'));
const SETTLED = ALL.filter(({ booking }) => booking === 'answer');
const SOLD = ALL.filter(({ booking }) => booking === 'rows');
// A body that breaks off while its key is looked up ends its call before.
const BODILESS = PLAIN.filter(({ call }) => call().method === 'GET');
const ledger = PostgresCreditLedger.prototype;
const accounts = PostgresAccountRepository.prototype;
const predictions = PostgresPredictionRepository.prototype;

/** Each moment of a call until its charge is booked, as a method that is under way. */
const MOMENTS = [
  ['while its credits are reserved', PHOTOS, () => holdMethod(ledger, 'reserve')],
  ['when its credits are reserved', PHOTOS, () => holdMethod(ledger, 'reserve', 'after')],
  ['when its balance suffices', QUERIES, () => holdMethod(Billing.prototype, 'assertAffordable', 'after')],
  ['before its charge is booked', SETTLED, () => holdMethod(ledger, 'settle')],
  ['while its charge is booked', SETTLED, () => holdMethod(ledger, 'settle', 'after')],
  ['while its prediction is recorded', PHOTOS, () => holdMethod(predictions, 'save')],
  ['before its rows are sold', SOLD, () => holdMethod(ledger, 'sell')],
  ['while its rows are sold', SOLD, () => holdMethod(ledger, 'sell', 'after')],
  ['while its key is looked up', BODILESS, () => holdMethod(accounts, 'callerByKeyHash')],
] as const;

const charges = () => endsOf([Billing.prototype, 'charge'], [ledger, 'refund']);
const booksOf = async (accountId: string) => ({
  booked: await service.creditsBooked(accountId),
  balance: await service.balance(accountId),
});

/** Disconnects, and waits until the service has noticed: then it writes the line of the request. */
async function disconnect(socket: Socket): Promise<void> {
  const before = (await service.log.lines(0)).length;
  socket.destroy();
  await service.log.lines(before + 1);
}

// contract 10.6
describe.each(MOMENTS)('a caller that disconnects %s is not charged for', (_moment, endpoints, hold) => {
  test.each(endpoints)('$name', async ({ call: callOf }) => {
    const call = callOf();
    const { api, key, accountId } = await service.newKey({ credits: 100 });
    const [ends, held] = [charges(), hold()];
    try {
      const socket = await sendRaw(service.url, requestText(call, key));
      await held.waiting;
      await disconnect(socket);
    } finally {
      held.letGo();
    }
    await ends.all();
    expect(await booksOf(accountId)).toEqual({ booked: 0, balance: 100 });
    // Nothing stays reserved either, and the call can be repeated.
    const again = await api.send(call.method, call.path, call);
    const used = Number(again.headers.get('X-Credits-Used'));
    expect([again.status, used > 0]).toEqual([200, true]);
    expect(await booksOf(accountId)).toEqual({ booked: used, balance: 100 - used });
  });
});

// contract 10.5
test('a refund that fails for good is logged with what an operator needs to make it', async () => {
  const error = jest.spyOn(service.resolve(PORTS.Logger), 'error');
  for (const step of ['settle', 'refund'] as const)
    jest.spyOn(ledger, step).mockRejectedValue(new Error('away'));
  const { api, accountId } = await service.newKey({ credits: 100 });
  expect((await api.identify({ ...photo, explain: true })).status).toBe(500);
  const charge = { accountId, chargeId: expect.any(String), amount: 5, reason: 'away' };
  expect(error).toHaveBeenCalledWith(charge, expect.stringContaining('refund'));
});

// contract 10.4
test('an answer whose prediction cannot be recorded is an error, and its booking is refunded', async () => {
  const refunds = endsOf([ledger, 'refund']);
  jest.spyOn(predictions, 'save').mockRejectedValue(new Error('away'));
  const { api, accountId } = await service.newKey({ credits: 100 });
  expect((await api.identify(photo)).status).toBe(500);
  await refunds.all();
  expect(await booksOf(accountId)).toEqual({ booked: 0, balance: 100 });
});

// contract 12.8
describe('pipelined requests', () => {
  test('start one after the other, and not at all for a caller who disconnected', async () => {
    const { key, accountId } = await service.newKey({ credits: 100 });
    const ends = charges();
    const letGo = service.queue.holds();
    const both = [post('/v3/vision/identify', photo), get(ITEM)].map((call) => requestText(call, key));
    const socket = await sendRaw(service.url, both.join(''));
    await service.queue.asked();
    await disconnect(socket);
    letGo();
    await ends.all();
    expect(await booksOf(accountId)).toEqual({ booked: 0, balance: 100 });
    expect(await service.log.lines(0)).toHaveLength(1);
  });

  test('are answered in their order', async () => {
    const { key, accountId } = await service.newKey({ credits: 100 });
    const last = { ...get(ITEM), headers: { Connection: 'close' } };
    const sent = requestText(get(ITEM), key).repeat(11) + requestText(last, key);
    const answers = await text(await sendRaw(service.url, sent));
    const left = [...answers.matchAll(/^X-Credits-Remaining: (\d+)/gim)].map(([, credits]) =>
      Number(credits),
    );
    expect(left).toEqual(Array.from({ length: 12 }, (_, call) => 99 - call));
    expect(await booksOf(accountId)).toEqual({ booked: 12, balance: 88 });
  });
});
