import { PostgresCreditLedger } from '../../db/accounts/credit-ledger';
import { PostgresPredictionRepository } from '../../db/predictions/prediction-repository';
import type { Answer } from '../support/api-client';
import { endsOf, holdMethod } from '../support/interrupted-calls';
import { type Seen, useService } from '../support/service';

/** contract 12.6: calls with an `Idempotency-Key` are made and charged once; `every-endpoint.test.ts` tests which accept one. */
const service = useService({ VISION_DEADLINE_MS: '4000' });

service.seesInEachTest(['product_submariner', 0.05]);

async function account(credits = 100) {
  const { api, accountId } = await service.newKey({ credits });
  const identify = (name: string, body: object = service.photo, signal?: AbortSignal): Promise<Answer> =>
    api.send('POST', '/v2/vision', {
      body,
      headers: { 'Idempotency-Key': name },
      ...(signal ? { signal } : {}),
    });
  return { api, identify, spent: () => service.creditsBooked(accountId) };
}

const replayedOf = ({ headers }: Answer) => headers.get('Idempotency-Replayed');

// contract 12.6
test('a repeated call gets the same answer, is charged once, and says so; with another body it is a 409', async () => {
  const { identify, spent } = await account();
  const [first, again] = [await identify('again'), await identify('again')];
  expect(again).toMatchObject({ status: 200, text: first.text });
  expect([first, again].map(replayedOf)).toEqual([null, 'true']);
  for (const name of ['X-Prediction-Id', 'Content-Type'])
    expect(again.headers.get(name)).toBe(first.headers.get(name));
  expect([first, again].map(({ headers }) => headers.get('X-Credits-Used'))).toEqual(['10', '0']);
  expect([first, again].map(({ headers }) => headers.get('X-Credits-Remaining'))).toEqual(['90', '90']);
  const other = await identify('again', { ...service.photo, url: 'https://example.com/a.jpg' });
  expect(other).toMatchObject({ status: 409, body: { success: false, error: 'conflict' } });
  expect([await spent(), service.queue.calls]).toEqual([10, 1]);
});

test('an answer is kept after its prediction is recorded', async () => {
  const [predictions, ledger] = [PostgresPredictionRepository.prototype, PostgresCreditLedger.prototype];
  const { identify } = await account();
  const [{ save }, { settle }, order] = [predictions, ledger, [] as string[]];
  jest.spyOn(predictions, 'save').mockImplementation(async function (this: typeof predictions, ...given) {
    await save.apply(this, given);
    order.push('recorded');
  });
  jest.spyOn(ledger, 'settle').mockImplementation(function (this: typeof ledger, ...given) {
    order.push('kept');
    return settle.apply(this, given);
  });
  expect((await identify('recorded')).status).toBe(200);
  expect(order).toEqual(['recorded', 'kept']);
});

