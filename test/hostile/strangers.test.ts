import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import sharp from 'sharp';
import { photoOfProduct } from '../../scripts/lab/generator/generate-bundle';
import { ApiClient } from '../support/api-client';
import { type ServedService, serve } from './served-service';

/** Loads by callers with a key or without one, on a process with a heap of 256 MB, beside the calls of another account. */
jest.setTimeout(400_000);

const FURTHER_VARIANTS = 600;
/** A page of six products. */
const PAGE_BYTES = 6 * FURTHER_VARIANTS * 400;
let service: ServedService;
let other: ApiClient;

beforeAll(async () => {
  service = await serve({
    settings: {
      NODE_OPTIONS: '--max-old-space-size=256',
      LOG_LEVEL: 'fatal',
      VISION_CONCURRENCY: '16',
      // Longer than any test takes.
      STOP_TIMEOUT_MS: '600000',
    },
    furtherVariants: FURTHER_VARIANTS,
  });
  other = new ApiClient(service.url, await service.openAccount(1000));
}, 300_000);
afterAll(() => service.stop(), 60_000);

/** Another account's calls, one after the other while a load runs; all of them succeed. */
async function beside<Result>(
  load: Promise<Result>,
  call: () => Promise<{ status: number }> = () => other.query({ page_size: 1 }),
): Promise<Result> {
  let isOver = false;
  const ended = load.finally(() => {
    isOver = true;
  });
  do expect((await call()).status).toBe(200);
  while (!isOver);
  expect(service.api.exitCode).toBeNull();
  return ended;
}

function opened(): Socket {
  const { hostname, port } = new URL(service.url);
  return connect(Number(port), hostname).on('error', () => undefined);
}

const requestOf = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
const SENT_BYTES = 10_000_000;

/** Sends requests one after the other without reading between them; resolves once the connection has ended. */
async function sendAhead(path: string): Promise<void> {
  const socket = opened().resume();
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  socket.end(requestOf(path).repeat(SENT_BYTES / requestOf(path).length));
  await closed;
}

// contract 12.7, 12.8
test('requests that callers without a key send ahead cost their connections, not the process', async () => {
  await beside(Promise.all(Array.from({ length: 20 }, () => sendAhead('/v3/account'))));
  await beside(sendAhead('/healthz'), () => fetch(`${service.url}/healthz`));
});

/** Makes a call and forgets its answer as it comes: its status, and how many bytes came. */
async function forgotten(key: string, path: string, init: RequestInit = {}) {
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
  const answer = await fetch(`${service.url}${path}`, {
    ...init,
    headers: { ...init.headers, ...headers, 'Accept-Encoding': 'identity' },
  });
  let bytes = 0;
  for await (const chunk of answer.body ?? []) bytes += chunk.length;
  return { status: answer.status, bytes };
}

/** What was answered, and all of it: or a call was turned away. */
function expectWhole(answers: readonly { status: number; bytes: number }[], bytes: number): void {
  const statuses = answers.map(({ status }) => status);
  expect(statuses.filter((status) => ![200, 503].includes(status))).toEqual([]);
  expect(statuses).toContain(200);
  for (const answer of answers) if (answer.status === 200) expect(answer.bytes).toBeGreaterThan(bytes);
}

// contract 12.7
test('large answers that are kept are repeated to many at once, also to such as never read them', async () => {
  const [key, stranger] = [await service.openAccount(10_000), await service.openAccount(10_000)];
  const body = JSON.stringify({ page_size: 6 });
  const page = (by = key) =>
    forgotten(by, '/v3/catalog/query', { method: 'POST', body, headers: { 'Idempotency-Key': 'same' } });
  expectWhole([await page(), await page(stranger)], PAGE_BYTES);
  const head = ['POST /v3/catalog/query HTTP/1.1', 'Host: x', `Authorization: Bearer ${stranger}`];
  head.push('Idempotency-Key: same', 'Content-Type: application/json', `Content-Length: ${body.length}`);
  const deaf = await Promise.all(
    Array.from({ length: 50 }, async () => {
      const socket = opened().pause();
      await new Promise<void>((sent) => socket.write([...head, '', body].join('\r\n'), () => sent()));
      return socket;
    }),
  );
  expectWhole(await beside(Promise.all(Array.from({ length: 100 }, () => page()))), PAGE_BYTES);
  for (const socket of deaf) socket.destroy();
});

const ENTRIES = 10;

// contract 12.7, 16.2
test('a job with answers of tens of megabytes is shown to many at once', async () => {
  const key = await service.openAccount(10_000);
  const entries = Array(ENTRIES).fill({ base64: (await smallPhoto()).toString('base64') });
  const { id } = (await new ApiClient(service.url, key).createJob({ entries })).body;
  const isDone = async () => {
    const metrics = await (await fetch(`${service.url}/metrics`)).text();
    return ['waiting', 'running'].every((state) =>
      metrics.includes(`loupe_vision_job_entries{state="${state}"} 0`),
    );
  };
  while (!(await isDone())) await delay(50);
  const shown = await beside(
    Promise.all(Array.from({ length: 10 }, () => forgotten(key, `/v3/vision/jobs/${id}`))),
  );
  // An answer has ten rows or so.
  expectWhole(shown, ENTRIES * PAGE_BYTES);
});

const smallPhoto = () => photoOfProduct({ seed: 11, index: 3, photoSeed: 1, level: 1, size: 320 });

// contract 7.7, 9.5
test('large pictures of some keys leave the photos of others alone', async () => {
  // 49 megapixels in few bytes.
  const picture = sharp({ create: { width: 7000, height: 7000, channels: 3, background: '#a0522d' } });
  const base64 = (await picture.jpeg().toBuffer()).toString('base64');
  const flood = async (): Promise<number[]> => {
    const api = new ApiClient(service.url, await service.openAccount(1000));
    const images = Array(5).fill({ base64 });
    const answers = await Promise.all(Array.from({ length: 16 }, () => api.identify({ images })));
    return answers.map(({ status }) => status);
  };
  const photo = { base64: (await smallPhoto()).toString('base64') };
  const statuses = (await beside(Promise.all([flood(), flood()]), () => other.identify(photo))).flat();
  expect(statuses.filter((status) => ![200, 429, 503, 504].includes(status))).toEqual([]);
});

// contract 12.8
test('SIGTERM ends the process while callers go on to send one request after the other', async () => {
  const flood = Array.from({ length: 20 }, () => {
    const socket = opened();
    return socket.on('data', () => socket.write(requestOf('/healthz')));
  });
  for (const socket of flood) socket.write(requestOf('/healthz').repeat(8));
  await Promise.all(flood.map((socket) => once(socket, 'data')));
  await service.stop();
  expect(service.api.exitCode).toBe(0);
});
