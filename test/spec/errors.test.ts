import { gzipSync } from 'node:zlib';
import { ADMIN_TOKEN } from '../support/operator-client';
import { useService } from '../support/service';

/** contract 11.2, 11.1: the form of errors, their order, and what never becomes a 500. */
const service = useService({ ADMIN_TOKEN });
const QUERY = '/v3/catalog/query';
const JSON_TYPE = { 'Content-Type': 'application/json' };
const send = (raw: string | Buffer, headers: Record<string, string> = JSON_TYPE, path = QUERY) =>
  service.api.send('POST', path, { raw, headers });

// contract 11.1, 11.2
describe('every error', () => {
  test.each([
    ['an unknown route', 'GET', '/nowhere', 404, 'not_found'],
    ['an unknown route below a known one', 'POST', '/v3/catalog/query/more', 404, 'not_found'],
    ['an unknown version', 'POST', '/v4/catalog/query', 404, 'not_found'],
    ['an item without an id', 'GET', '/v3/catalog/items/', 405, 'method_not_allowed'],
    ['another method', 'GET', QUERY, 405, 'method_not_allowed'],
    ['an unsigned file', 'GET', '/files/pricing_data/variant_x/NA.csv', 403, 'forbidden'],
    ['an unknown image', 'GET', `/images/${'0'.repeat(64)}.jpg`, 404, 'not_found'],
    ['a malformed escape in an unknown route', 'GET', '/nowhere/%zz', 404, 'not_found'],
    ['a malformed escape without a key', 'GET', '/v3/catalog/items/%zz', 401, 'unauthorized'],
  ])('of %s is JSON with code, message and request id', async (_what, method, path, status, error) => {
    const answer = await service.anybody.send<Record<string, unknown>>(method, path);
    expect(answer.status).toBe(status);
    expect(answer.headers.get('Content-Type')).toMatch(/^application\/json/);
    expect(answer.body).toMatchObject({ success: false, error, message: expect.stringMatching(/\S/) });
    expect(answer.body['request_id']).toBe(answer.headers.get('X-Request-Id'));
  });
});

// contract 12.1
describe('the request id', () => {
  test.each(['abcdefgh', 'A-b_c.0123', 'x'.repeat(128)])('%s is kept, on errors too', async (id) => {
    const headers = { 'X-Request-Id': id };
    expect((await service.api.send('POST', QUERY, { body: {}, headers })).headers.get('X-Request-Id')).toBe(
      id,
    );
    expect((await service.api.send('GET', '/nowhere', { headers })).body).toMatchObject({ request_id: id });
  });

  test.each(['short', 'x'.repeat(129), 'has space in', 'semi;colon', 'ünicode-id'])(
    '%s is replaced',
    async (id) => {
      const headers = { 'X-Request-Id': encodeURI(id) === id ? id : encodeURIComponent(id) };
      const answer = await service.api.send('POST', QUERY, { body: {}, headers });
      expect(answer.headers.get('X-Request-Id')).not.toBe(headers['X-Request-Id']);
      expect(answer.headers.get('X-Request-Id')).toMatch(/^[A-Za-z0-9._-]{8,128}$/);
    },
  );
});

// contract 12.2
describe('415', () => {
  test.each([
    ['no content type', {}],
    ['a form', { 'Content-Type': 'application/x-www-form-urlencoded' }],
    ['plain text', { 'Content-Type': 'text/plain' }],
    ['a multipart form', { 'Content-Type': 'multipart/form-data; boundary=x' }],
    ['JSON in another charset', { 'Content-Type': 'application/json; charset=utf-16' }],
    ['an unknown compression', { ...JSON_TYPE, 'Content-Encoding': 'pied-piper' }],
  ])('answers %s', async (_what, headers) => {
    const bytes = new Blob(['{}']);
    const response = await fetch(`${service.url}${QUERY}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${service.key.key}`, ...headers },
      body: await bytes.arrayBuffer(),
    });
    expect(response.status).toBe(415);
    expect(await response.json()).toMatchObject({ error: 'unsupported_media_type' });
  });

  test.each(['application/json', 'application/json; charset=utf-8', 'Application/JSON;charset="UTF-8"'])(
    'does not answer %s',
    async (type) => {
      expect((await send('{}', { 'Content-Type': type })).status).toBe(200);
    },
  );
});

