import type { Knex } from 'knex';
import { hashKey, makeKey } from '../../models/access/credential';
import { type AccountRepository, PORTS } from '../../models/ports';
import { ApiClient } from '../support/api-client';
import { type TestService, useService } from '../support/service';

/** contract 9.1, 9.2, 9.4, 9.11: which keys are known; `every-endpoint.test.ts` has what each opens. */
const LIMIT = 5;

describe('a key', () => {
  const service = useService();
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
  test('a key counts after its scheme, in any case of it, and nowhere else', async () => {
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

  test('does not lock out keys that are known; what has no form of a key is 401 all the same', async () => {
    const keys = await Promise.all(Array.from({ length: 3 * LIMIT }, () => limited.newKey()));
    for (let sent = 0; sent < LIMIT + 1; sent += 1) await ask(limited, makeKey(false));
    expect((await ask(limited, makeKey(false))).status).toBe(429);
    for (const { key } of keys) expect((await ask(limited, key)).status).toBe(404);
    expect((await ask(limited, 'nobody')).status).toBe(401);
  });

  test('has them looked up together: a flood costs a few statements', async () => {
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
