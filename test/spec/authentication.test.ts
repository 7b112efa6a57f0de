import { SCOPES } from '../../models/access/api-key';
import { ApiClient } from '../support/api-client';
import { useService } from '../support/service';

/** contract 9.1, 11.1, 9.2: who may call what. */
const service = useService();

/** One call to each endpoint, valid but for its key. */
const ENDPOINTS = [
  ['v3', 'POST', '/v3/catalog/query', {}],
  ['v3', 'POST', '/api/v3/catalog/search', {}],
  ['v3', 'GET', '/v3/catalog/items/product_birkin_croc', undefined],
  ['v3', 'GET', '/api/v3/catalog/items/product_birkin_croc', undefined],
  ['v3', 'GET', '/v3/catalog/items/product_birkin_croc/similar', undefined],
  ['v3', 'POST', '/v3/catalog/items', { ids: ['product_birkin_croc'] }],
  ['v3', 'POST', '/v3/catalog/suggest', {}],
  ['v3', 'POST', '/v3/vision/identify', { base64: 'AAAA' }],
  ['v3', 'POST', '/api/v3/vision/identify', { base64: 'AAAA' }],
  ['v2', 'POST', '/v2/products', {}],
  ['v2', 'POST', '/v2/vision', { base64: 'AAAA' }],
  ['v1', 'GET', '/v1/products', undefined],
] as const;

const UNAUTHORIZED = {
  status: 401,
  body: { success: false, error: 'unauthorized', request_id: expect.any(String) },
};

// contract 9.1
describe.each(ENDPOINTS)('%s %s %s', (version, method, path, body) => {
  const callWith = (key: string | null) => new ApiClient(service.url, key).send(method, path, { body });

  test('without a key is a 401 that asks for a bearer and tells nothing about credits', async () => {
    const answer = await callWith(null);
    expect(answer).toMatchObject(UNAUTHORIZED);
    expect(answer.headers.get('WWW-Authenticate')).toBe('Bearer');
    expect([...answer.headers.keys()].filter((name) => name.startsWith('x-credits'))).toEqual([]);
  });

  // contract 9.3
  test.each([['v1'], ['v2'], ['v3']] as const)(
    'with a key for %s alone is answered as its versions say',
    async (opened) => {
      const { key } = await service.newKey({ versions: [opened] });
      const opens = opened === version || (version === 'v2' && opened === 'v1');
      const answer = await callWith(key);
      if (opens) expect([200, 422]).toContain(answer.status);
      else expect(answer).toMatchObject({ status: 403, body: { success: false, error: 'forbidden' } });
      if (!opens) expect(answer.headers.has('X-Credits-Used')).toBe(false);
    },
  );
});

describe('a 401 answers', () => {
  const call = (authorization: string) =>
    service.anybody.send('POST', '/v3/catalog/query', {
      body: {},
      headers: { Authorization: authorization },
    });

  test.each([
    ['another scheme', 'Basic dXNlcjpwYXNz'],
    ['a scheme without a key', 'Bearer'],
    ['a scheme with blanks', 'Bearer   '],
    ['a key of another form', 'Bearer secret'],
    ['an unknown key of the right form', `Bearer loupe_live_${'0'.repeat(43)}`],
    ['a key that is too short', 'Bearer loupe_live_abc'],
    ['a key of enormous length', `Bearer loupe_live_${'0'.repeat(8000)}`],
    ['two keys', `Bearer loupe_live_${'0'.repeat(43)} loupe_live_${'0'.repeat(43)}`],
  ])('%s', async (_what, authorization) => {
    const answer = await call(authorization);
    expect(answer).toMatchObject(UNAUTHORIZED);
    expect(answer.text).not.toContain('loupe_live');
  });

  test('a key without its scheme', async () => {
    expect(await call(service.key.key)).toMatchObject(UNAUTHORIZED);
  });

  // contract 9.6
  test('a key in the query string', async () => {
    const path = `/v1/products?api_key=${service.key.key}&access_token=${service.key.key}`;
    expect(await service.anybody.send('GET', path)).toMatchObject(UNAUTHORIZED);
  });
});

// contract 9.1
test.each(['Bearer', 'bearer', 'BEARER', 'bEaReR'])('%s is the same scheme', async (scheme) => {
  const answer = await service.anybody.send('POST', '/v3/catalog/query', {
    body: {},
    headers: { Authorization: `${scheme} ${service.key.key}` },
  });
  expect(answer.status).toBe(200);
});

// contract 9.2
test('a test key opens what a live key opens', async () => {
  const { api, key } = await service.newKey({ test: true });
  expect(key).toMatch(/^loupe_test_/);
  expect((await api.query({})).status).toBe(200);
});

// contract 9.4
test('a revoked key is a 401 at once', async () => {
  const { api, keyId } = await service.newKey();
  expect((await api.query({})).status).toBe(200);
  await service.revoke(keyId);
  expect(await api.query({})).toMatchObject(UNAUTHORIZED);
});

// contract 9.3
test.each(ENDPOINTS)(
  'a key without the scope of %s %s %s is a 403 that is not charged',
  async (...endpoint) => {
    const [, method, path, body] = endpoint;
    const needed = path.includes('vision') ? 'vision:identify' : 'catalog:read';
    const scopes = SCOPES.filter((scope) => scope !== needed);
    const { api } = await service.newKey({ scopes });
    const answer = await api.send(method, path, { body });
    const message = expect.stringContaining(needed);
    expect(answer).toMatchObject({ status: 403, body: { success: false, error: 'forbidden', message } });
    expect(answer.headers.has('X-Credits-Used')).toBe(false);
  },
);

test('a key that has expired is a 401 at once', async () => {
  const { api } = await service.newKey({ expiresAt: new Date(service.clock.now().getTime() + 3_600_000) });
  expect((await api.query({})).status).toBe(200);
  service.clock.advance(3_600_000);
  expect(await api.query({})).toMatchObject(UNAUTHORIZED);
});
