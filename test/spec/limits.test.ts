import { Client } from 'pg';
import { generateKey } from '../../models/access/api-key';
import { processEnvironment } from '../../scripts/config';
import { type Answer, ApiClient } from '../support/api-client';
import { type TestService, useService } from '../support/service';

/** contract 9.1 to 9.6, 9.11, 9.13: which keys are known, and how much they may do; `every-endpoint.test.ts` has what each opens. */
const service = useService({ PAGE_SIZE_MAX: '7' });
const { photo } = service;
const clientWith = async (limits: object) => (await service.newKey({ limits })).api;
const statusesOf = (answers: readonly { readonly status: number }[]) => answers.map(({ status }) => status);
const times = <Result>(count: number, make: (at: number) => Promise<Result>) =>
  Promise.all(Array.from({ length: count }, (_, at) => make(at)));

// contract 9.5
describe('the calls of a key', () => {
  test('report the limit and how much of it is left; over it they are a free 429 with Retry-After', async () => {
    const api = await clientWith({ perSecond: 0, perMinute: 3 });
    const answers: Answer[] = [await api.query({}), await api.query({ page: -1 })];
    answers.push(await api.item('nobody'), await api.query({}));
    expect(answers.map(({ headers }) => headers.get('RateLimit-Remaining'))).toEqual(['2', '1', '0', '0']);
    for (const { headers } of answers) {
      expect(headers.get('RateLimit-Limit')).toBe('3');
      expect(Number(headers.get('RateLimit-Reset'))).toBeGreaterThan(0);
      expect(Number(headers.get('RateLimit-Reset'))).toBeLessThanOrEqual(60);
    }
    expect(answers[3]).toMatchObject({ status: 429, body: { success: false, error: 'rate_limited' } });
    expect(Number(answers[3]?.headers.get('Retry-After'))).toBeGreaterThanOrEqual(1);
    expect(answers[3]?.headers.get('X-Credits-Used')).toBe('0');
  });

  test('have a limit per second', async () => {
    const api = await clientWith({ perSecond: 2, perMinute: 0 });
    const statuses = statusesOf(await times(40, () => api.query({})));
    expect(new Set(statuses.sort().slice(0, 2))).toEqual(new Set([200]));
    expect(statuses.at(-1)).toBe(429);
  });

  test('are unlimited at 0, and count apart from those of other keys of the account', async () => {
    const { headers } = await (await clientWith({ perSecond: 0, perMinute: 0 })).query({});
    expect([...headers.keys()].filter((name) => name.startsWith('ratelimit'))).toEqual([]);
    const first = await service.newKey({ limits: { perMinute: 1 } });
    const second = await service.newKey({ accountId: first.accountId, limits: { perMinute: 1 } });
    expect(statusesOf([await first.api.query({}), await second.api.query({})])).toEqual([200, 200]);
  });
});

const photos = (count: number) => ({ images: Array.from({ length: count }, () => photo) });

// contract 9.5
test('vision calls at the same time are limited by key, counted by their photos, and a slot is free when its call ends', async () => {
  service.queue.reset();
  const [api, other] = [await clientWith({ concurrency: 4 }), await clientWith({ concurrency: 1 })];
  const finish = service.queue.holds();
  const held = [api.identify(photos(3))];
  await service.queue.asked();
  const refused = await api.identify(photos(2));
  expect(refused).toMatchObject({ status: 429, body: { error: 'rate_limited' } });
  expect(refused.headers.has('Retry-After')).toBe(true);
  expect(refused.headers.get('RateLimit-Limit')).toBe('4');
  // The catalog has no such limit, and other keys have slots of their own.
  expect((await api.query({})).status).toBe(200);
  held.push(api.identify(photo), other.identify(photo));
  await service.queue.asked(3);
  expect(statusesOf([await api.identify(photo), await other.identify(photo)])).toEqual([429, 429]);
  finish();
  expect(statusesOf(await Promise.all(held))).toEqual([200, 200, 200]);
  service.queue.reset();
  for (const body of [{}, { base64: '' }, { base64: 'AAAA' }])
    expect([400, 422]).toContain((await api.identify(body)).status);
  // A call with more photos than there are slots takes all.
  expect((await api.identify(photos(5))).status).toBe(200);
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
  // Jobs stay as they are: a caller always waits for a photo.
  service.queue.photosWaiting = 1;
  const { api } = await service.newKey({ limits: { concurrency: 0, perMinute: 0 } });
  const entries = Array(100).fill({ url: 'http://127.0.0.1/bag.jpg' });
  const jobs = await times(30, () => api.createJob({ entries }));
  const kept = jobs.filter(({ status }) => status === 202);
  expect(kept).toHaveLength(10);
  for (const { body } of kept) expect((await api.job(body.id)).body.total).toBe(100);
  const refused = jobs.find(({ status }) => status !== 202);
  expect(refused).toMatchObject({ status: 429, body: { error: 'rate_limited' } });
  const told = ['RateLimit-Remaining', 'Retry-After'].map((name) => refused?.headers.get(name));
  expect(told).toEqual(['0', '60']);
  expect((await service.api.createJob({ entries })).status).toBe(202);
  const body = { url: 'https://shop.example/told', events: ['model.drift'] };
  const made = statusesOf(await times(40, () => api.send('POST', '/v3/webhooks', { body })));
  expect(made.sort()).toEqual([...Array(10).fill(201), ...Array(30).fill(409)]);
  expect((await api.send<{ data: unknown[] }>('GET', '/v3/webhooks')).body.data).toHaveLength(10);
  service.queue.reset();
});

