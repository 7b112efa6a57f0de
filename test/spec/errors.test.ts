import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import type { Knex } from 'knex';
import { rowsOf } from '../../db/core/sql';
import { Taxonomy } from '../../models/catalog/taxonomy';
import { PORTS } from '../../models/ports';
import { sendRaw } from '../support/interrupted-calls';
import { useService } from '../support/service';

/** contract 11, 12.1, 12.2: the form and order of errors, and invalid bodies. */
const service = useService();
const QUERY = '/v3/catalog/query';
const JSON_TYPE = { 'Content-Type': 'application/json' };
const send = (raw: string | Buffer, headers: Record<string, string> = JSON_TYPE, path = QUERY) =>
  service.api.send('POST', path, { raw, headers });

// contract 11.1, 11.2
test.each([
  ['GET', '/nowhere', 404, 'not_found'],
  // contract 17.1: this service has no ADMIN_TOKEN.
  ['GET', '/admin/v1/accounts', 404, 'not_found'],
  ['POST', '/v3/catalog/query/more', 404, 'not_found'],
  ['GET', '/v3/catalog/items/', 405, 'method_not_allowed'],
  ['GET', '/files/pricing_data/variant_x/NA.csv', 403, 'forbidden'],
  ['GET', `/images/${'0'.repeat(64)}.jpg`, 404, 'not_found'],
  ['GET', '/nowhere/%zz', 404, 'not_found'],
  ['GET', '/v3/catalog/items/%zz', 401, 'unauthorized'],
])('%s %s is a %d in JSON, with code, message and request id', async (method, path, status, error) => {
  const answer = await service.anybody.send(method, path);
  const told = ['Content-Type', 'X-Powered-By', 'X-Content-Type-Options', 'Cache-Control'];
  const values = [expect.stringMatching(/^application\/json/), null, 'nosniff', 'no-store'];
  expect([answer.status, ...told.map((name) => answer.headers.get(name))]).toEqual([status, ...values]);
  const request_id = answer.headers.get('X-Request-Id');
  expect(answer.body).toEqual({ success: false, error, message: expect.stringMatching(/\S/), request_id });
});

// contract 12.1
test.each([
  [true, ['abcdefgh', 'A-b_c.0123', 'x'.repeat(128)]],
  [false, ['short', 'x'.repeat(129), 'has space in', 'semi;colon', '%C3%BCnicode-id']],
])('a request id is kept, on errors too: %p', async (isKept, ids) => {
  for (const id of ids) {
    for (const path of ['/healthz', '/nowhere']) {
      const { headers } = await service.api.send('GET', path, { headers: { 'X-Request-Id': id } });
      const answered = headers.get('X-Request-Id');
      expect(answered).toMatch(/^[A-Za-z0-9._-]{8,128}$/);
      expect([id, answered === id]).toEqual([id, isKept]);
    }
  }
});

// contract 12.2
test.each<[type: string | null, status: number, coding: string]>([
  [null, 415, 'identity'],
  ['application/x-www-form-urlencoded', 415, 'identity'],
  ['text/plain', 415, 'identity'],
  ['application/json; charset=utf-16', 415, 'identity'],
  ['application/json', 415, 'pied-piper'],
  ['application/json', 400, 'gzip'],
  ['application/json', 200, 'identity'],
  ['Application/JSON;charset="UTF-8"', 200, 'identity'],
])('a body of type %s is answered %d, sent as %s', async (type, status, coding) => {
  const own = { Authorization: `Bearer ${service.key.key}`, 'Content-Encoding': coding };
  const headers = { ...own, ...(type === null ? {} : { 'Content-Type': type }) };
  const body = await new Blob(['{}']).arrayBuffer();
  const answer = await fetch(service.url + QUERY, { method: 'POST', headers, body });
  const { error, message } = (await answer.json()) as { error?: string; message?: string };
  expect([answer.status, error === 'unsupported_media_type']).toEqual([status, status === 415]);
  const isCoding = coding === 'pied-piper';
  expect(message?.includes('Content-Encoding') ?? false).toBe(isCoding || coding === 'gzip');
  expect(answer.headers.get('Accept-Encoding')).toBe(isCoding ? 'gzip, br, deflate' : null);
});

