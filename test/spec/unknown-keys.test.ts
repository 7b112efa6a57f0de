import type { Knex } from 'knex';
import { hashKey, makeKey } from '../../models/access/credential';
import { type AccountRepository, PORTS } from '../../models/ports';
import { ApiClient } from '../support/api-client';
import { useService } from '../support/service';

/** Well-formed keys that nobody has, by the address that sends them. */
const LIMIT = 5;
const LIMITED = { UNKNOWN_KEYS_PER_MINUTE: String(LIMIT) };

describe('an address that sends unknown keys', () => {
  const service = useService(LIMITED);
  const ask = (key: string, forwarded = '192.0.2.1') =>
    new ApiClient(service.url, key).send('GET', '/v3/catalog/items/product_nobody', {
      headers: { 'X-Forwarded-For': forwarded },
    });

  // contract 9.11
  test('is told so of a few a minute, and of the others when to come back', async () => {
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, at) => ask(makeKey(false), `192.0.2.${at}`)),
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

  // contract 9.11
  test('locks out no key that is known, though it was never seen before', async () => {
    for (let call = 0; call < 3 * LIMIT; call += 1) await ask(makeKey(false));
    expect((await ask(makeKey(false))).status).toBe(429);
    expect((await ask((await service.newKey()).key)).status).toBe(404);
  });

  // contract 9.1
  test('is told at once of what has no form of a key', async () => {
    expect((await ask('nobody')).status).toBe(401);
  });

  test('has them looked up together: a flood costs a few statements', async () => {
    const knex = service.resolve<Knex>(PORTS.Knex);
    const statements: string[] = [];
    const note = ({ sql }: { sql: string }) => statements.push(sql);
    knex.on('query', note);
    // Asked of the look-up itself: over HTTP chance decides which of them come together.
    const accounts = service.resolve<AccountRepository>(PORTS.AccountRepository);
    const callers = await Promise.all(
      Array.from({ length: 200 }, () => accounts.callerByKeyHash(hashKey(makeKey(false)))),
    );
    knex.off('query', note);
    expect(callers.every((caller) => caller === null)).toBe(true);
    expect(statements.length).toBeLessThan(5);
  });
});

describe('a known key', () => {
  const service = useService(LIMITED);

  test('does not count, however many there are, until it is revoked', async () => {
    const keys = await Promise.all(Array.from({ length: 3 * LIMIT }, () => service.newKey()));
    for (const { api } of keys) expect((await api.query({})).status).toBe(200);
    const [revoked] = keys;
    await service.revoke(revoked?.keyId ?? '');
    expect((await new ApiClient(service.url, revoked?.key ?? '').query({})).status).toBe(401);
  });
});

describe('behind a trusted proxy', () => {
  const service = useService({ ...LIMITED, TRUST_PROXY: '1' });

  test('each forwarded address counts for itself, an IPv6 network as one', async () => {
    const ask = async (forwarded: string) => {
      const headers = { 'X-Forwarded-For': forwarded };
      return (await new ApiClient(service.url, makeKey(false)).send('GET', '/v1/products', { headers }))
        .status;
    };
    for (let call = 0; call < LIMIT; call += 1) expect(await ask(`2001:db8::${call}`)).toBe(401);
    expect(await ask('2001:db8::ffff')).toBe(429);
    expect(await ask('2001:db8:0:1::1')).toBe(401);
    expect(await ask('192.0.2.7')).toBe(401);
  });
});
