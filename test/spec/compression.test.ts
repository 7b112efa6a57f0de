import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { useService } from '../support/service';

/** Compressed answers, as they are on the wire. */
const service = useService();
const BODY = { page_size: 20, includes: ['taxonomy', 'pricing'] };
const PLAIN = { br: brotliDecompressSync, gzip: gunzipSync, identity: (bytes: Buffer) => bytes };

interface WireAnswer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly bytes: Buffer;
}

async function send(
  path: string,
  { method = 'GET', body, ...headers }: Record<string, string | undefined> = {},
): Promise<WireAnswer> {
  const call = request(service.url + path, {
    method,
    headers: {
      authorization: `Bearer ${service.key.key}`,
      'content-type': 'application/json',
      ...(headers as Record<string, string>),
    },
  });
  call.end(body);
  const [answer] = (await once(call, 'response')) as [IncomingMessage];
  return { status: answer.statusCode ?? 0, headers: answer.headers, bytes: await buffer(answer) };
}

const query = (headers: Record<string, string>, body: object = BODY) =>
  send('/v3/catalog/query', { method: 'POST', body: JSON.stringify(body), ...headers });

const withoutLinks = (json: Buffer) => json.toString('utf8').replace(/(expires|signature|key)=[^&"]*/g, '');

// contract 12.3, 12.4
test.each([
  ['br', 'br'],
  ['gzip', 'gzip'],
  ['gzip, deflate, br', 'br'],
  ['br;q=0.1, gzip', 'gzip'],
  ['*', 'br'],
  ['identity', 'identity'],
  ['compress', 'identity'],
  ['br;q=0, gzip;q=0', 'identity'],
] as const)('whoever accepts "%s" gets %s, with the same content and credits', async (accepted, coding) => {
  const plain = await query({});
  const answer = await query({ 'accept-encoding': accepted });
  expect(answer.headers['content-encoding'] ?? 'identity').toBe(coding);
  expect(answer.headers.vary).toContain('Accept-Encoding');
  expect(withoutLinks(PLAIN[coding](answer.bytes))).toBe(withoutLinks(plain.bytes));
  expect(answer.headers['x-credits-used']).toBe(plain.headers['x-credits-used']);
  expect(answer.headers.etag).toBeUndefined();
  if (coding !== 'identity') expect(answer.bytes.length).toBeLessThan(plain.bytes.length / 3);
});

test('whoever says nothing gets an answer as it is, and so does whoever asks for little', async () => {
  expect((await query({})).headers['content-encoding']).toBeUndefined();
  const small = await query({ 'accept-encoding': 'br' }, { query: 'nothing of this name' });
  expect(small.bytes.length).toBeLessThan(1024);
  expect(small.headers['content-encoding']).toBeUndefined();
});

test('a repetition under an Idempotency-Key may accept another coding', async () => {
  const key = `once-${Date.now()}`;
  const first = await query({ 'idempotency-key': key, 'accept-encoding': 'gzip' });
  const again = await query({ 'idempotency-key': key, 'accept-encoding': 'br' });
  expect(again.headers).toMatchObject({ 'idempotency-replayed': 'true', 'x-credits-used': '0' });
  expect(withoutLinks(brotliDecompressSync(again.bytes))).toBe(withoutLinks(gunzipSync(first.bytes)));
});

test('HEAD has the headers of an answer and no body', async () => {
  const path = '/v3/catalog/items/product_birkin_croc?includes=taxonomy,pricing';
  const answer = await send(path, { method: 'HEAD', 'accept-encoding': 'br' });
  expect(answer).toMatchObject({
    status: 200,
    headers: { vary: expect.stringContaining('Accept-Encoding') },
  });
  expect(answer.bytes.length).toBe(0);
});

test('a data file is compressed as it streams, a picture is not compressed again', async () => {
  const plain = JSON.parse((await query({})).bytes.toString('utf8'));
  const variants = plain.data.flatMap((row: { variants: object[] }) => row.variants);
  const file = variants.flatMap(
    (each: { pricing: { pricing_data: { url: string }[] | null } }) => each.pricing.pricing_data ?? [],
  )[0];
  const path = new URL(file.url).pathname + new URL(file.url).search;
  const csv = await send(path, { 'accept-encoding': 'gzip' });
  expect(csv.headers['content-encoding']).toBe('gzip');
  expect(gunzipSync(csv.bytes).toString('utf8')).toMatch(/^link,variant_name,/);
  const picture = plain.data.map((row: { images: string[] }) => row.images[0]).find(Boolean);
  expect(picture).toBeDefined();
  const image = await send(new URL(picture).pathname, { 'accept-encoding': 'gzip, br' });
  expect(image.status).toBe(200);
  expect(image.headers['content-encoding']).toBeUndefined();
});
