import { once } from 'node:events';
import { createServer, type Server, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { sitePages } from '../../api/site/routes';
import { useService } from '../support/service';

const service = useService();

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(`${service.url}${path}`, { headers });

describe('the page at /', () => {
  test('loads nothing but files of its own, under a policy that would not let it', async () => {
    const answer = await get('/');
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(answer.headers.get('content-security-policy')).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' https: blob: data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    );
    const html = await answer.text();
    expect(html).not.toMatch(/<style|style=|<script(?! type="module" src=)|https?:/);
    expect(html).toContain('data-demo="no"');
  });

  test('has files that may be kept for ever, smaller for who takes gzip', async () => {
    const html = await (await get('/')).text();
    const addresses = [...html.matchAll(/(?:href|src)="(assets\/[^"]+)"/g)].map(([, path]) => `/${path}`);
    expect(addresses.map((path) => path.replace(/-[0-9a-f]{12}/, ''))).toEqual([
      '/assets/loupe.svg',
      '/assets/loupe.css',
      '/assets/loupe.js',
    ]);
    for (const path of addresses) {
      const answer = await get(path);
      expect(answer.status).toBe(200);
      expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      expect(answer.headers.get('content-encoding')).toBe('gzip');
      const plain = await get(path, { 'accept-encoding': 'identity' });
      expect(plain.headers.get('content-encoding')).toBeNull();
      expect(await plain.text()).toBe(await answer.text());
    }
  });

  test('answers other methods and unknown files as the API does', async () => {
    const refused = await fetch(`${service.url}/`, { method: 'POST' });
    expect(refused.status).toBe(405);
    expect(refused.headers.get('allow')).toBe('GET, HEAD');
    const missing = await get('/assets/loupe-0000000000000000.js');
    expect(missing.status).toBe(404);
    expect(await missing.json()).toMatchObject({ success: false, error: 'not_found' });
  });

  test('has no key to give where there is no demonstration', async () => {
    expect((await get('/demo/session')).status).toBe(404);
    expect((await get('/demo/photos/0')).status).toBe(404);
  });
});

describe('the key of a demonstration', () => {
  const KEY = 'loupe_test_of_the_demonstration';
  let server: Server;

  beforeAll(async () => {
    const app = express().use(
      sitePages({ imageBytesMax: 1024, demo: () => ({ key: KEY, photos: [Buffer.from('a photo')] }) }),
    );
    app.use((...[, , res]: [unknown, unknown, express.Response, unknown]) => void res.status(404).end());
    server = createServer(app).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterAll(() => server.close());

  /** Sent by hand, since fetch sets some of these headers itself. */
  async function offer(
    headers: Record<string, string>,
    path = '/demo/session',
  ): Promise<{ status: number | undefined; body: string }> {
    const { port } = server.address() as AddressInfo;
    const host = `127.0.0.1:${port}`;
    const asked = send({
      port,
      host: '127.0.0.1',
      path,
      headers: { host, ...headers },
    }).end();
    const [answer] = await once(asked, 'response');
    let body = '';
    for await (const chunk of answer) body += chunk;
    return { status: answer.statusCode, body };
  }

  test.each([
    ['by its address', {}],
    ['by name', { host: 'localhost:3000' }],
    ['by its own page', { 'sec-fetch-site': 'same-origin' }],
  ])('is given to a page on its own machine, asked for %s', async (_how, headers) => {
    const { status, body } = await offer(headers);
    expect(status).toBe(200);
    expect(JSON.parse(body)).toEqual({ key: KEY, photos: ['demo/photos/0'] });
  });

  test('is announced to a page that a link of another site led to', async () => {
    const { body } = await offer({ 'sec-fetch-site': 'cross-site' }, '/');
    expect(body).toContain('data-demo="yes"');
    expect(body).not.toContain(KEY);
  });

  test.each([
    ['another site', { 'sec-fetch-site': 'cross-site' }],
    ['a sister site', { 'sec-fetch-site': 'same-site' }],
    ['a name that was made to lead here', { host: 'evil.example:3000' }],
    ['somebody behind a proxy', { 'x-forwarded-for': '203.0.113.9' }],
    ['somebody behind another proxy', { forwarded: 'for=203.0.113.9' }],
  ])('is not given to %s', async (_who, headers) => {
    const { status, body } = await offer(headers);
    expect(status).toBe(404);
    expect(body).not.toContain(KEY);
  });
});
