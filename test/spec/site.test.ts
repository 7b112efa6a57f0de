import { once } from 'node:events';
import { createServer, type Server, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { errorHandler } from '../../api/middleware/error-handler';
import { queueDashboard } from '../../api/ops/queue-dashboard';
import { sitePages } from '../../api/site/routes';
import { closed, listening } from '../support/local-server';
import { useService } from '../support/service';

/** contract 14.4: the pages for people at `/` and `/docs`, and the key that a demonstration offers. */
const service = useService();
const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(`${service.url}${path}`, { headers, redirect: 'manual' });

// contract 14.4
test.each([
  [
    '/',
    /^default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' https: blob: data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'$/,
  ],
  ['/docs', /^default-src 'none'/],
])('%s loads nothing but files of its own, under a policy that would not let it', async (path, form) => {
  const answer = await get(path);
  expect([answer.status, answer.headers.get('content-type')]).toEqual([
    200,
    expect.stringMatching(/^text\/html/),
  ]);
  const policy = answer.headers.get('content-security-policy') ?? '';
  expect(policy).toMatch(form);
  expect(policy.replace(/img-src [^;]*/, '')).not.toMatch(/unsafe|\*|https?:|data:|blob:/);
  expect(await answer.text()).not.toMatch(/<style|\sstyle=|<script>|\son\w+=|https?:\/\//);
});

test.each([
  ['/', 'assets/', ['assets/loupe.svg', 'assets/loupe.css', 'assets/loupe.js']],
  [
    '/docs',
    'docs/',
    ['icon.svg', 'swagger-ui.css', 'reference.css', 'swagger-ui.js', 'reference.js'].map(
      (file) => `docs/${file}`,
    ),
  ],
])(
  'the files of %s may be kept for ever, and are smaller for who takes gzip',
  async (path, folder, files) => {
    const html = await (await get(path)).text();
    const own = new RegExp(`(?:href|src)="(${folder}[^"]+)"`, 'g');
    const addresses = [...html.matchAll(own)].map(([, address = '']) => address);
    expect(addresses.map((address) => address.replace(/-[0-9a-f]{12}(?=\.(js|css|svg)$)/, ''))).toEqual(
      files,
    );
    for (const address of addresses) {
      const [answer, plain] = [
        await get(`/${address}`, { 'accept-encoding': 'gzip' }),
        await get(`/${address}`, { 'accept-encoding': 'identity' }),
      ];
      expect([answer.status, Object.fromEntries(answer.headers)]).toMatchObject([
        200,
        {
          ...{ 'cache-control': 'public, max-age=31536000, immutable', 'content-encoding': 'gzip' },
          'content-type': expect.stringMatching(/^(text\/(javascript|css)|image\/svg\+xml)/),
        },
      ]);
      expect(plain.headers.get('content-encoding')).toBeNull();
      expect(await plain.text()).toBe(await answer.text());
    }
  },
);

test('other methods, unknown files and a missing demonstration are refused as by the API', async () => {
  const refused = await fetch(`${service.url}/`, { method: 'POST' });
  expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  for (const path of [
    ...['/assets/loupe-0000000000000000.js', '/docs/swagger-ui-000000000000.js', '/docs/..%2fpackage.json'],
    ...['/demo/session', '/demo/photos/0'],
  ]) {
    const missing = await get(path);
    expect([path, missing.status, await missing.json()]).toMatchObject([path, 404, { error: 'not_found' }]);
  }
  const { status, headers } = await get('/docs/');
  expect([status, headers.get('Location')]).toEqual([308, '../docs']);
  expect(await (await get('/')).text()).toContain('data-demo="no"');
});

describe('the key of a demonstration', () => {
  const KEY = 'loupe_test_of_the_demonstration';
  let server: Server;

  beforeAll(async () => {
    const demo = () => ({ key: KEY, photos: [Buffer.from('a photo')] });
    const app = express().use(sitePages({ imageBytesMax: 1024, demo }));
    app.use((...[, , res]: [unknown, unknown, express.Response, unknown]) => void res.status(404).end());
    server = createServer(app).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterAll(() => server.close());

  /** Sent by hand, since fetch sets some of these headers itself. */
  async function offer(headers: Record<string, string>, path = '/demo/session') {
    const { port } = server.address() as AddressInfo;
    const own = { host: `127.0.0.1:${port}`, ...headers };
    const [answer] = await once(send({ port, host: '127.0.0.1', path, headers: own }).end(), 'response');
    let body = '';
    for await (const chunk of answer) body += chunk;
    return { status: answer.statusCode as number, body };
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

  test('is announced to a page that a link of another site led to', async () => {
    const { body } = await offer({ 'sec-fetch-site': 'cross-site' }, '/');
    expect([body.includes('data-demo="yes"'), body.includes(KEY)]).toEqual([true, false]);
  });
});

// contract 14.4
describe('the password of /queues', () => {
  const LIMIT = 5;
  const PASSWORD = 'the password of the queues';

  async function served(): Promise<(password: string | null) => Promise<Response>> {
    const app = express();
    app.use('/queues', queueDashboard([], PASSWORD, LIMIT));
    app.use(errorHandler(null));
    const server = createServer(app);
    const url = `http://${await listening(server)}`;
    closing.push(() => closed(server));
    return (password) => {
      const credentials = Buffer.from(`operator:${password}`).toString('base64');
      const headers = password === null ? {} : { Authorization: `Basic ${credentials}` };
      return fetch(`${url}/queues/`, { headers });
    };
  }
  const closing: (() => unknown)[] = [];
  afterEach(() => Promise.all(closing.splice(0).map((close) => close())));

  // contract 14.4, 9.11
  test('an address that tries wrong passwords is refused after a few, also with the right one', async () => {
    const ask = await served();
    const statuses = await Promise.all(
      Array.from({ length: 40 }, async (_, at) => (await ask(`wrong${at}`)).status),
    );
    expect(statuses.filter((status) => status === 401)).toHaveLength(LIMIT);
    expect(statuses.filter((status) => status === 429)).toHaveLength(40 - LIMIT);
    const right = await ask(PASSWORD);
    expect([right.status, Number(right.headers.get('Retry-After')) > 0]).toEqual([429, true]);
  });

  // contract 14.4
  test('an address that has opened it before is still served, and calls without a password do not count', async () => {
    const ask = await served();
    for (let call = 0; call < 3 * LIMIT; call += 1) expect((await ask(null)).status).toBe(401);
    expect((await ask(PASSWORD)).status).toBe(200);
    for (let call = 0; call < 3 * LIMIT; call += 1) await ask('wrong');
    expect((await ask('wrong')).status).toBe(429);
    expect((await ask(PASSWORD)).status).toBe(200);
  });
});
