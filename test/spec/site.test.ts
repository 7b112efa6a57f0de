import express from 'express';
import { PUBLIC_PREFIXES } from '../../api/endpoints';
import { errorHandler } from '../../api/middleware/error-handler';
import { queueDashboard } from '../../api/ops/queue-dashboard';
import { sitePages } from '../../api/site/routes';
import { rawAnswer } from '../support/interrupted-calls';
import { addressOf, useServer } from '../support/local-server';
import { type TestService, useService } from '../support/service';

/** contract 12.5, 14.4: pages for people, the key that a demonstration offers, and which pages of other origins read what. */
const service = useService();
const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(`${service.url}${path}`, { headers, redirect: 'manual' });

// contract 14.4
describe('the pages at / and /docs', () => {
  const OWN = "script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' https: blob: data:";
  test.each([
    ['/', `default-src 'none'; ${OWN}; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`],
    ['/docs', "default-src 'none'"],
  ])('%s loads nothing but files of its own, under a policy that would not let it', async (path, start) => {
    const answer = await get(path);
    const type = expect.stringMatching(/^text\/html/);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, type]);
    const policy = answer.headers.get('content-security-policy') ?? '';
    expect(policy.startsWith(start)).toBe(true);
    expect(policy.replace(/img-src [^;]*/, '')).not.toMatch(/unsafe|\*|https?:|data:|blob:/);
    expect(await answer.text()).not.toMatch(/<style|\sstyle=|<script>|\son\w+=|https?:\/\//);
  });

  test.each([
    ['/', 'assets/', 'loupe.svg loupe.css loupe.js'],
    ['/docs', 'docs/', 'icon.svg swagger-ui.css reference.css swagger-ui-bundle.js reference.js'],
  ])('the files of %s may be kept for ever, and are smaller in gzip', async (path, folder, files) => {
    const html = await (await get(path)).text();
    const own = new RegExp(`(?:href|src)="(${folder}[^"]+)"`, 'g');
    const addresses = [...html.matchAll(own)].map(([, address = '']) => address);
    const plainNames = addresses.map((address) => address.replace(/-[0-9a-f]{12}(?=\.(js|css|svg)$)/, ''));
    expect(plainNames).toEqual(files.split(' ').map((file) => folder + file));
    for (const address of addresses) {
      const answer = await get(`/${address}`, { 'accept-encoding': 'gzip' });
      const plain = await get(`/${address}`, { 'accept-encoding': 'identity' });
      const text = await plain.text();
      expect([answer.status, Object.fromEntries(answer.headers)]).toMatchObject([
        200,
        {
          'cache-control': 'public, max-age=31536000, immutable',
          'content-type': expect.stringMatching(/^(text\/(javascript|css)|image\/svg\+xml)/),
        },
      ]);
      const codings = [answer, plain].map(({ headers }) => headers.get('content-encoding'));
      expect(codings).toEqual([text.length < 1024 ? null : 'gzip', null]);
      expect(text).toBe(await answer.text());
    }
  });

  test('other methods, unknown files and a missing demonstration are refused as by the API', async () => {
    const refused = await fetch(`${service.url}/`, { method: 'POST' });
    expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    for (const path of [
      ...[
        '/assets/loupe-0000000000000000.js',
        '/docs/swagger-ui-bundle-000000000000.js',
        '/docs/..%2fpackage.json',
      ],
      ...['/demo/session', '/demo/photos/0'],
    ]) {
      const missing = await get(path);
      expect([path, missing.status, await missing.json()]).toMatchObject([path, 404, { error: 'not_found' }]);
    }
    const { status, headers } = await get('/docs/');
    expect([status, headers.get('Location')]).toEqual([308, '../docs']);
    expect(await (await get('/')).text()).toContain('data-demo="no"');
  });
});

describe('the key of a demonstration', () => {
  const KEY = 'loupe_test_of_the_demonstration';
  const demo = () => ({ key: KEY, photos: [Buffer.from('a photo')] });
  const app = express().use(sitePages({ imageBytesMax: 1024, demo }));
  app.use((...[, , res]: [unknown, unknown, express.Response, unknown]) => void res.status(404).end());
  const server = useServer(app);

  async function offer(headers: Record<string, string>, path = '/demo/session') {
    const host = addressOf(server);
    const { status, bytes } = await rawAnswer(`http://${host}${path}`, { headers: { host, ...headers } });
    return { status, body: String(bytes) };
  }

  test.each<[string, Record<string, string>, boolean]>([
    ['by its address', {}, true],
    ['by name', { host: 'localhost:3000' }, true],
    ['by its own page', { 'sec-fetch-site': 'same-origin' }, true],
    ['by another site', { 'sec-fetch-site': 'cross-site' }, false],
    ['by a sister site', { 'sec-fetch-site': 'same-site' }, false],
    ['by a name that was made to lead here', { host: 'evil.example:3000' }, false],
    ['behind a proxy', { 'x-forwarded-for': '203.0.113.9' }, false],
    ['behind another proxy', { forwarded: 'for=203.0.113.9' }, false],
  ])('asked for %s is given to pages of its own machine alone', async (_how, headers, isGiven) => {
    const { status, body } = await offer(headers);
    expect([status, body.includes(KEY)]).toEqual(isGiven ? [200, true] : [404, false]);
    if (isGiven) expect(JSON.parse(body)).toEqual({ key: KEY, photos: ['demo/photos/0'] });
  });

  test('is offered to a page opened by a link from another site', async () => {
    const { body } = await offer({ 'sec-fetch-site': 'cross-site' }, '/');
    expect([body.includes('data-demo="yes"'), body.includes(KEY)]).toEqual([true, false]);
  });
});