test('hours later the same answer has working links to data files', async () => {
  const { identify } = await account();
  await service.sees(['product_birkin_croc', 0.05]);
  const first = await identify('later');
  service.clock.advance(2 * 3_600_000);
  const again = await identify('later');
  const statusesOf = ({ text }: Answer) =>
    Promise.all((text.match(/[^"]+\.csv\?[^"]+/g) ?? []).map(async (link) => (await fetch(link)).status));
  const [dead, live] = [await statusesOf(first), await statusesOf(again)];
  expect(dead.length).toBeGreaterThan(0);
  expect([dead, live]).toEqual([dead.map(() => 403), dead.map(() => 200)]);
  const plain = ({ text }: Answer) => text.replaceAll(/\?expires=[^"]*/g, '');
  expect(plain(again)).toBe(plain(first));
});

test('the second of two simultaneous clicks waits for the answer of the first, and reports the same balance', async () => {
  const { identify, spent } = await account();
  const letGo = service.queue.holds();
  const both = [identify('twice'), identify('twice')];
  await service.queue.asked();
  letGo();
  const [first, second] = await Promise.all(both);
  expect(second?.text).toBe(first?.text);
  const balances = [first, second].map((answer) => answer?.headers.get('X-Credits-Remaining'));
  expect(balances).toEqual(['90', '90']);
  expect([await spent(), service.queue.calls]).toEqual([10, 1]);
});

// contract 12.6, 4.7
test('a repetition while the first call still runs is a 409 with Retry-After; then it has its headers', async () => {
  const { api } = await account();
  const headers = { 'Idempotency-Key': 'slow' };
  const body = { filters: [{ field: 'brand', ids: ['brand_hermes'] }] };
  const query = () => api.send('POST', '/v3/catalog/query', { body, headers });
  const held = holdMethod(PostgresCreditLedger.prototype, 'settle');
  const first = query();
  await held.waiting;
  const second = await query();
  held.letGo();
  expect(second).toMatchObject({ status: 409, body: { success: false, error: 'conflict' } });
  expect(second.headers.get('Retry-After')).toBe('1');
  for (const answer of [await first, await query()])
    expect([answer.status, answer.headers.get('Deprecation')]).toEqual([200, 'true']);
});

test('a call that was refused, failed on our side or lost its caller is made again, and charged once', async () => {
  const { identify, spent } = await account();
  expect((await identify('again', { base64: 'AAAA' })).status).toBe(422);
  service.queue.behaviour = 'fails';
  expect((await identify('again')).status).toBe(503);
  service.queue.behaviour = 'never answers';
  service.queue.calls = 0;
  const gone = new AbortController();
  const broken = identify('again', service.photo, gone.signal).catch((failure: unknown) => failure);
  await service.queue.asked();
  gone.abort();
  await broken;
  await service.queue.gaveUp();
  await service.sees(['product_submariner', 0.05]);
  const made = [await identify('again'), await identify('again')];
  expect(made.map(({ status }) => status)).toEqual([200, 200]);
  expect(made.map(replayedOf)).toEqual([null, 'true']);
  expect(await spent()).toBe(10);
});

test('after a day the key is new', async () => {
  const { identify, spent } = await account();
  await identify('daily');
  service.clock.advance(24 * 3_600_000 - 60_000);
  expect(replayedOf(await identify('daily'))).toBe('true');
  service.clock.advance(120_000);
  expect(replayedOf(await identify('daily'))).toBeNull();
  expect(await spent()).toBe(20);
});

test.each(['', 'with space', 'x'.repeat(256), 'é'])('the key %j is a 400 that names it', async (name) => {
  const { identify, spent } = await account();
  expect(await identify(name)).toMatchObject({ status: 400, body: { field: 'Idempotency-Key' } });
  expect(await spent()).toBe(0);
});

test.each<[string, number, Seen[]]>([
  ['is charged for the answer that is kept, once', 10, [['product_submariner', 0.05]]],
  ['is free when it finds nothing', 0, []],
])(
  'a call repeated because its process seemed dead %s, takes over what was reserved, whatever the first process does later',
  async (_what, price, seenAgain) => {
    const { identify, spent } = await account(10);
    const stalled = holdMethod(PostgresCreditLedger.prototype, 'settle');
    const first = identify('stalled');
    await stalled.waiting;
    stalled.passNew();
    service.clock.advance(60_000);
    await service.sees(...seenAgain);
    const second = await identify('stalled');
    stalled.letGo();
    expect([second.status, second.headers.get('X-Credits-Used')]).toEqual([200, String(price)]);
    expect([409, 504]).toContain((await first).status);
    expect(await spent()).toBe(price);
    expect((await identify('stalled')).text).toBe(second.text);
  },
);

describe('a booking that outlasts the deadline', () => {
  const settle = () => holdMethod(PostgresCreditLedger.prototype, 'settle', 'after');
  const refunds = () => endsOf([PostgresCreditLedger.prototype, 'refund']);

  test('is a 504 that is not charged; the call is made again under its key', async () => {
    const { identify, spent } = await account();
    const [late, refunded] = [settle(), refunds()];
    expect((await identify('late')).status).toBe(504);
    late.letGo();
    await refunded.all();
    expect(await spent()).toBe(0);
    const again = await identify('late');
    expect([again.status, replayedOf(again)]).toEqual([200, null]);
    expect(await spent()).toBe(10);
  });

  test('stays when a repetition got its answer before it could be refunded', async () => {
    const { identify, spent } = await account();
    const [late, refunded] = [settle(), refunds()];
    const refund = holdMethod(PostgresCreditLedger.prototype, 'refund');
    expect((await identify('late')).status).toBe(504);
    late.letGo();
    await refund.waiting;
    const again = await identify('late');
    expect([again.status, replayedOf(again)]).toEqual([200, 'true']);
    refund.letGo();
    await refunded.all();
    expect(await spent()).toBe(10);
    expect((await identify('late')).text).toBe(again.text);
  });
});