describe('a key', () => {
  const call = (Authorization: string) =>
    service.anybody.send('POST', '/v3/catalog/query', { body: {}, headers: { Authorization } });
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
  test('is read after the scheme Bearer, in any case, and nowhere else', async () => {
    const { key } = service.key;
    for (const scheme of ['Bearer', 'bearer', 'BEARER', 'bEaReR'])
      expect((await call(`${scheme} ${key}`)).status).toBe(200);
    expect(await call(key)).toMatchObject(UNAUTHORIZED);
    const inUrl = `/v1/products?api_key=${key}&access_token=${key}`;
    expect(await service.anybody.send('GET', inUrl)).toMatchObject(UNAUTHORIZED);
  });

  // contract 9.2, 9.4
  test('for tests opens what a live key opens; revoked or expired, a key is a 401 at once', async () => {
    const revoked = await service.newKey({ test: true });
    const expiring = await service.newKey({ expiresAt: new Date(service.clock.now().getTime() + 3_600_000) });
    expect(revoked.key).toMatch(/^loupe_test_/);
    expect(statusesOf([await revoked.api.query({}), await expiring.api.query({})])).toEqual([200, 200]);
    await service.revoke(revoked.keyId);
    expect(await revoked.api.query({})).toMatchObject(UNAUTHORIZED);
    service.clock.advance(3_600_000);
    expect(await expiring.api.query({})).toMatchObject(UNAUTHORIZED);
  });
});

const LIMIT = 5;
const ask = (at: TestService, key = generateKey(false), forwarded = '192.0.2.1') =>
  new ApiClient(at.url, key).send('GET', '/v3/catalog/items/product_nobody', {
    headers: { 'X-Forwarded-For': forwarded },
  });

// contract 9.11
describe('an address that sends unknown keys', () => {
  const limited = useService({ UNKNOWN_KEYS_PER_MINUTE: String(LIMIT) });
  test('is told 401 a few times a minute, then 429 and when to come back', async () => {
    const answers = await times(40, (at) => ask(limited, undefined, `192.0.2.${at}`));
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
    const keys = await times(3 * LIMIT, () => limited.newKey());
    for (let sent = 0; sent < LIMIT + 1; sent += 1) await ask(limited);
    expect((await ask(limited)).status).toBe(429);
    for (const { key } of keys) expect((await ask(limited, key)).status).toBe(404);
    expect((await ask(limited, 'nobody')).status).toBe(401);
  });
});

// contract 9.11
describe('behind a trusted proxy', () => {
  const proxied = useService({ UNKNOWN_KEYS_PER_MINUTE: String(LIMIT), TRUST_PROXY: '1' });

  test('addresses are told apart, an IPv6 network of 64 bits as one', async () => {
    const status = async (forwarded: string) => (await ask(proxied, undefined, forwarded)).status;
    for (let sent = 0; sent < LIMIT; sent += 1) expect(await status(`2001:db8::${sent}`)).toBe(401);
    expect(await status('2001:db8::ffff')).toBe(429);
    expect(await status('2001:db8:0:1::1')).toBe(401);
    expect(await status('192.0.2.7')).toBe(401);
  });
});

/** contract 12.12: the embedded database answers one call after the other. */
const onServer = processEnvironment()['TEST_DATABASE_URL'] ? describe : describe.skip;

onServer('while thirty calls of one account hang in the database', () => {
  const flooded = useService({ DATABASE_POOL_MAX: '6' });
  const CALLS = 30;
  const SHARE = 3; // of six connections

  test.each<[table: string, call: (api: ApiClient) => Promise<Answer>]>([
    ['credits_by_day', (api) => api.send('GET', '/v3/account')],
    ['catalog_rows', (api) => api.query({ query: 'birkin' })],
    ['catalog_rows', (api) => api.v1({})],
  ])('while calls wait in %s, others are answered, and in the end they are too: %#', async (table, call) => {
    const operator = new Client({ connectionString: flooded.config.DATABASE_URL });
    await operator.connect();
    const counted = async (rows: string): Promise<number> =>
      (await operator.query(`SELECT count(*)::integer AS count FROM ${rows}`)).rows[0].count;
    try {
      const [flood, other] = [await flooded.newKey(), await flooded.newKey()];
      await operator.query(`BEGIN; LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
      const calls = times(CALLS, () => call(flood.api));
      while ((await counted('pg_locks WHERE NOT granted')) === 0);
      const answer = await other.api.send('GET', '/v3/webhooks');
      const waiting = "pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
      const statements = await counted(waiting);
      await operator.query('ROLLBACK');
      expect(answer.status).toBe(200);
      expect(statements).toBeLessThanOrEqual(SHARE);
      expect(statusesOf(await calls)).toEqual(Array(CALLS).fill(200));
    } finally {
      await operator.end();
    }
  });
});