// contract 11.2
describe('400', () => {
  test.each<[string, string | Buffer]>([
    ['an empty body', ''],
    ['white space', ' \n'],
    ['half an object', '{"query":'],
    ['a trailing comma', '{"page":0,}'],
    ['an array', '[]'],
    ['a string', '"birkin"'],
    ['null', 'null'],
    ['a number', '5'],
    ['bytes that are no UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
    ['half a surrogate pair', '{"query":"\\ud800"}'],
    ['NUL', '{"query":"a\\u0000b"}'],
    ['NUL in a filter', '{"filters":[{"field":"brand","include":["\\u0000"]}]}'],
    ['a __proto__ key', '{"__proto__":{"page":1}}'],
    ['a __proto__ key within', '{"filters":[{"__proto__":{},"field":"brand","include":["a"]}]}'],
    ['a constructor key', '{"constructor":{"prototype":{}}}'],
    ['deep nesting', `{"filters":${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
    ['many values', `{"filters":[${'0,'.repeat(300_000)}0]}`],
  ])('answers %s', async (_what, body) => {
    for (const path of [QUERY, '/v2/products'].slice(0, /NUL in|within|constructor/.test(_what) ? 1 : 2)) {
      expect(await send(body, JSON_TYPE, path)).toMatchObject({
        status: 400,
        body: { error: 'bad_request' },
      });
    }
  });

  test('answers a gzip body that is none', async () => {
    expect((await send('{}', { ...JSON_TYPE, 'Content-Encoding': 'gzip' })).status).toBe(400);
  });
});

// contract 12.2
describe('413', () => {
  const filler = (bytes: number) => `{"query":"${'a'.repeat(bytes)}"}`;

  test('answers a body over 1 MiB', async () => {
    expect(await send(filler(1024 * 1024))).toMatchObject({
      status: 413,
      body: { error: 'payload_too_large' },
    });
  });

  test('answers a small body that is large once inflated', async () => {
    const bomb = gzipSync(filler(50 * 1024 * 1024));
    expect((await send(bomb, { ...JSON_TYPE, 'Content-Encoding': 'gzip' })).status).toBe(413);
  });

  test('does not answer a compressed body of fair size', async () => {
    expect((await send(gzipSync('{"page":0}'), { ...JSON_TYPE, 'Content-Encoding': 'gzip' })).status).toBe(
      200,
    );
  });

  test('answers a photo over 4/3 of the image limit and 64 KiB, and not one below', async () => {
    const room = Math.floor((service.config.IMAGE_BYTES_MAX * 4) / 3) + 64 * 1024;
    const photo = (characters: number) =>
      JSON.stringify({ base64: 'A'.repeat(4 * Math.floor(characters / 4)) });
    expect((await send(photo(room + 1000), JSON_TYPE, '/v3/vision/identify')).status).toBe(413);
    expect((await send(photo(room - 1000), JSON_TYPE, '/v2/vision')).status).toBe(422);
  });
});

// contract 11.3
describe('the order of errors', () => {
  const large = { raw: Buffer.alloc(2 * 1024 * 1024, 'a'), headers: { 'Content-Type': 'text/plain' } };

  test('is 401 before everything', async () => {
    expect((await service.anybody.send('POST', QUERY, large)).status).toBe(401);
  });

  test('is 403 before 429, 415, 413 and 400', async () => {
    const { api } = await service.newKey({ versions: ['v1'], limits: { perMinute: 1 } });
    for (const _attempt of [1, 2, 3]) expect((await api.send('POST', QUERY, large)).status).toBe(403);
  });

  test('is 429 before 415, 413 and 400', async () => {
    const { api } = await service.newKey({ limits: { perMinute: 1 } });
    expect((await api.query({})).status).toBe(200);
    expect((await api.send('POST', QUERY, large)).status).toBe(429);
  });

  test('is 400 before 402, and 402 before 404 and 422', async () => {
    const { api } = await service.newKey({ credits: 0 });
    expect((await api.query({ page: -1 })).status).toBe(400);
    expect((await api.identify({ base64: '' })).status).toBe(400);
    expect((await api.item('product_nobody')).status).toBe(402);
    expect((await api.identify({ base64: 'AAAA' })).status).toBe(402);
  });
});

test('answers carry no hint of what they are made with', async () => {
  const { headers } = await service.api.query({});
  expect(headers.has('X-Powered-By')).toBe(false);
  expect(headers.get('X-Content-Type-Options')).toBe('nosniff');
  expect(headers.get('Cache-Control')).toBe('no-store');
});
