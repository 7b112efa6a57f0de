import { get } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { unavailable } from '../../models/errors';
import { PORTS } from '../../models/ports';
import { StoreFault } from '../../models/store-fault';
import { rawAnswer } from '../support/interrupted-calls';
import { useService } from '../support/service';

/** contract 12.3, 12.4, 13.5, 13.11, 13.12: answers and pictures as they are on the wire. */
const CDN = 'https://cdn.example/shop';
const service = useService({ IMAGE_BASE_URL: CDN, PUBLIC_URL: 'https://shop.example' });
const PLAIN = { br: brotliDecompressSync, gzip: gunzipSync, identity: (bytes: Buffer) => bytes };

function send(
  path: string,
  more: Record<string, string> = {},
  body?: object,
  method = body ? 'POST' : 'GET',
) {
  const own = { authorization: `Bearer ${service.key.key}`, 'content-type': 'application/json' };
  const options = { method, headers: { ...own, ...more } };
  return rawAnswer(service.url + path, options, body && JSON.stringify(body));
}

const query = (
  headers: Record<string, string>,
  body: object = { page_size: 20, includes: ['taxonomy', 'pricing'] },
) => send('/v3/catalog/query', headers, body);
const withoutLinks = (json: Buffer) => json.toString('utf8').replace(/(expires|signature|key)=[^&"]*/g, '');

describe('an answer', () => {
  // contract 12.3, 12.4
  test.each([
    ['br', 'br'],
    ['gzip', 'gzip'],
    ['gzip, deflate, br', 'br'],
    ['br;q=0.1, gzip', 'gzip'],
    ['*', 'br'],
    ['compress', 'identity'],
    ['br;q=0, gzip;q=0', 'identity'],
  ] as const)(
    'to anyone who accepts "%s" is in %s, with the same content and credits',
    async (accepted, coding) => {
      const plain = await query({});
      const { headers, bytes } = await query({ 'accept-encoding': accepted });
      expect(plain.headers['content-encoding']).toBeUndefined();
      expect(headers['content-encoding'] ?? 'identity').toBe(coding);
      expect(headers.vary).toContain('Accept-Encoding');
      expect(withoutLinks(PLAIN[coding](bytes))).toBe(withoutLinks(plain.bytes));
      expect([headers['x-credits-used'], headers.etag]).toEqual([plain.headers['x-credits-used'], undefined]);
      if (coding !== 'identity') expect(bytes.length).toBeLessThan(plain.bytes.length / 3);
    },
  );

  // contract 12.4
  test('of under 1 KiB is not compressed, and HEAD has the headers of an answer and no body', async () => {
    const small = await query({ 'accept-encoding': 'br' }, { query: 'nothing of this name' });
    expect(small.bytes.length).toBeLessThan(1024);
    expect(small.headers['content-encoding']).toBeUndefined();
    const path = '/v3/catalog/items/product_birkin_croc?includes=taxonomy,pricing';
    const head = await send(path, { 'accept-encoding': 'br' }, undefined, 'HEAD');
    const vary = expect.stringContaining('Accept-Encoding');
    expect([head.status, head.bytes.length, head.headers.vary]).toEqual([200, 0, vary]);
  });

  test('that is a data file is compressed as it streams', async () => {
    const { variants } = await service.row('product_birkin_croc', 'pricing');
    const { pathname, search } = new URL(variants?.[0]?.pricing?.pricing_data?.[0]?.url ?? '');
    const csv = await send(pathname + search, { 'accept-encoding': 'gzip' });
    expect(gunzipSync(csv.bytes).toString('utf8')).toMatch(/^link,variant_name,/);
  });
});

describe('a picture', () => {
  const images = () => service.resolve(PORTS.ImageStore);
  const picture = async () =>
    new URL((await service.row('product_birkin_croc', '')).images[0] ?? '').pathname.replace('/shop', '');
  const opens = (bytes: number, content: () => AsyncGenerator<Buffer>) =>
    jest.spyOn(images(), 'open').mockResolvedValueOnce({ bytes, content: content() });

  // contract 13.11
  test('has an address below IMAGE_BASE_URL in every version, a price file below PUBLIC_URL', async () => {
    const row = await service.row('product_birkin_croc', 'pricing');
    expect(row.images).toEqual([expect.stringMatching(new RegExp(`^${CDN}/images/[0-9a-f]{64}\\.png$`))]);
    expect(row.thumbnails).toEqual([expect.stringContaining(`${CDN}/images/`)]);
    expect(JSON.stringify(row.variants)).toContain('https://shop.example/files/pricing_data/');
    const { text } = await service.api.v2({ search: 'birkin croc' });
    expect([text.includes(`${CDN}/images/`), text.includes('shop.example/images/')]).toEqual([true, false]);
  });

  // contract 13.5, 13.11, 12.3
  test('is served byte for byte, for ever, runs nothing, and is not sent again to a caller who has it', async () => {
    const path = await picture();
    const stored = (await images().get(path)) ?? Buffer.of();
    const { headers, bytes } = await send(path, { 'accept-encoding': 'gzip, br' });
    expect(bytes.equals(stored)).toBe(true);
    expect(headers).toMatchObject({
      ...{ 'content-type': 'image/png', 'content-length': String(stored.length) },
      'cache-control': 'public, max-age=31536000, immutable',
      'content-security-policy': expect.stringContaining('sandbox'),
    });
    expect(headers['content-encoding']).toBeUndefined();
    const head = await send(path, {}, undefined, 'HEAD');
    expect(head.headers['content-length']).toBe(String(stored.length));
    expect((await send(path, { 'If-None-Match': headers.etag ?? '' })).status).toBe(304);
  });

  test('is read no further when its caller disconnects, and one that breaks off is not a complete answer', async () => {
    const path = await picture();
    const ended = new Promise<void>((resolve) => {
      opens(1_000_000_000, async function* () {
        try {
          for (;;) yield Buffer.alloc(65_536);
        } finally {
          resolve();
        }
      });
    });
    get(`${service.url}${path}`, (answer) => answer.once('data', () => answer.destroy()));
    await ended;
    opens(100, async function* () {
      yield Buffer.alloc(50);
      throw new Error('the bucket went away');
    });
    await expect(send(path)).rejects.toThrow();
  });

  // contract 13.12, 14.4
  test('is a 503 while its store is away; /readyz is 200 with a warning, and the catalog is answered', async () => {
    const path = await picture();
    const fault = new StoreFault('it is away', true);
    jest.spyOn(images(), 'open').mockRejectedValue(unavailable('Images cannot be read now.', 60, fault));
    jest.spyOn(images(), 'check').mockRejectedValue(fault);
    const { anybody } = service;
    expect(await anybody.send('GET', path)).toMatchObject({ status: 503, body: { error: 'unavailable' } });
    const degraded = {
      status: 'degraded',
      checks: { images: 'failed', storage: 'ok' },
      warnings: ['images'],
    };
    expect(await anybody.send('GET', '/readyz')).toMatchObject({ status: 200, body: degraded });
    expect((await service.api.query({ query: 'birkin' })).status).toBe(200);
  });
});
