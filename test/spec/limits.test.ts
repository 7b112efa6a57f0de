import type { Knex } from 'knex';
import { hashKey, makeKey } from '../../models/access/credential';
import { type AccountRepository, PORTS } from '../../models/ports';
import { ApiClient } from '../support/api-client';
import { type TestService, useService } from '../support/service';

/** contract 9.1 to 9.6, 9.11, 9.13: which keys are known, and how much they may do; `every-endpoint.test.ts` has what each opens. */
const service = useService({ PAGE_SIZE_MAX: '7' });
const { photo } = service;
const LIMIT = 5;
const clientWith = async (limits: object) => (await service.newKey({ limits })).api;

test('every answer has the limit and how much of it is left', async () => {
  const api = await clientWith({ perSecond: 0, perMinute: 3 });
  const answers = [await api.query({}), await api.query({ page: -1 }), await api.item('product_nobody')];
  expect(answers.map(({ headers }) => headers.get('RateLimit-Remaining'))).toEqual(['2', '1', '0']);
  for (const { headers } of answers) {
    expect(headers.get('RateLimit-Limit')).toBe('3');
    expect(Number(headers.get('RateLimit-Reset'))).toBeGreaterThan(0);
    expect(Number(headers.get('RateLimit-Reset'))).toBeLessThanOrEqual(60);
  }
});

// contract 9.5
test('over the limit is a 429 with Retry-After and RateLimit headers, free of charge', async () => {
  const api = await clientWith({ perSecond: 0, perMinute: 1 });
  await api.query({});
  const answer = await api.query({});
  expect(answer).toMatchObject({ status: 429, body: { success: false, error: 'rate_limited' } });
  const { headers } = answer;
  expect(Number(headers.get('Retry-After'))).toBeGreaterThanOrEqual(1);
  expect(headers.get('RateLimit-Limit')).toBe('1');
  expect(headers.get('RateLimit-Remaining')).toBe('0');
  expect(Number(headers.get('RateLimit-Reset'))).toBeGreaterThan(0);
  expect(headers.get('X-Credits-Used')).toBe('0');
});

test('each second has a limit of its own', async () => {
  const api = await clientWith({ perSecond: 2, perMinute: 0 });
  const statuses = await Promise.all(Array.from({ length: 40 }, async () => (await api.query({})).status));
  expect(statuses).toContain(429);
  expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(2);
});

// contract 9.5
test('0 is no limit', async () => {
  const api = await clientWith({ perSecond: 0, perMinute: 0 });
  const { headers } = await api.query({});
  expect([...headers.keys()].filter((name) => name.startsWith('ratelimit'))).toEqual([]);
});

test('keys of one account count for themselves', async () => {
  const first = await service.newKey({ limits: { perMinute: 1 } });
  const second = await service.newKey({ accountId: first.accountId, limits: { perMinute: 1 } });
  for (const { api } of [first, second]) {
    expect((await api.query({})).status).toBe(200);
  }
});

describe('vision calls at the same time', () => {
  beforeEach(() => service.queue.reset());

  test('are limited, and a place is free when its call ends', async () => {
    const api = await clientWith({ concurrency: 1 });
    const finish = service.queue.holds();
    const first = api.identify(photo);
    await service.queue.asked();
    const second = await api.identify(photo);
    expect(second).toMatchObject({ status: 429, body: { error: 'rate_limited' } });
    expect(second.headers.has('Retry-After')).toBe(true);
    expect(second.headers.get('RateLimit-Limit')).toBe('1');
    // The catalog has no such limit.
    expect((await api.query({})).status).toBe(200);
    finish();
    expect((await first).status).toBe(200);
    service.queue.reset();
    expect((await api.identify(photo)).status).toBe(200);
  });

  // contract 9.5
  test('count by their photos; a call with more than there are places takes all', async () => {
    const api = await clientWith({ concurrency: 4 });
    const photos = (count: number) => ({ images: Array.from({ length: count }, () => photo) });
    const finish = service.queue.holds();
    const first = api.identify(photos(3));
    await service.queue.asked();
    expect((await api.identify(photos(2))).status).toBe(429);
    const second = api.identify(photo);
    await service.queue.asked(2);
    expect((await api.identify(photo)).status).toBe(429);
    finish();
    expect([(await first).status, (await second).status]).toEqual([200, 200]);
    service.queue.reset();
    expect((await api.identify(photos(5))).status).toBe(200);
  });

  test('of other keys do not count', async () => {
    const [one, other] = [await clientWith({ concurrency: 1 }), await clientWith({ concurrency: 1 })];
    const finish = service.queue.holds();
    const calls = [one.identify(photo)];
    await service.queue.asked();
    calls.push(other.identify(photo));
    await service.queue.asked(2);
    finish();
    expect((await Promise.all(calls)).map(({ status }) => status)).toEqual([200, 200]);
  });

  test('that are refused occupy no place', async () => {
    const api = await clientWith({ concurrency: 1 });
    for (const body of [{}, { base64: '' }, { base64: 'AAAA' }])
      expect([400, 422]).toContain((await api.identify(body)).status);
  });
});

