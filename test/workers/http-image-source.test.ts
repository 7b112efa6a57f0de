import type { RequestListener } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { AppError, unavailable } from '../../models/errors';
import { HttpImageSource } from '../../workers/image/http-image-source';
import { useServer } from '../support/local-server';

/** Hosts that lie, stall or lead inside: `test/hostile/ssrf.test.ts`. */
const BYTES_MAX = 1000;
let answer: RequestListener = (_request, response) => response.end();
let address: string;
let source: HttpImageSource;
/** More than a connection buffers. */
let large: HttpImageSource;

const at = (path = '/photo.jpg') => new URL(`http://${address}${path}`);

async function reasonOf(url: URL): Promise<string | undefined> {
  const failure: unknown = await source.fetch(url).catch((thrown: unknown) => thrown);
  expect(failure).toBeInstanceOf(AppError);
  return failure instanceof AppError ? failure.extras.reason : undefined;
}

function listens(given: string): void {
  address = given;
  const settings = { redirectsMax: 3, allow: [address], timeoutMs: 15_000 };
  source = new HttpImageSource({ ...settings, bytesMax: BYTES_MAX });
  large = new HttpImageSource({ ...settings, bytesMax: 1_000_000 });
}
useServer((request, response) => answer(request, response), listens);
afterAll(() => Promise.all([source, large].map((each) => each.close())));

describe('A photo behind an address', () => {
  test('is fetched whole even if its host ends the connection while it waits for memory', async () => {
    const [begun, rest] = [Buffer.alloc(1_024, 1), Buffer.alloc(65_536, 2)];
    let ended: Promise<void> | undefined;
    let end = () => Promise.resolve();
    answer = (_request, response) => {
      response.writeHead(200, { connection: 'close' }).write(begun);
      end = () =>
        new Promise((resolve) => {
          response.on('close', resolve).end(rest);
        });
    };
    // As large as the buffer, so that only the end comes after it.
    const room = {
      resize: async () => {
        ended ??= end();
        await ended;
        await delay(50);
      },
      close: () => undefined,
    };
    expect(await large.fetch(at(), undefined, room)).toEqual(Buffer.concat([begun, rest]));
  });

  // contract 12.7
  test('is read only as far as there is memory for it', async () => {
    answer = (_request, response) => response.end(Buffer.alloc(BYTES_MAX));
    const sizes: number[] = [];
    const room = { resize: async (bytes: number) => void sizes.push(bytes), close: () => undefined };
    expect((await source.fetch(at(), undefined, room)).length).toBe(BYTES_MAX);
    expect(sizes.at(-1)).toBe(BYTES_MAX);
    const full = { ...room, resize: () => Promise.reject(unavailable('full', 1)) };
    await expect(source.fetch(at(), undefined, full)).rejects.toMatchObject({ status: 503 });
  });

  // contract 7.4
  test('is followed through as many redirects as are allowed', async () => {
    answer = (request, response) => {
      const hop = Number(request.url?.slice(1));
      if (hop < 3) response.writeHead(302, { location: `/${hop + 1}` }).end();
      else response.end('arrived');
    };
    expect(String(await source.fetch(at('/0')))).toBe('arrived');
  });

  const UMLAUT = Buffer.from('/bilder/täsche 手.jpg?größe=1').toString('latin1');

  // contract 7.20
  test.each([
    ['in raw UTF-8', UMLAUT, '/bilder/t%C3%A4sche%20%E6%89%8B.jpg?gr%C3%B6%C3%9Fe=1'],
    ['in bytes that are no UTF-8', '/t\xe4sche.jpg?gr\xf6', '/t%E4sche.jpg?gr%F6'],
    ['with percent-encoding, which stays', '/t%C3%A4sche%2Fa.jpg', '/t%C3%A4sche%2Fa.jpg'],
    ['with spaces', '/a b.jpg?c d', '/a%20b.jpg?c%20d'],
    ['beside the page', 'beside.jpg', '/album/beside.jpg'],
    ['above the page', '../up.jpg', '/up.jpg'],
    ['of a query alone', '?size=2', '/album/photo?size=2'],
    ['with a fragment', '/whole.jpg#part', '/whole.jpg'],
    ['with backslashes', '\\up\\down.jpg', '/up/down.jpg'],
    ['with a scheme and no host', 'http:down.jpg', '/album/down.jpg'],
    ['without a scheme', '//HOST/photo.jpg', '/photo.jpg'],
    ['with a scheme in capitals', 'HTTP://HOST/photo.jpg', '/photo.jpg'],
    ['between white space', ' \t/photo.jpg \t', '/photo.jpg'],
  ])('is followed to an address %s', async (_case, location, seen) => {
    const asked: (string | undefined)[] = [];
    answer = (request, response) => {
      asked.push(request.url);
      if (asked.length === 1) response.writeHead(302, { location: location.replace('HOST', address) }).end();
      else response.end('arrived');
    };
    expect(String(await source.fetch(at('/album/photo')))).toBe('arrived');
    expect(asked).toEqual(['/album/photo', seen]);
  });

  test('is fetched from an address inside only where that is allowed as it is written', async () => {
    const localhost = new URL(`http://${address.replace('127.0.0.1', 'localhost')}/`);
    expect(await reasonOf(localhost)).toBe('url_blocked');
  });
});

