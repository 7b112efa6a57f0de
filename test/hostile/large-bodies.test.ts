import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { requestText, sendRaw } from '../support/interrupted-calls';
import { useServer } from '../support/local-server';
import { useService } from '../support/service';

/** Memory is shared by the bytes that arrived: no slow upload shuts out others; what can't be answered is free (contract 7.14, 12.7). */
const IMAGE_BYTES_MAX = 2_400_000;
const CALLERS = 16;

let answer: RequestListener = (_request, response) => response.end();
const LIMITS = { IMAGE_BYTES_MAX: String(IMAGE_BYTES_MAX), BODY_MEMORY_MIB: '14' };
/** Shorter than a stalled upload is tolerated: a call that waits for one fails. */
const service = useService({ ...LIMITS, VISION_DEADLINE_MS: '6000' });
const uploads: Socket[] = [];
beforeEach(() => service.sees(['product_birkin_croc', 0.05]));
afterEach(() => {
  for (const upload of uploads.splice(0)) upload.destroy();
});

/** Readers ignore what follows the end of a PNG. */
const photoOf = (bytes: number): Buffer =>
  Buffer.concat([service.photoBytes, Buffer.alloc(bytes - service.photoBytes.length)]);
const largePhoto = (): object => ({ base64: photoOf(2_000_000).toString('base64') });

async function stalledUpload(key: string, length: string, sent: number): Promise<void> {
  const head = ['POST /v3/vision/identify HTTP/1.1', 'Host: x', `Authorization: Bearer ${key}`];
  head.push('Content-Type: application/json', length, '', '');
  const socket = await sendRaw(service.url, head.join('\r\n'));
  uploads.push(socket);
  const begin = `{"base64":"${'A'.repeat(sent)}`;
  socket.write(length.startsWith('Content') ? begin : `${begin.length.toString(16)}\r\n${begin}\r\n`);
}

test.each([
  ['announce what they never send', `Content-Length: ${IMAGE_BYTES_MAX}`, 0],
  ['stop halfway', `Content-Length: ${IMAGE_BYTES_MAX}`, 1_500_000],
  ['do not say how long they are', 'Transfer-Encoding: chunked', 1_500_000],
])('sixteen uploads of one key that %s leave the photos of others alone', async (_how, length, sent) => {
  const { key } = await service.newKey();
  await Promise.all(Array.from({ length: CALLERS }, () => stalledUpload(key, length, sent)));
  const other = (await service.newKey()).api;
  expect((await other.identify(largePhoto())).status).toBe(200);
  expect((await service.api.identify(largePhoto())).status).toBe(200);
});

test.each([
  ['in pieces, without a length', {}, piecesOf],
  ['as gzip', { 'Content-Encoding': 'gzip' }, gzipSync],
])('a photo %s is read like any other, and refused if it is too large', async (_how, headers, sent) => {
  const post = (body: Buffer) =>
    fetch(`${service.url}/v3/vision/identify`, {
      method: 'POST',
      headers: {
        ...{ Authorization: `Bearer ${service.key.key}`, 'Content-Type': 'application/json' },
        ...headers,
      },
      body: sent(body),
      duplex: 'half',
    } as RequestInit);
  expect((await post(Buffer.from(JSON.stringify(largePhoto())))).status).toBe(200);
  expect((await post(Buffer.alloc(4_000_000, 'A'))).status).toBe(413);
});

// contract 12.2
test.each(['HTTP/1.1', 'HTTP/1.0'])(
  'a refusal reaches a client of %s that reads only when it has sent everything',
  async (version) => {
    const head = [`POST /v3/vision/identify ${version}`, 'Host: x', 'Connection: close'];
    head.push('Content-Length: 8000000', '', 'A'.repeat(8_000_000));
    const socket = await sendRaw(service.url, head.join('\r\n'));
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 401 .*"unauthorized"/s);
  },
);

