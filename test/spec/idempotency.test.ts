import { PostgresCreditLedger } from '../../db/accounts/credit-ledger';
import { type CreditLedger, type IdempotencyStore, PORTS } from '../../models/ports';
import { type Answer } from '../support/api-client';
import { endsOf, holdMethod } from '../support/interrupted-calls';
import { useService } from '../support/service';

/** Calls with an `Idempotency-Key` (issue 'vision that can be trusted', money): made once, answered as often as asked. */
const service = useService({ VISION_DEADLINE_MS: '4000' });

beforeEach(async () => {
  service.queue.reset();
  await service.sees(['product_submariner', 0.05]);
});

/** A client of a fresh account with 100 credits. */
async function account() {
  const { api, accountId } = await service.newKey({ credits: 100 });
  const photo = service.photo;
  const identify = (name: string, body: object = photo, signal?: AbortSignal): Promise<Answer> =>
    api.send('POST', '/v2/vision', {
      body,
      headers: { 'Idempotency-Key': name },
      ...(signal ? { signal } : {}),
    });
  return { api, accountId, photo, identify, spent: () => service.creditsBooked(accountId) };
}

const linksOf = (text: string): string[] => text.match(/[^"]+\.csv\?[^"]+/g) ?? [];

const statusesOf = (links: readonly string[]): Promise<number[]> =>
  Promise.all(links.map(async (link) => (await fetch(link)).status));

// contract 12.6
test('a repeated call gets the same answer, is charged once, and says so', async () => {
  const { identify, spent } = await account();
  const first = await identify('again');
  const again = await identify('again');
  expect([first.status, again.status]).toEqual([200, 200]);
  expect(again.text).toBe(first.text);
  expect(first.headers.get('Idempotency-Replayed')).toBeNull();
  expect(again.headers.get('X-Prediction-Id')).toBe(first.headers.get('X-Prediction-Id'));
  expect(again.headers.get('Idempotency-Replayed')).toBe('true');
  expect(again.headers.get('Content-Type')).toBe(first.headers.get('Content-Type'));
  expect([first, again].map(({ headers }) => headers.get('X-Credits-Used'))).toEqual(['10', '0']);
  expect([first, again].map(({ headers }) => headers.get('X-Credits-Remaining'))).toEqual(['90', '90']);
  expect(await spent()).toBe(10);
  expect(service.queue.calls).toBe(1);
});