// contract 7.6
describe('A photo that comes in a content coding', () => {
  const photo = Buffer.from(Array.from({ length: BYTES_MAX }, (_, index) => (index * index) % 251));
  const same = (bytes: Buffer) => bytes;
  const cut = (bytes: Buffer) => bytes.subarray(0, 200);
  const sent = (bytes: Buffer, coding: string | string[]): RequestListener => {
    return (_request, response) => response.setHeader('Content-Encoding', coding).end(bytes);
  };

  test.each<[string, string | string[], (bytes: Buffer) => Buffer]>([
    ['gzip', 'gzip', gzipSync],
    ['gzip under its old name, in capitals', 'X-GZIP', gzipSync],
    ['br', 'br', brotliCompressSync],
    ['deflate', 'deflate', deflateSync],
    ['deflate without the header of zlib', 'deflate', deflateRawSync],
    ['two, of which the last was put on last', 'br, gzip', (bytes) => gzipSync(brotliCompressSync(bytes))],
    ['two in two headers', ['gzip', 'deflate'], (bytes) => deflateSync(gzipSync(bytes))],
    ['none, said as identity', 'identity', same],
  ])('is decoded, and too large when it unfolds beyond the limit: %s', async (_name, coding, encode) => {
    answer = sent(encode(photo), coding);
    expect(await source.fetch(at())).toEqual(photo);
    answer = sent(encode(Buffer.alloc(BYTES_MAX + 1)), coding);
    expect(await reasonOf(at())).toBe('image_too_large');
  });

  test('is image_too_large as soon as a bomb passes the limit: its damaged end is not reached', async () => {
    const bomb = gzipSync(Buffer.alloc(4_000_000));
    answer = sent(bomb.subarray(0, bomb.length / 2), 'gzip');
    expect(await reasonOf(at())).toBe('image_too_large');
  });

  test.each<[string, string, (bytes: Buffer) => Buffer]>([
    ['a coding that nobody knows', 'zstd', same],
    ['one among others', 'gzip, snappy', gzipSync],
    ['the name of something that every object has', 'constructor', same],
    ['bytes that are not so coded', 'gzip', same],
    ['bytes that end too early', 'gzip', (bytes) => cut(gzipSync(bytes))],
    ['bytes of br that end too early', 'br', (bytes) => cut(brotliCompressSync(bytes))],
    ['codings without end', Array(50).fill('gzip').join(), gzipSync],
  ])('is image_undecodable with %s', async (_name, coding, encode) => {
    answer = sent(encode(photo), coding);
    expect(await reasonOf(at())).toBe('image_undecodable');
  });
});