// contract 12.2
test('a call behind an answer that ends its connection is not begun', async () => {
  service.log.clear();
  const calls = [service.photo, {}].map((body) =>
    requestText({ method: 'POST', path: '/v3/catalog/query', body }, service.key.key),
  );
  service.lifecycle = 'stopping';
  const socket = await sendRaw(service.url, calls.join('').slice(0, 200));
  // A refusal for which the service is at fault has two lines.
  await service.log.lines(2);
  service.lifecycle = 'ready';
  const closed = once(socket, 'close');
  socket.write(calls.join('').slice(200));
  expect((await text(socket)).match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 503']);
  await closed;
  await service.api.query({});
  expect(await service.log.lines(3)).toHaveLength(3);
});

function piecesOf(body: Buffer): ReadableStream {
  const size = Math.ceil(body.length / 40);
  const pieces = Array.from({ length: 40 }, (_, at) => body.subarray(at * size, (at + 1) * size));
  return Readable.toWeb(Readable.from(pieces)) as ReadableStream;
}

describe('With hardly any memory for answers', () => {
  const service = useService({ ANSWER_MEMORY_MIB: '1' });

  // contract 12.7
  test('a burst of large pages is answered one after the other or turned away, and each is charged once', async () => {
    const { api, accountId } = await service.newKey();
    const page = { page_size: 100, includes: ['taxonomy', 'pricing'] };
    const answers = await Promise.all(Array.from({ length: 30 }, () => api.query(page)));
    const used = answers.map(({ status, headers }) => {
      expect([200, 429, 503]).toContain(status);
      if (status !== 200) expect(Number(headers.get('Retry-After'))).toBeGreaterThan(0);
      return Number(headers.get('X-Credits-Used'));
    });
    expect(used).toContain(6);
    expect(await service.creditsBooked(accountId)).toBe(used.reduce((sum, each) => sum + each, 0));
  });
});

describe('Five photos at once', () => {
  // Long enough to be sent a photo by a busy machine.
  const settings: Record<string, string> = { ...LIMITS, IMAGE_FETCH_TIMEOUT_MS: '4000' };
  const listens = (address: string) => Object.assign(settings, { IMAGE_FETCH_ALLOW: address });
  useServer((request, response) => answer(request, response), listens);
  const service = useService(settings);
  beforeEach(() => service.sees(['product_birkin_croc', 0.05]));

  const fiveAddresses = () =>
    Array.from({ length: 5 }, (_, at) => ({ url: `http://${settings['IMAGE_FETCH_ALLOW']}/${at}.png` }));

  /** The statuses of one call by each of sixteen accounts; each was charged what it was told. */
  const statusesOf = (body: object): Promise<number[]> =>
    Promise.all(
      Array.from({ length: CALLERS }, async () => {
        const { api, accountId } = await service.newKey({ credits: 100 });
        const { status, headers } = await api.identify(body);
        const told = Number(headers.get('X-Credits-Used'));
        expect([status, told]).toEqual([status, status === 200 ? 13 : 0]);
        expect(await service.creditsBooked(accountId)).toBe(told);
        return status;
      }),
    );

  const fivePhotos = (): object[] =>
    Array(5).fill({ base64: photoOf(IMAGE_BYTES_MAX / 5).toString('base64') });

  // Of those at addresses some wait until their hosts are given up.
  test.each<[string, () => object[], refusals: number[]]>([
    ['sent by sixteen callers', fivePhotos, [503]],
    ['at addresses that sixteen callers name', fiveAddresses, [422, 503]],
  ])('of the largest, %s, are read or turned away', async (_how, images, refusals) => {
    const photo = photoOf(IMAGE_BYTES_MAX);
    answer = (_request, response) => response.end(photo);
    const statuses = await statusesOf({ images: images() });
    expect(statuses.filter((status) => ![200, ...refusals].includes(status))).toEqual([]);
    expect(statuses).toContain(200);
  });

  test('from addresses that never answer end in a free 422, and hold up nobody else', async () => {
    answer = () => undefined;
    const slow = statusesOf({ images: fiveAddresses() });
    expect((await service.api.identify({ base64: service.photo.base64 })).status).toBe(200);
    expect(new Set(await slow)).toEqual(new Set([422]));
    const { body } = await service.api.identify({ images: fiveAddresses() });
    expect(body).toMatchObject({ reason: 'url_timeout', index: expect.any(Number) });
  });
});
