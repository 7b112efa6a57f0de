import { useService } from '../support/service';

/** contract 9.1, 9.2, 9.4: which keys are known; what each opens is tested in `every-endpoint.test.ts`. */
const service = useService();

const UNAUTHORIZED = {
  status: 401,
  body: { success: false, error: 'unauthorized', request_id: expect.any(String) },
};

// contract 9.1
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

// contract 9.4
test('a key that has expired is a 401 at once', async () => {
  const { api } = await service.newKey({ expiresAt: new Date(service.clock.now().getTime() + 3_600_000) });
  expect((await api.query({})).status).toBe(200);
  service.clock.advance(3_600_000);
  expect(await api.query({})).toMatchObject(UNAUTHORIZED);
});
