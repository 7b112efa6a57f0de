import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import sharp from 'sharp';
import { percentile } from '../../scripts/lab/bench/table';
import { photoOfProduct } from '../../scripts/lab/generator/generate-bundle';
import { ApiClient } from '../support/api-client';
import { type ServedService, serve } from './served-service';

/** Loads by callers with a key or without one, on a process with a heap of 512 MB, beside the calls of another account. */
jest.setTimeout(400_000);

let service: ServedService;
let other: ApiClient;

beforeAll(async () => {
  service = await serve({
    settings: {
      NODE_OPTIONS: '--max-old-space-size=512',
      LOG_LEVEL: 'fatal',
      VISION_CONCURRENCY: '16',
      // Longer than any test takes.
      STOP_TIMEOUT_MS: '600000',
    },
    furtherVariants: 150,
  });
  other = new ApiClient(service.url, await service.openAccount(1000));
}, 300_000);
afterAll(() => service.stop(), 60_000);

/** Another account's calls, one after the other while a load runs; all of them succeed. */
async function beside<Result>(
  load: Promise<Result>,
  call: () => Promise<{ status: number }>,
): Promise<Result> {
  let isOver = false;
  const ended = load.finally(() => {
    isOver = true;
  });
  const calls: { status: number; ms: number }[] = [];
  do {
    const started = performance.now();
    const { status } = await call();
    calls.push({ status, ms: performance.now() - started });
  } while (!isOver);
  const [median, longest] = [0.5, 1].map((share) =>
    Math.round(
      percentile(
        calls.map(({ ms }) => ms),
        share,
      ),
    ),
  );
  process.stderr.write(
    `${expect.getState().currentTestName}: ${calls.length} calls beside it, ${median} ms, at most ${longest}\n`,
  );
  expect(new Set(calls.map(({ status }) => status))).toEqual(new Set([200]));
  expect(service.api.exitCode).toBeNull();
  return ended;
}

const REQUEST = 'GET /v3/account HTTP/1.1\r\nHost: x\r\n\r\n';
const SENT_BYTES = 10_000_000;

/** Sends requests one after the other without reading between them; resolves once the connection has ended. */
async function sendAhead(request: string, bytes: number): Promise<void> {
  const { hostname, port } = new URL(service.url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined).resume();
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  socket.end(request.repeat(bytes / request.length));
  await closed;
}

// contract 12.7, 12.8
test('requests that callers without a key send ahead cost their connections, not the process', async () => {
  const load = Promise.all(Array.from({ length: 20 }, () => sendAhead(REQUEST, SENT_BYTES)));
  await beside(load, () => other.query({ page_size: 1 }));
  await beside(sendAhead('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n', SENT_BYTES), () =>
    fetch(`${service.url}/healthz`),
  );
});

/** A page of all products, of about 2 MB. */
const LARGE_PAGE = { page_size: 24 };
const PAGE_BYTES = 1_500_000;

/** Makes a call and forgets its answer as it comes: its status, and how many bytes came. */
async function forgotten(
  key: string,
  path: string,
  init: RequestInit = {},
): Promise<{ status: number; bytes: number }> {
  const headers = {
    ...init.headers,
    Authorization: `Bearer ${key}`,
    'Content-Type': 'application/json',
    'Accept-Encoding': 'identity',
  };
  const answer = await fetch(`${service.url}${path}`, { ...init, headers });
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
  const key = await service.openAccount(10_000);
  const stranger = await service.openAccount(10_000);
  const page = (by = key) =>
    forgotten(by, '/v3/catalog/query', {
      method: 'POST',
      body: JSON.stringify(LARGE_PAGE),
      headers: { 'Idempotency-Key': 'same' },
    });
  expectWhole([await page(), await page(stranger)], PAGE_BYTES);
  const deaf = await Promise.all(
    Array.from({ length: 100 }, () => ask(stranger, JSON.stringify(LARGE_PAGE))),
  );
  const load = Promise.all(Array.from({ length: 200 }, () => page()));
  expectWhole(await beside(load, () => other.query({ page_size: 1 })), PAGE_BYTES);
  for (const socket of deaf) socket.destroy();
});