// contract 4.8
test('the largest page is a setting', async () => {
  const capped = { results: 7, total_results: 18, total_pages: 3 };
  expect((await service.api.query({ page_size: 8 })).body).toMatchObject(capped);
  expect((await service.api.query({})).body).toMatchObject(capped);
  expect((await service.api.v1({ page_size: '100' })).body).toMatchObject({ results: 7, total_pages: 3 });
});

// contract 9.13, 16.9, 16.10
test('concurrent calls never pass the limits of entries and webhooks', async () => {
  // Jobs stay as they are: somebody always waits for a photo.
  service.queue.isWaitedFor(1);
  const { api } = await service.newKey({ limits: { concurrency: 0, perMinute: 0 } });
  const entries = Array(100).fill({ url: 'http://127.0.0.1/bag.jpg' });
  const jobs = await Promise.all(Array.from({ length: 30 }, () => api.createJob({ entries })));
  const kept = jobs.filter(({ status }) => status === 202);
  expect(kept).toHaveLength(10);
  for (const { body } of kept) expect((await api.job(body.id)).body.total).toBe(100);
  const [refused] = jobs.filter(({ status }) => status !== 202);
  expect(refused).toMatchObject({ status: 429, body: { error: 'rate_limited' } });
  const told = ['RateLimit-Remaining', 'Retry-After'].map((name) => refused?.headers.get(name));
  expect(told).toEqual(['0', '60']);
  expect((await service.api.createJob({ entries })).status).toBe(202);
  const body = { url: 'https://shop.example/told', events: ['model.drift'] };
  const made = await Promise.all(
    Array.from({ length: 40 }, () => api.send('POST', '/v3/webhooks', { body })),
  );
  expect(made.filter(({ status }) => status === 201)).toHaveLength(10);
  expect(made.filter(({ status }) => status === 409)).toHaveLength(30);
  expect((await api.send<{ data: unknown[] }>('GET', '/v3/webhooks')).body.data).toHaveLength(10);
  service.queue.reset();
});

describe('a key', () => {
  const call = (authorization: string) =>
    service.anybody.send('POST', '/v3/catalog/query', {
      body: {},
      headers: { Authorization: authorization },
    });
  const UNAUTHORIZED = { status: 401, body: { success: false, error: 'unauthorized' } };
  const UNKNOWN = `loupe_live_${'0'.repeat(43)}`;

  // contract 9.1, 9.6
  test.each([
    ...['Basic dXNlcjpwYXNz', 'Bearer', 'Bearer   ', 'Bearer secret', `Bearer ${UNKNOWN}`, UNKNOWN],
    ...['Bearer loupe_live_abc', `Bearer loupe_live_${'0'.repeat(8000)}`, `Bearer ${UNKNOWN} ${UNKNOWN}`],
  ])('%s is a 401 that repeats nothing of it', async (authorization) => {
    const answer = await call(authorization);
    expect(answer).toMatchObject(UNAUTHORIZED);
    expect(answer.text).not.toContain('loupe_live');
  });

  // contract 9.1, 9.6
  test('a key is read after the scheme Bearer, in any case, and nowhere else', async () => {
    const { key } = service.key;
    for (const scheme of ['Bearer', 'bearer', 'BEARER', 'bEaReR'])
      expect((await call(`${scheme} ${key}`)).status).toBe(200);
    expect(await call(key)).toMatchObject(UNAUTHORIZED);
    const inUrl = `/v1/products?api_key=${key}&access_token=${key}`;
    expect(await service.anybody.send('GET', inUrl)).toMatchObject(UNAUTHORIZED);
  });

  // contract 9.2, 9.4
  test('a test key opens what a live key opens; revoked or expired, a key is a 401 at once', async () => {
    const revoked = await service.newKey({ test: true });
    const expiring = await service.newKey({ expiresAt: new Date(service.clock.now().getTime() + 3_600_000) });
    expect([revoked.key.startsWith('loupe_test_'), (await revoked.api.query({})).status]).toEqual([
      true,
      200,
    ]);
    await service.revoke(revoked.keyId);
    expect(await revoked.api.query({})).toMatchObject(UNAUTHORIZED);
    expect((await expiring.api.query({})).status).toBe(200);
    service.clock.advance(3_600_000);
    expect(await expiring.api.query({})).toMatchObject(UNAUTHORIZED);
  });
});