// contract 14.4
describe('the password of /queues', () => {
  const LIMIT = 5;
  const PASSWORD = 'the password of the queues';
  let app: express.Express;
  beforeEach(() => {
    app = express()
      .use('/queues', queueDashboard([], PASSWORD, LIMIT))
      .use(errorHandler(null));
  });
  const server = useServer((req, res) => app(req, res));

  const ask = (password: string | null) => {
    const credentials = Buffer.from(`operator:${password}`).toString('base64');
    const headers = { Authorization: `Basic ${credentials}` };
    return fetch(`http://${addressOf(server)}/queues/`, password === null ? {} : { headers });
  };

  // contract 9.11
  test('an address that tries wrong passwords is refused after a few, also with the right one', async () => {
    const answers = await Promise.all(Array.from({ length: 40 }, (_, at) => ask(`wrong${at}`)));
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([...Array(LIMIT).fill(401), ...Array(40 - LIMIT).fill(429)]);
    const right = await ask(PASSWORD);
    expect([right.status, Number(right.headers.get('Retry-After')) > 0]).toEqual([429, true]);
  });

  test('an address that has already opened it is still served, and calls without a password do not count', async () => {
    for (let call = 0; call < 3 * LIMIT; call += 1) expect((await ask(null)).status).toBe(401);
    expect((await ask(PASSWORD)).status).toBe(200);
    for (let call = 0; call < 3 * LIMIT; call += 1) await ask('wrong');
    expect((await ask('wrong')).status).toBe(429);
    expect((await ask(PASSWORD)).status).toBe(200);
  });
});

const PAGE = 'https://shop.example';
const QUERY = '/v3/catalog/query';
const originOf = ({ headers }: Response) => headers.get('Access-Control-Allow-Origin');
const listOf = ({ headers }: Response, name: string) => (headers.get(name) ?? '').split(/, ?/);

const preflight = ({ url }: TestService, path: string, origin = PAGE) => {
  const wanted = {
    'Access-Control-Request-Method': 'POST',
    'Access-Control-Request-Headers': 'authorization',
  };
  return fetch(url + path, { method: 'OPTIONS', headers: { Origin: origin, ...wanted } });
};
const asked = ({ url, key }: TestService, path: string, authorization = key.key) => {
  const own = { Authorization: `Bearer ${authorization}`, 'Content-Type': 'application/json' };
  const body = path === QUERY ? { method: 'POST', body: '{}' } : {};
  return fetch(url + path, { ...body, headers: { Origin: PAGE, ...own } });
};

const over = async ({ anybody }: TestService, path: string, protocol: string) =>
  (await anybody.send('GET', path, { headers: { 'X-Forwarded-Proto': protocol } })).headers;

describe('a service without CORS_ORIGINS', () => {
  // contract 12.5
  test('lets no page of another origin read an answer, and OPTIONS is an unknown method', async () => {
    for (const [answer, status] of [
      [await preflight(service, QUERY), 405],
      [await asked(service, QUERY), 200],
    ] as const)
      expect([answer.status, originOf(answer)]).toEqual([status, null]);
  });

  // contract 14.4
  test.each(['/healthz', '/v3/account', '/docs', '/'])(
    'lets no other site frame %s, and promises no TLS where it trusts no proxy',
    async (path) => {
      const headers = await over(service, path, 'https');
      expect(headers.get('X-Frame-Options')).toBe('DENY');
      expect(headers.get('Content-Security-Policy')).toContain("frame-ancestors 'none'");
      expect(headers.get('Strict-Transport-Security')).toBeNull();
    },
  );
});

// contract 12.5
describe('a service with CORS_ORIGINS', () => {
  const open = useService({ CORS_ORIGINS: `${PAGE}, http://localhost:5173` });

  test.each(PUBLIC_PREFIXES)('%s answers a preflight of the origins without a key', async (path) => {
    for (const origin of [PAGE, 'http://localhost:5173']) {
      const answer = await preflight(open, `${path}/anything`, origin);
      expect([answer.status, originOf(answer)]).toEqual([204, origin]);
      expect(listOf(answer, 'Access-Control-Allow-Methods')).toEqual('GET HEAD POST PUT DELETE'.split(' '));
      const allowed = 'Authorization Content-Type Idempotency-Key X-Request-Id'.split(' ');
      expect(listOf(answer, 'Access-Control-Allow-Headers')).toEqual(expect.arrayContaining(allowed));
      expect(Number(answer.headers.get('Access-Control-Max-Age'))).toBeGreaterThan(0);
      expect(answer.headers.get('Access-Control-Allow-Credentials')).toBeNull();
      expect(answer.headers.get('Vary')).toContain('Origin');
    }
  });

  test.each([200, 401])('an answer of status %d tells the page which headers it may read', async (status) => {
    const answer = await asked(open, QUERY, status === 401 ? 'nobody' : undefined);
    expect([answer.status, originOf(answer)]).toEqual([status, PAGE]);
    const shown = 'X-Request-Id X-Credits-Used X-Credits-Remaining Retry-After X-Prediction-Id'.split(' ');
    const limits = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'];
    const exposed = listOf(answer, 'Access-Control-Expose-Headers');
    expect(exposed).toEqual(expect.arrayContaining([...shown, ...limits]));
  });

  test('other origins, and addresses outside the API, are refused', async () => {
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
