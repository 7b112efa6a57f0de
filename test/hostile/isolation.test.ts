import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import sharp from 'sharp';
import { generateBundle, photoOfProduct } from '../../scripts/lab/generator/generate-bundle';
import type { ServiceProcess } from '../../scripts/lab/service-processes';
import { ApiClient } from '../support/api-client';
import { newInstallation, type RunningInstallation, runInstallation } from '../support/installation';
import { sendRaw } from '../support/interrupted-calls';
import { openAccount } from '../support/open-account';

/** Loads by callers with a key or without one, on a process with a heap of 128 MB, beside the calls of another account. */

const FURTHER_VARIANTS = 150;
const FIELDS = 64;
/** A page of three products. */
const PAGE_BYTES = 3 * FURTHER_VARIANTS * FIELDS * 50;
const SEED = 11;

let running: RunningInstallation;
let service: ServiceProcess;
let other: ApiClient;

const newKey = async (credits: number) => (await openAccount(running.knex, { credits })).key;

beforeAll(async () => {
  const settings = { RATE_PER_SECOND: '0', CONFIDENCE_FLOOR: '0', VISION_CONCURRENCY: '16' };
  const more = {
    NODE_OPTIONS: '--max-old-space-size=128',
    LOG_LEVEL: 'fatal',
    // Longer than any test takes.
    STOP_TIMEOUT_MS: '600000',
  };
  running = await runInstallation(await newInstallation(settings), { more });
  [service] = running.processes as [ServiceProcess];
  const bundle = join(running.folder, 'bundle');
  await generateBundle({ seed: SEED, products: 12, out: bundle, images: true, imageSize: 192 });
  await addVariants(join(bundle, 'products.jsonl'));
  await running.loupe('catalog', 'import', bundle);
  other = new ApiClient(service.url, await newKey(1000));
});
afterAll(() => running?.stop());

/** Each product has further variants, which take four kilobytes each in an answer. */
async function addVariants(file: string): Promise<void> {
  const fields = Array<object>(FIELDS).fill({ field: 'size', name: 'Of a size that takes long to describe' });
  const enlarged = (await readFile(file, 'utf8')).replace(/.+/g, (line) => {
    const { variants, ...product } = JSON.parse(line);
    const ids = Array.from({ length: FURTHER_VARIANTS }, (_, at) => `variant_further_${product.id}_${at}`);
    return JSON.stringify({ ...product, variants: [...variants, ...ids.map((id) => ({ id, fields }))] });
  });
  await writeFile(file, enlarged);
}

/** Another account's calls, one after the other with a pause while a load runs; all of them succeed. */
async function beside<Result>(
  load: Promise<Result>,
  call: () => Promise<{ status: number }> = () => other.query({ page_size: 1 }),
): Promise<Result> {
  let isOver = false;
  const ended = load.finally(() => {
    isOver = true;
  });
  while (!isOver) {
    expect((await call()).status).toBe(200);
    await delay(50);
  }
  expect(service.process.exitCode).toBeNull();
  return ended;
}

const requestOf = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
const SENT_BYTES = 10_000_000;

/** Sends requests one after the other without reading between them; resolves once the connection has ended. */
async function sendAhead(path: string): Promise<void> {
  const socket = (await sendRaw(service.url, '')).resume();
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.end(requestOf(path).repeat(SENT_BYTES / requestOf(path).length));
  await closed;
}

// contract 12.7, 12.8
test('pipelined requests without a key cost their callers the connection, not the process', async () => {
  await beside(Promise.all(Array.from({ length: 20 }, () => sendAhead('/v3/account'))));
  await beside(sendAhead('/healthz'), () => fetch(`${service.url}/healthz`));
});

/** Makes a call and discards its answer as it arrives: its status, and how many bytes arrived. */
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

function expectWhole(answers: readonly { status: number; bytes: number }[], bytes: number): void {
  const statuses = answers.map(({ status }) => status);
  expect(statuses.filter((status) => ![200, 503].includes(status))).toEqual([]);
  expect(statuses).toContain(200);
  for (const answer of answers) if (answer.status === 200) expect(answer.bytes).toBeGreaterThan(bytes);
}

// contract 12.7
test('large kept answers are repeated to many callers at once, even to those that never read them', async () => {
  const [key, stranger] = [await newKey(10_000), await newKey(10_000)];
  const body = JSON.stringify({ page_size: 3 });
  const page = (by = key) =>
    forgotten(by, '/v3/catalog/query', { method: 'POST', body, headers: { 'Idempotency-Key': 'same' } });
  expectWhole([await page(), await page(stranger)], PAGE_BYTES);
  const head = ['POST /v3/catalog/query HTTP/1.1', 'Host: x', `Authorization: Bearer ${stranger}`];
  head.push('Idempotency-Key: same', 'Content-Type: application/json', `Content-Length: ${body.length}`);
  const deaf = await Promise.all(
    Array.from({ length: 40 }, () => sendRaw(service.url, [...head, '', body].join('\r\n'))),
  );
  expectWhole(await beside(Promise.all(Array.from({ length: 50 }, () => page()))), PAGE_BYTES);
  for (const socket of deaf) socket.destroy();
});

const ENTRIES = 3;

// contract 12.7, 16.2
test('a job with answers of tens of megabytes is shown to many at once', async () => {
  const key = await newKey(10_000);
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
  expectWhole(shown, ENTRIES * 3 * PAGE_BYTES);
});

const smallPhoto = () => photoOfProduct({ seed: SEED, index: 3, photoSeed: 1, size: 320 });

// contract 7.7, 9.5
test('large pictures of some keys do not affect the photos of others', async () => {
  // 49 megapixels in few bytes.
  const picture = sharp({ create: { width: 7000, height: 7000, channels: 3, background: '#a0522d' } });
  const base64 = (await picture.jpeg().toBuffer()).toString('base64');
  const flood = async (): Promise<number[]> => {
    const api = new ApiClient(service.url, await newKey(1000));
    const images = Array(5).fill({ base64 });
    const answers = await Promise.all(Array.from({ length: 8 }, () => api.identify({ images })));
    return answers.map(({ status }) => status);
  };
  const photo = { base64: (await smallPhoto()).toString('base64') };
  const statuses = (await beside(Promise.all([flood(), flood()]), () => other.identify(photo))).flat();
  expect(statuses.filter((status) => ![200, 429, 503, 504].includes(status))).toEqual([]);
});

// contract 12.8
test('SIGTERM ends the process while callers keep sending requests', async () => {
  await Promise.all(
    Array.from({ length: 20 }, async () => {
      const socket = await sendRaw(service.url, requestOf('/healthz').repeat(8));
      socket.on('data', () => socket.write(requestOf('/healthz')));
      await once(socket, 'data');
    }),
  );
  await service.stop();
  expect(service.process.exitCode).toBe(0);
});