test('hours later the same answer has links to data files that open', async () => {
  const { identify } = await account();
  await service.sees(['product_birkin_croc', 0.05]);
  const first = await identify('later');
  service.clock.advance(2 * 3_600_000);
  const again = await identify('later');
  const [dead, live] = [linksOf(first.text), linksOf(again.text)];
  expect(live).toHaveLength(dead.length);
  expect(dead.length).toBeGreaterThan(0);
  expect(await statusesOf(dead)).toEqual(dead.map(() => 403));
  expect(await statusesOf(live)).toEqual(live.map(() => 200));
  const plain = (text: string) => text.replaceAll(/\?expires=[^"]*/g, '');
  expect(plain(again.text)).toBe(plain(first.text));
});

test('the second of two clicks at once waits for the answer of the first', async () => {
  const { identify, spent } = await account();
  const letGo = service.queue.holds();
  const both = [identify('twice'), identify('twice')];
  await service.queue.asked();
  letGo();
  const [first, second] = await Promise.all(both);
  expect(second?.text).toBe(first?.text);
  expect(await spent()).toBe(10);
  expect(service.queue.calls).toBe(1);
});

// contract 12.6
test('a repetition while the first call still runs is a 409 with Retry-After', async () => {
  const { api } = await account();
  const query = () =>
    api.send('POST', '/v3/catalog/query', { body: {}, headers: { 'Idempotency-Key': 'slow' } });
  const held = holdMethod(PostgresCreditLedger.prototype, 'settle');
  const first = query();
  await held.waiting(1);
  const second = await query();
  held.letGo();
  expect(second).toMatchObject({ status: 409, body: { success: false, error: 'conflict' } });
  expect(second.headers.get('Retry-After')).toBe('1');
  expect((await first).status).toBe(200);
});

// contract 12.6
test('another body under the same key is a 409 and costs nothing', async () => {
  const { identify, photo, spent } = await account();
  await identify('one');
  const other = await identify('one', { ...photo, url: 'https://example.com/a.jpg' });
  expect(other).toMatchObject({ status: 409, body: { success: false, error: 'conflict' } });
  expect(await spent()).toBe(10);
});

test('another account may use the same key', async () => {
  const [one, other] = [await account(), await account()];
  await one.identify('shared');
  expect((await other.identify('shared')).headers.get('Idempotency-Replayed')).toBeNull();
  expect(await other.spent()).toBe(10);
});

test('a refused call is free, and so is its key', async () => {
  const { identify, spent } = await account();
  expect((await identify('later', { base64: 'AAAA' })).status).toBe(422);
  expect((await identify('later')).status).toBe(200);
  expect(await spent()).toBe(10);
});

test('what failed on our side is made again under the same key, and charged once', async () => {
  const { identify, spent } = await account();
  service.queue.fails();
  expect((await identify('mended')).status).toBe(503);
  await service.sees(['product_submariner', 0.05]);
  expect((await identify('mended')).status).toBe(200);
  expect((await identify('mended')).headers.get('Idempotency-Replayed')).toBe('true');
  expect(await spent()).toBe(10);
});

test('a call whose caller hung up is made again, and charged once', async () => {
  const { identify, photo, spent } = await account();
  const hangUp = new AbortController();
  service.queue.neverAnswers();
  const broken = identify('broken', photo, hangUp.signal).catch((failure: unknown) => failure);
  await service.queue.asked();
  hangUp.abort();
  await broken;
  await service.queue.gaveUp();
  await service.sees(['product_submariner', 0.05]);
  expect((await identify('broken')).status).toBe(200);
  expect(await spent()).toBe(10);
});

test('after a day the key is new', async () => {
  const { identify, spent } = await account();
  await identify('daily');
  service.clock.advance(24 * 3_600_000 - 60_000);
  expect((await identify('daily')).headers.get('Idempotency-Replayed')).toBe('true');
  service.clock.advance(120_000);
  expect((await identify('daily')).headers.get('Idempotency-Replayed')).toBeNull();
  expect(await spent()).toBe(20);
});

test('catalog queries are made once too', async () => {
  const { api, spent } = await account();
  const query = () =>
    api.send('POST', '/v3/catalog/query', {
      body: { includes: ['pricing'], filters: [{ field: 'brand', ids: ['brand_hermes'] }] },
      headers: { 'Idempotency-Key': 'page' },
    });
  const [first, again] = [await query(), await query()];
  expect(again.text).toBe(first.text);
  expect([first, again].map(({ headers }) => headers.get('Deprecation'))).toEqual(['true', 'true']);
  expect(await spent()).toBe(6);
});

test.each(['', 'with space', 'x'.repeat(256), 'é'])('the key %j is a 400 that names it', async (name) => {
  const { identify, spent } = await account();
  expect(await identify(name)).toMatchObject({
    status: 400,
    body: { error: 'bad_request', field: 'Idempotency-Key' },
  });
  expect(await spent()).toBe(0);
});

describe('a call that is repeated because its process seemed dead', () => {
  const LEASE_MS = 60_000;

  /** Makes a call whose process stalls before it is booked, and its repetition when its lease is over. */
  async function resumed(seenAgain: () => Promise<unknown>) {
    const client = await account();
    const stalled = holdMethod(PostgresCreditLedger.prototype, 'settle');
    const first = client.identify('stalled');
    await stalled.waiting(1);
    stalled.passNew();
    service.clock.advance(LEASE_MS);
    await seenAgain();
    const second = await client.identify('stalled');
    stalled.letGo();
    return { ...client, second, first: await first };
  }

  test('is charged for the answer that is kept, once, whatever the first process does later', async () => {
    const { first, second, identify, spent } = await resumed(() =>
      service.sees(['product_submariner', 0.05]),
    );
    expect(second.headers.get('X-Credits-Used')).toBe('10');
    expect([409, 504]).toContain(first.status);
    expect(await spent()).toBe(10);
    expect((await identify('stalled')).text).toBe(second.text);
  });

  test('is free when it finds nothing, and nothing is booked', async () => {
    const { first, second, identify, spent } = await resumed(() => service.sees());
    expect([second.status, second.headers.get('X-Credits-Used')]).toEqual([200, '0']);
    expect([409, 504]).toContain(first.status);
    expect(await spent()).toBe(0);
    expect((await identify('stalled')).text).toBe(second.text);
  });

  test('takes over what was reserved', async () => {
    const { accountId } = await service.newKey({ credits: 10 });
    const store = service.resolve<IdempotencyStore>(PORTS.IdempotencyStore);
    const ledger = service.resolve<CreditLedger>(PORTS.CreditLedger);
    const call = { accountId, key: 'died', fingerprint: Buffer.from('it') };
    const inMs = (ms: number) => new Date(service.clock.now().getTime() + ms);
    const claim = async () => {
      const claimed = await store.claim(call, inMs(LEASE_MS), inMs(10 * LEASE_MS));
      if (claimed.kind !== 'granted') return claimed;
      const { chargeId } = claimed;
      return {
        chargeId,
        accountId,
        keyId: 'key',
        endpoint: 'test',
        requestId: 'test',
        idempotencyKey: 'died',
      };
    };
    const [dead, early] = [await claim(), await claim()];
    if ('kind' in dead) throw new Error('the first claim is granted');
    expect(early).toEqual({ kind: 'running' });
    await ledger.reserve(dead, 10, inMs(10 * LEASE_MS));
    service.clock.advance(LEASE_MS);
    const next = await claim();
    if ('kind' in next) throw new Error('the lease is over');
    expect(next.chargeId).not.toBe(dead.chargeId);
    expect(await ledger.reserve(next, 10, inMs(10 * LEASE_MS))).toBe(true);
    expect(await ledger.settle(dead, 10, 'of the dead')).toBe('superseded');
    expect(await ledger.settle(next, 10, 'of the next')).toEqual({ creditsRemaining: 0 });
    expect(await store.claim(call, inMs(LEASE_MS), inMs(LEASE_MS))).toEqual({
      ...{ kind: 'answered', chargeId: next.chargeId },
      bytes: 'of the next'.length,
    });
    const pieces: string[] = [];
    for await (const piece of store.answer(call, next.chargeId)) pieces.push(piece);
    expect(pieces).toEqual(['of the next']);
  });
});

describe('a booking that outlasts the deadline', () => {
  test('is a 504 that is not charged; the call is made again under its key', async () => {
    const { identify, spent } = await account();
    const late = holdMethod(PostgresCreditLedger.prototype, 'settle', 'after');
    const takenBack = endsOf([PostgresCreditLedger.prototype, 'takeBack']);
    expect((await identify('late')).status).toBe(504);
    late.letGo();
    await takenBack.all();
    expect(await spent()).toBe(0);
    const again = await identify('late');
    expect([again.status, again.headers.get('Idempotency-Replayed')]).toEqual([200, null]);
    expect(await spent()).toBe(10);
  });

  test('stays when a repetition got its answer before it could be taken back', async () => {
    const { identify, spent } = await account();
    const late = holdMethod(PostgresCreditLedger.prototype, 'settle', 'after');
    const takenBack = endsOf([PostgresCreditLedger.prototype, 'takeBack']);
    const takesBack = holdMethod(PostgresCreditLedger.prototype, 'takeBack');
    expect((await identify('late')).status).toBe(504);
    late.letGo();
    await takesBack.waiting(1);
    const again = await identify('late');
    expect([again.status, again.headers.get('Idempotency-Replayed')]).toEqual([200, 'true']);
    takesBack.letGo();
    await takenBack.all();
    expect(await spent()).toBe(10);
    expect((await identify('late')).text).toBe(again.text);
  });
});