// contract 11.2, 13.19
test.each<readonly [string, string | Buffer]>([
  ...['', ' \n', '{"query":', '{"page":0,}', '[]', '"birkin"', 'null'].map((each) => [each, each] as const),
  ['bytes that are no UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
  ['half a surrogate pair', '{"query":"\\ud800","search":"\\ud800"}'],
  ['NUL', '{"query":"a\\u0000b","search":"a\\u0000b"}'],
  ['NUL in a filter', '{"filters":[{"field":"brand","include":["\\u0000"]}],"brand":"\\u0000"}'],
  ['a __proto__ key', '{"__proto__":{"page":1}}'],
  [
    'a __proto__ key within',
    '{"filters":[{"__proto__":{},"field":"a","include":["a"]}],"a":{"__proto__":{}}}',
  ],
  ['deep nesting', `{"filters":${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
  ['many values', `{"filters":[${'0,'.repeat(300_000)}0]}`],
])('a body of %j is a 400', async (_what, body) => {
  for (const path of [QUERY, '/v2/products'])
    expect(await send(body, JSON_TYPE, path)).toMatchObject({ status: 400, body: { error: 'bad_request' } });
});

// contract 12.2
test('a body is a 413 over 1 MiB, also once inflated, and a photo over 4/3 of the image limit and 64 KiB', async () => {
  const zipped = { ...JSON_TYPE, 'Content-Encoding': 'gzip' };
  const filler = (bytes: number) => `{"query":"${'a'.repeat(bytes)}"}`;
  const refusal = { status: 413, body: { error: 'payload_too_large' } };
  expect(await send(filler(2 ** 20))).toMatchObject(refusal);
  expect(await send(gzipSync(filler(50 * 2 ** 20)), zipped)).toMatchObject(refusal);
  expect((await send(gzipSync('{"page":0}'), zipped)).status).toBe(200);
  const room = Math.floor((service.config.IMAGE_BYTES_MAX * 4) / 3) + 64 * 1024;
  const photo = (bytes: number) => JSON.stringify({ base64: 'A'.repeat(4 * Math.floor(bytes / 4)) });
  expect(await send(photo(room + 1000), JSON_TYPE, '/v3/vision/identify')).toMatchObject(refusal);
  expect((await send(photo(room - 1000), JSON_TYPE, '/v2/vision')).status).toBe(422);
});

// contract 11.3
test('401 comes first, then 403, 429, 413 and 415, 400, 402, then 404 and 422', async () => {
  const large = { raw: Buffer.alloc(2 * 1024 * 1024, 'a'), headers: { 'Content-Type': 'text/plain' } };
  expect((await service.anybody.send('POST', QUERY, large)).status).toBe(401);
  const closed = await service.newKey({ versions: ['v1'], limits: { perMinute: 1 } });
  for (const _attempt of [1, 2, 3]) expect((await closed.api.send('POST', QUERY, large)).status).toBe(403);
  const limited = await service.newKey({ limits: { perMinute: 1 } });
  expect((await limited.api.query({})).status).toBe(200);
  expect((await limited.api.send('POST', QUERY, large)).status).toBe(429);
  const { api: poor } = await service.newKey({ credits: 0 });
  expect([413, 415]).toContain((await poor.send('POST', QUERY, large)).status);
  for (const [{ status }, expected] of [
    [await poor.query({ page: -1 }), 400],
    [await poor.identify({ base64: '' }), 400],
    [await poor.item('product_nobody'), 402],
    [await poor.identify({ base64: 'AAAA' }), 402],
  ] as const)
    expect(status).toBe(expected);
});

describe('on the wire', () => {
  const raw = async (sent: string) => {
    const socket = await sendRaw(service.url, sent);
    return text(socket.end());
  };
  const LONG = 'a'.repeat(17_000);
  const get = (path: string, headers = '') => `GET ${path} HTTP/1.1\r\nHost: x\r\n${headers}\r\n`;
  const post = (headers: string, body: string) =>
    `POST ${QUERY} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n${headers}\r\n\r\n${body}\r\n\r\n`;
  const expecting = (path: string, headers: string, length: number) =>
    `POST ${path} HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: ${length}\r\n${headers}\r\n\r\n`;
  const typed = () => `Authorization: Bearer ${service.key.key}\r\nContent-Type: application/json`;

  // contract 11.1, 12.14
  test.each<[string, () => string, number, string]>([
    ['headers over 16 KiB', () => get('/healthz', `X-Long: ${LONG}\r\n`), 431, 'headers_too_large'],
    ['a request line over 16 KiB', () => get(`/${LONG}`), 431, 'headers_too_large'],
    ['no HTTP at all', () => 'HELLO\r\n\r\n', 400, 'bad_request'],
    ['no Host', () => 'GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n', 400, 'bad_request'],
    ...['Host', 'Authorization', 'Content-Type', 'Idempotency-Key'].map(
      (name): [string, () => string, number, string] => [
        `two ${name} headers`,
        () => get('/v3/account', `${name}: a\r\n${name}: b\r\nConnection: close\r\n`),
        ...([400, 'bad_request'] as const),
      ],
    ),
    ['CONNECT', () => 'CONNECT 127.0.0.1:22 HTTP/1.1\r\nHost: x\r\n\r\n', 400, 'bad_request'],
    ['two lengths', () => post('Content-Length: 2', '0'), 400, 'bad_request'],
    ['a body that waits for 100, to no address', () => expecting('/none', 'X-A: b', 2), 404, 'not_found'],
    ['one without a key', () => expecting(QUERY, 'X-A: b', 2), 401, 'unauthorized'],
    ['a body without the chunks that it announces', () => post(typed(), 'no chunk'), 400, 'bad_request'],
  ])('%s is refused once, as JSON', async (_what, sent, status, error) => {
    const answer = await raw(sent());
    expect(answer.match(/HTTP\/1.1 \d+ /g)).toEqual([`HTTP/1.1 ${status} `]);
    expect(answer).toMatch(/\r\nX-Request-Id: [\w.-]{8,}/i);
    expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')))).toMatchObject({ success: false, error });
  });

  // contract 12.8, 12.14
  test('CONNECT ends its connection, whatever its client does', async () => {
    const tunnel = 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n';
    for (let attempt = 0; attempt < 20; attempt += 1) (await sendRaw(service.url, tunnel)).resetAndDestroy();
    const staying = await sendRaw(service.url, tunnel);
    const closed = once(staying, 'close');
    const [answer] = await once(staying, 'data');
    expect(String(answer)).toMatch(/^HTTP\/1.1 400 /);
    // The server has closed its side too: otherwise a write would be taken.
    await delay(50);
    staying.write('more');
    await closed;
    expect(await raw(get('/healthz') + tunnel)).not.toMatch(/ 400 /);
  });

  // contract 12.2
  test('a caller that waits for 100 Continue gets it when its body is read', async () => {
    const ask = (length: number) =>
      sendRaw(service.url, expecting(QUERY, `${typed()}\r\nConnection: close`, length));
    expect(await text(await ask(2 ** 21))).toMatch(/^HTTP\/1.1 413 /);
    const socket = await ask(2);
    expect(String(await once(socket, 'data'))).toMatch(/^HTTP\/1.1 100 /);
    socket.write('{}');
    expect(await text(socket)).toMatch(/^HTTP\/1.1 200 /);
  });

  test('an unknown Expect header and headers under 16 KiB are accepted', async () => {
    const headers = `X-Long: ${'a'.repeat(15_000)}\r\nExpect: patience\r\nConnection: close\r\n`;
    expect(await raw(get('/healthz', headers))).toMatch(/^HTTP\/1.1 200 [\s\S]*\r\nX-Request-Id: /i);
  });
});

/** contract 11.4: while the database fails. */
describe('a store that fails', () => {
  let failure: Error = new Error('not set');
  const connection = { query: (_statement: object, done: (failure: Error) => void) => done(failure) };
  const client = {
    ...{ acquireConnection: async () => connection, releaseConnection: async () => undefined },
    emit: () => false,
  };
  const failing = async (): Promise<never> => {
    await rowsOf({ client } as unknown as Knex)`SELECT`;
    throw new Error('the statement did not fail');
  };
  beforeEach(() => {
    const catalog = service.resolve(PORTS.CatalogRepository);
    jest.spyOn(catalog, 'taxonomy').mockResolvedValue(new Taxonomy([]));
    for (const name of ['tags', 'facetFields', 'itemsById', 'search'] as const)
      jest.spyOn(catalog, name).mockImplementation(failing);
    jest.spyOn(service.resolve(PORTS.CreditLedger), 'sell').mockImplementation(failing);
  });

  const CALLS = [
    ['a query', () => service.api.query({})],
    ['an item', () => service.api.item('product_birkin_croc')],
    ['v1 products', () => service.api.v1({})],
  ] as const;

  const coded = (code: string, message = 'private detail') => Object.assign(new Error(message), { code });
  const FAILURES: readonly (readonly [Error, status: number])[] = [
    [new TypeError("Cannot read properties of undefined (reading 'secretColumn')"), 500],
    ...['ECONNREFUSED', '57P01', '57014'].map((code) => [coded(code), 503] as const),
    [Object.assign(new Error('private detail'), { name: 'KnexTimeoutError' }), 503],
    [new Error('Connection terminated unexpectedly', { cause: coded('08006') }), 503],
  ];

  // contract 11.4
  test.each(CALLS)('%s is free: a 503 while the store is away, a 500 for a fault', async (_what, call) => {
    service.log.clear();
    for (const [thrown, expected] of FAILURES) {
      failure = thrown;
      const { status, body, headers, text: told } = await call();
      const error = expected === 503 ? 'unavailable' : 'internal_error';
      expect([thrown, status, body]).toMatchObject([thrown, expected, { success: false, error }]);
      expect(Number(headers.get('Retry-After')) > 0).toBe(expected === 503);
      expect(headers.get('X-Credits-Used')).toBe('0');
      expect(told).not.toMatch(/private detail|terminated|secretColumn|TypeError|\.ts/);
    }
    expect(JSON.stringify(await service.log.lines(2))).toContain('secretColumn');
  });
});