/** Asks for a large page under the same name, and reads nothing. */
async function ask(key: string, body: string): Promise<Socket> {
  const { hostname, port } = new URL(service.url);
  const socket = connect(Number(port), hostname)
    .on('error', () => undefined)
    .pause();
  const head = [
    'POST /v3/catalog/query HTTP/1.1',
    'Host: x',
    `Authorization: Bearer ${key}`,
    'Idempotency-Key: same',
  ];
  head.push('Content-Type: application/json', `Content-Length: ${body.length}`, '', body);
  await new Promise<void>((resolve) => socket.write(head.join('\r\n'), () => resolve()));
  return socket;
}

// contract 12.7, 16.2
test('a job with answers of tens of megabytes is shown to many at once', async () => {
  const key = await service.openAccount(10_000);
  const base64 = (await smallPhoto()).toString('base64');
  const made = await fetch(`${service.url}/v3/vision/jobs`, {
    method: 'POST',
    body: JSON.stringify({ entries: Array.from({ length: ENTRIES }, () => ({ base64 })) }),
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
  });
  const { id } = (await made.json()) as { id: string };
  const show = () => forgotten(key, `/v3/vision/jobs/${id}`);
  const finished = async () => {
    const metrics = await (await fetch(`${service.url}/metrics`)).text();
    return ['waiting', 'running'].every((state) =>
      metrics.includes(`loupe_vision_job_entries{state="${state}"} 0`),
    );
  };
  while (!(await finished()));
  const shown = await show();
  expect(shown.bytes).toBeGreaterThan(ENTRIES * ENTRY_BYTES);
  const load = Promise.all(Array.from({ length: 10 }, show));
  expectWhole(await beside(load, () => other.query({ page_size: 1 })), ENTRIES * ENTRY_BYTES);
});

const ENTRIES = 40;
const ENTRY_BYTES = 400_000;

const smallPhoto = () => photoOfProduct({ seed: 11, index: 3, photoSeed: 1, level: 1, size: 320 });

/** A picture of 49 megapixels in few bytes. */
const largePicture = (): Promise<Buffer> =>
  sharp({ create: { width: 7000, height: 7000, channels: 3, background: '#a0522d' } })
    .jpeg({ quality: 80 })
    .toBuffer();

// contract 7.7, 9.5
test('large pictures of some keys leave the photos of others alone', async () => {
  const base64 = (await largePicture()).toString('base64');
  const body = { images: Array.from({ length: 5 }, () => ({ base64 })) };
  const flood = async (): Promise<number[]> => {
    const key = await service.openAccount(1000);
    const api = new ApiClient(service.url, key);
    const answers = await Promise.all(Array.from({ length: 16 }, () => api.identify(body)));
    return answers.map(({ status }) => status);
  };
  const photo = { base64: (await smallPhoto()).toString('base64') };
  const statuses = (await beside(Promise.all([flood(), flood()]), () => other.identify(photo))).flat();
  expect(statuses.filter((status) => ![200, 429, 503, 504].includes(status))).toEqual([]);
});

// contract 12.8
test('SIGTERM ends the process while callers go on to send one request after the other', async () => {
  const { hostname, port } = new URL(service.url);
  const request = 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n';
  const flood = Array.from({ length: 20 }, () => {
    const socket = connect(Number(port), hostname).on('error', () => undefined);
    return socket.on('data', () => socket.write(request));
  });
  for (const socket of flood) socket.write(request.repeat(8));
  await Promise.all(flood.map((socket) => once(socket, 'data')));
  await service.stop();
  expect(service.api.exitCode).toBe(0);
});