/** Asks with a key from an address. */
const ask = (at: TestService, key: string, forwarded = '192.0.2.1') =>
  new ApiClient(at.url, key).send('GET', '/v3/catalog/items/product_nobody', {
    headers: { 'X-Forwarded-For': forwarded },
  });

// contract 9.11
describe('an address that sends unknown keys', () => {
  const limited = useService({ UNKNOWN_KEYS_PER_MINUTE: String(LIMIT) });
  test('is told 401 a few times a minute, then 429 and when to come back', async () => {
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, at) => ask(limited, makeKey(false), `192.0.2.${at}`)),
    );
    const refused = answers.filter(({ status }) => status === 429);
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(LIMIT);
    expect(refused).toHaveLength(40 - LIMIT);
    for (const { headers, body } of refused) {
      expect(body).toMatchObject({ error: 'rate_limited', message: expect.stringContaining('unknown keys') });
      expect(Number(headers.get('Retry-After'))).toBeGreaterThanOrEqual(1);
      expect(Number(headers.get('Retry-After'))).toBeLessThanOrEqual(60);
    }
  });

  test('does not lock out known keys; what does not look like a key stays a 401', async () => {
    const keys = await Promise.all(Array.from({ length: 3 * LIMIT }, () => limited.newKey()));
    for (let sent = 0; sent < LIMIT + 1; sent += 1) await ask(limited, makeKey(false));
    expect((await ask(limited, makeKey(false))).status).toBe(429);
    for (const { key } of keys) expect((await ask(limited, key)).status).toBe(404);
    expect((await ask(limited, 'nobody')).status).toBe(401);
  });

  test('has its keys looked up together: a flood costs a few statements', async () => {
    const knex = limited.resolve<Knex>(PORTS.Knex);
    const statements: string[] = [];
    const note = ({ sql }: { sql: string }) => statements.push(sql);
    knex.on('query', note);
    // Asked of the look-up itself: over HTTP chance decides which of them come together.
    const accounts = limited.resolve<AccountRepository>(PORTS.AccountRepository);
    const flood = Array.from({ length: 200 }, () => accounts.callerByKeyHash(hashKey(makeKey(false))));
    expect((await Promise.all(flood)).every((caller) => caller === null)).toBe(true);
    knex.off('query', note);
    expect(statements.length).toBeLessThan(5);
  });
});

// contract 9.11
describe('behind a trusted proxy', () => {
  const proxied = useService({ UNKNOWN_KEYS_PER_MINUTE: String(LIMIT), TRUST_PROXY: '1' });

  test('addresses are told apart, an IPv6 network of 64 bits as one', async () => {
    const status = async (forwarded: string) => (await ask(proxied, makeKey(false), forwarded)).status;
    for (let sent = 0; sent < LIMIT; sent += 1) expect(await status(`2001:db8::${sent}`)).toBe(401);
    expect(await status('2001:db8::ffff')).toBe(429);
    expect(await status('2001:db8:0:1::1')).toBe(401);
    expect(await status('192.0.2.7')).toBe(401);
  });
});
