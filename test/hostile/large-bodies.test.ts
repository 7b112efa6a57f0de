import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { useService } from '../support/service';

/** The memory for bodies is shared by what has come of them: no upload, however slow, shuts out those of others. */
const IMAGE_BYTES_MAX = 2_400_000;
const service = useService({
  IMAGE_BYTES_MAX: String(IMAGE_BYTES_MAX),
  VISION_DEADLINE_MS: '6000',
  BODY_MEMORY_MIB: '14',
});
const uploads: Socket[] = [];

beforeEach(() => service.sees(['product_birkin_croc', 0.05]));
afterEach(() => {
  for (const upload of uploads.splice(0)) upload.destroy();
});

/** A caller that sends the begin of a large photo, and then nothing. */
async function stalledUpload(key: string, length: string, sent: number): Promise<Socket> {
  const { hostname, port } = new URL(service.url);
  const socket = connect(Number(port), hostname);
  uploads.push(socket);
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  const head = ['POST /v3/vision/identify HTTP/1.1', `Host: ${hostname}`, `Authorization: Bearer ${key}`];
  socket.write([...head, 'Content-Type: application/json', length, '', ''].join('\r\n'));
  const begin = `{"base64":"${'A'.repeat(sent)}`;
  socket.write(length.startsWith('Content') ? begin : `${begin.length.toString(16)}\r\n${begin}\r\n`);
  return socket;
}

/** Readers ignore what follows the end of a PNG. */
const largePhoto = async (): Promise<object> => {
  const photo = service.photoBytes;
  return { base64: Buffer.concat([photo, Buffer.alloc(2_000_000)]).toString('base64') };
};

test.each([
  ['announce what they never send', `Content-Length: ${IMAGE_BYTES_MAX}`, 0],
  ['stop halfway', `Content-Length: ${IMAGE_BYTES_MAX}`, 1_500_000],
  ['do not say how long they are', 'Transfer-Encoding: chunked', 1_500_000],
])('sixteen uploads of one key that %s leave the photos of others alone', async (_how, length, sent) => {
  const { key } = await service.newKey();
  await Promise.all(Array.from({ length: 16 }, () => stalledUpload(key, length, sent)));
  const body = await largePhoto();
  const other = (await service.newKey()).api;
  expect((await other.identify(body)).status).toBe(200);
  expect((await service.api.identify(body)).status).toBe(200);
});

// contract 12.7
test('many large photos at once are all answered', async () => {
  const body = await largePhoto();
  const answers = await Promise.all(Array.from({ length: 8 }, () => service.api.identify(body)));
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
});

test.each([
  ['in pieces, without a length', (body: Buffer) => ({ body: piecesOf(body), headers: {} })],
  ['as gzip', (body: Buffer) => ({ body: gzipSync(body), headers: { 'Content-Encoding': 'gzip' } })],
])('a photo that comes %s is read like any other', async (_how, sent) => {
  const { body, headers } = sent(Buffer.from(JSON.stringify(await largePhoto())));
  const answer = await fetch(`${service.url}/v3/vision/identify`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${service.key.key}`,
      'Content-Type': 'application/json',
      ...headers,
    },
    body,
    duplex: 'half',
  } as RequestInit);
  expect(answer.status).toBe(200);
});

function piecesOf(body: Buffer): ReadableStream {
  const pieces = Array.from({ length: 40 }, (_, at) =>
    body.subarray(Math.floor((at * body.length) / 40), Math.floor(((at + 1) * body.length) / 40)),
  );
  return Readable.toWeb(Readable.from(pieces)) as ReadableStream;
}

test('a body that is larger than allowed is refused in pieces and inflated as it is with its length', async () => {
  const body = Buffer.alloc(4_000_000, 'A');
  for (const [sent, coding] of [
    [body, 'identity'],
    [piecesOf(body), 'identity'],
    [gzipSync(body), 'gzip'],
  ] as const) {
    const answer = await fetch(`${service.url}/v3/vision/identify`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${service.key.key}`,
        'Content-Type': 'application/json',
        ...(coding === 'gzip' ? { 'Content-Encoding': coding } : {}),
      },
      body: sent,
      duplex: 'half',
    } as RequestInit);
    expect([coding, answer.status]).toEqual([coding, 413]);
  }
});
