import { PUBLIC_PREFIXES } from '../../api/paths';
import { type TestService, useService } from '../support/service';

/** contract 12.5, 14.4: which pages of other origins may read which answers, and headers that protect browsers. */
const PAGE = 'https://shop.example';
const QUERY = '/v3/catalog/query';

const preflight = ({ url }: TestService, path: string, origin = PAGE) =>
  fetch(url + path, {
    method: 'OPTIONS',
    headers: {
      ...{ Origin: origin, 'Access-Control-Request-Method': 'POST' },
      'Access-Control-Request-Headers': 'authorization',
    },
  });
const asked = ({ url, key }: TestService, path: string, authorization = key.key) =>
  fetch(url + path, {
    ...(path === QUERY ? { method: 'POST', body: '{}' } : {}),
    headers: { Origin: PAGE, Authorization: `Bearer ${authorization}`, 'Content-Type': 'application/json' },
  });
const originOf = ({ headers }: Response) => headers.get('Access-Control-Allow-Origin');
const listOf = ({ headers }: Response, name: string) => (headers.get(name) ?? '').split(/, ?/);

/** The headers of an answer that a proxy says went over this protocol. */
const over = async ({ anybody }: TestService, path: string, protocol: string) =>
  (await anybody.send('GET', path, { headers: { 'X-Forwarded-Proto': protocol } })).headers;

describe('a service without CORS_ORIGINS', () => {
  const closed = useService();

  // contract 12.5
  test('lets no page of another origin read an answer, and OPTIONS is an unknown method', async () => {
    for (const [answer, status] of [
      [await preflight(closed, QUERY), 405],
      [await asked(closed, QUERY), 200],
    ] as const) {
      expect([answer.status, originOf(answer)]).toEqual([status, null]);
    }
  });

  // contract 14.4
  test.each(['/healthz', '/v3/account', '/docs', '/'])(
    'lets no other site frame %s, and promises no TLS where it trusts no proxy',
    async (path) => {
      const headers = await over(closed, path, 'https');
      expect(headers.get('X-Frame-Options')).toBe('DENY');
      expect(headers.get('Content-Security-Policy')).toContain("frame-ancestors 'none'");
      expect(headers.get('Strict-Transport-Security')).toBeNull();
    },
  );
});

describe('a service with CORS_ORIGINS', () => {
  const open = useService({ CORS_ORIGINS: `${PAGE}, http://localhost:5173` });

  // contract 12.5
  test.each(PUBLIC_PREFIXES)('%s answers a preflight of the origins without a key', async (path) => {
    for (const origin of [PAGE, 'http://localhost:5173']) {
      const answer = await preflight(open, `${path}/anything`, origin);
      expect([answer.status, originOf(answer)]).toEqual([204, origin]);
      expect(listOf(answer, 'Access-Control-Allow-Methods')).toEqual('GET HEAD POST PUT DELETE'.split(' '));
      expect(listOf(answer, 'Access-Control-Allow-Headers')).toEqual(
        expect.arrayContaining('Authorization Content-Type Idempotency-Key X-Request-Id'.split(' ')),
      );
      expect(Number(answer.headers.get('Access-Control-Max-Age'))).toBeGreaterThan(0);
      expect(answer.headers.get('Access-Control-Allow-Credentials')).toBeNull();
      expect(answer.headers.get('Vary')).toContain('Origin');
    }
  });

  // contract 12.5
  test.each([200, 401])('an answer of status %d tells the page which headers it may read', async (status) => {
    const answer = await asked(open, QUERY, status === 401 ? 'nobody' : undefined);
    expect([answer.status, originOf(answer)]).toEqual([status, PAGE]);
    const shown = 'X-Request-Id X-Credits-Used X-Credits-Remaining Retry-After X-Prediction-Id';
    const limits = 'RateLimit-Limit RateLimit-Remaining RateLimit-Reset';
    expect(listOf(answer, 'Access-Control-Expose-Headers')).toEqual(
      expect.arrayContaining(`${shown} ${limits}`.split(' ')),
    );
  });

  // contract 12.5
  test('other origins, and addresses that are not of the API, are refused', async () => {
    for (const origin of ['https://shop.example.evil.example', 'http://shop.example', 'null'])
      expect(originOf(await preflight(open, QUERY, origin))).toBeNull();
    for (const path of '/healthz /readyz /metrics /queues /openapi.json /docs /'.split(' ')) {
      expect(originOf(await asked(open, path))).toBeNull();
      expect(originOf(await preflight(open, path))).toBeNull();
    }
    expect((await fetch(`${open.url}${QUERY}`, { method: 'OPTIONS' })).status).toBe(405);
  });
});

describe('a service open to all, behind a proxy', () => {
  const toAll = useService({ CORS_ORIGINS: '*', TRUST_PROXY: '1' });

  // contract 12.5
  test('every origin may read the API, without credentials', async () => {
    const answer = await preflight(toAll, QUERY);
    expect([answer.status, originOf(answer)]).toEqual([204, '*']);
    expect(answer.headers.get('Access-Control-Allow-Credentials')).toBeNull();
    expect(originOf(await asked(toAll, '/metrics'))).toBeNull();
  });

  // contract 14.4
  test('HSTS is sent where the proxy received the call over TLS', async () => {
    const promise = async (protocol: string) =>
      (await over(toAll, '/healthz', protocol)).get('Strict-Transport-Security');
    expect(await promise('https')).toMatch(/^max-age=\d{8}/);
    expect(await promise('http')).toBeNull();
  });
});
