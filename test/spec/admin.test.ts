import { ApiClient } from '../support/api-client';
import { ADMIN_TOKEN, OperatorClient } from '../support/operator-client';
import { useService } from '../support/service';

/** contract 17.1, 17.2, 17.8: who reaches the operators' API, and what it refuses. */
const service = useService({ ADMIN_TOKEN, CORS_ORIGINS: '*' });
const operator = new OperatorClient(() => service.url);
const as = (token: string | null) => new ApiClient(service.url, token);

describe('who gets in', () => {
  // contract 17.2
  test('is who sends the token, in any case of the scheme, and nobody else', async () => {
    const { key: live } = await service.newKey();
    for (const wrong of [
      null,
      'x',
      `${ADMIN_TOKEN}x`,
      ADMIN_TOKEN.slice(1),
      ADMIN_TOKEN.toUpperCase(),
      live,
    ]) {
      const { status, headers, body, text } = await as(wrong).send('GET', '/admin/v1/accounts');
      expect([wrong, status]).toEqual([wrong, 401]);
      expect(headers.get('WWW-Authenticate')).toBe('Bearer');
      expect(body).toMatchObject({
        error: 'unauthorized',
        message: expect.stringContaining('ADMIN_TOKEN of the service'),
      });
      expect(text).not.toContain(ADMIN_TOKEN);
    }
    const headers = { Authorization: `bearer ${ADMIN_TOKEN}` };
    const { status, headers: answered } = await as(null).send('GET', '/admin/v1/accounts', { headers });
    expect(status).toBe(200);
    expect(answered.get('Cache-Control')).toBe('no-store');
    expect(answered.get('X-Credits-Used')).toBeNull();
    expect((await as(ADMIN_TOKEN).query({})).status).toBe(401);
    expect((await as(null).send('POST', '/admin/v1/accounts', { body: {} })).status).toBe(401);
  });

  // contract 17.2
  test('is never told to a page of another origin', async () => {
    const headers = { Origin: 'https://shop.example', 'Access-Control-Request-Method': 'GET' };
    const preflight = await fetch(`${service.url}/admin/v1/accounts`, { method: 'OPTIONS', headers });
    const answer = await as(ADMIN_TOKEN).send('GET', '/admin/v1/accounts', { headers });
    expect([preflight.status, answer.status]).toEqual([405, 200]);
    for (const each of [preflight, answer])
      expect(each.headers.has('Access-Control-Allow-Origin')).toBe(false);
  });

  // contract 17.2, 9.6
  test('leaves no credential in the log', async () => {
    service.log.clear();
    const { secret } = await operator.key(await operator.account());
    await as(ADMIN_TOKEN).send('GET', '/admin/v1/nowhere');
    const lines = JSON.stringify(await service.log.lines(3));
    expect(lines).toContain('/admin/v1/accounts');
    for (const credential of [ADMIN_TOKEN, secret]) expect(lines).not.toContain(credential);
  });
});

describe('an address that guesses', () => {
  const limited = useService({ ADMIN_TOKEN, UNKNOWN_KEYS_PER_MINUTE: '3' });
  const guess = (token: string) => new ApiClient(limited.url, token).send('GET', '/admin/v1/accounts');

  // contract 17.2
  test('is slowed, as with unknown keys; the operator who was there before goes on', async () => {
    expect((await guess(ADMIN_TOKEN)).status).toBe(200);
    const answers = await Promise.all(Array.from({ length: 8 }, (_, at) => guess(`guess-${at}`)));
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 401)).toHaveLength(3);
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(5);
    expect(Number(refused[0]?.headers.get('Retry-After'))).toBeGreaterThan(0);
    expect((await guess(ADMIN_TOKEN)).status).toBe(200);
  });
});

describe('without ADMIN_TOKEN', () => {
  const closed = useService();

  // contract 17.1
  test.each(['/accounts', '/accounts/x/keys', '/audit'])('%s is a 404 like any other', async (path) => {
    const { status, body } = await new ApiClient(closed.url, ADMIN_TOKEN).send('GET', `/admin/v1${path}`);
    const nowhere = await new ApiClient(closed.url, ADMIN_TOKEN).send('GET', '/nowhere');
    expect(status).toBe(404);
    expect({ ...(body as object), request_id: '' }).toEqual({ ...(nowhere.body as object), request_id: '' });
  });

  // contract 17.1
  test('nothing of it is documented, and all of it where the setting is given', async () => {
    const pathsAt = async (url: string): Promise<string[]> => {
      const { body } = await new ApiClient(url, null).send<{ paths: object }>('GET', '/openapi.json');
      return Object.keys(body.paths).filter((path) => path.startsWith('/admin'));
    };
    expect(await pathsAt(closed.url)).toEqual([]);
    expect(await pathsAt(service.url)).toHaveLength(9);
  });
});

// contract 17.8, 11.3
test('a body that is no JSON, or none, is refused as elsewhere', async () => {
  const send = (raw: string, headers = {}) =>
    as(ADMIN_TOKEN).send('POST', '/admin/v1/accounts', { raw, headers });
  expect((await send('{"name": "a"')).status).toBe(400);
  expect((await send('name=a', { 'Content-Type': 'text/plain' })).status).toBe(415);
  expect((await send('')).status).toBe(400);
  expect((await as(ADMIN_TOKEN).send('PUT', '/admin/v1/accounts')).status).toBe(405);
  expect((await operator.get('/nowhere')).status).toBe(404);
});
