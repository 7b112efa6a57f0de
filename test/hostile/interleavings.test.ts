import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { json } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { Random } from '../../models/random';
import { processEnvironment } from '../../scripts/config';
import { type TestKey, useService } from '../support/service';

/**
 * Bursts of large pages, slow bodies and callers that hang up, in any order, with hardly any memory to share.
 * `INTERLEAVING_SECONDS=60` plays for a minute, `INTERLEAVING_SEED` another game.
 */
const { INTERLEAVING_SECONDS = '1', INTERLEAVING_SEED = '16' } = processEnvironment();
const CALLERS = 12;
const service = useService({
  ANSWER_MEMORY_MIB: '1',
  BODY_MEMORY_MIB: '1',
  UPLOAD_BYTES_PER_SECOND_MIN: '1000',
});
const PAGE = { page_size: 100, includes: ['taxonomy', 'pricing'] };

beforeEach(() => service.sees(['product_birkin_croc', 0.05]));

function open(key: TestKey, path: string, length: number): ClientRequest {
  const call = request(service.url + path, {
    method: 'POST',
    agent: false,
    headers: {
      authorization: `Bearer ${key.key}`,
      'content-type': 'application/json',
      'content-length': length,
    },
  });
  call.on('error', () => undefined);
  return call;
}

/** Reads the answer to its end, and says what it was charged. */
async function answered(key: TestKey, path: string, body: object): Promise<number> {
  const text = JSON.stringify(body);
  const call = open(key, path, Buffer.byteLength(text));
  call.end(text);
  const [answer] = (await once(call, 'response')) as [IncomingMessage];
  const content = (await json(answer)) as { success: boolean };
  const { statusCode = 0, headers } = answer;
  expect([200, 429, 503, 504]).toContain(statusCode);
  expect(content.success).toBe(statusCode === 200);
  if (statusCode === 429 || statusCode === 503) expect(Number(headers['retry-after'])).toBeGreaterThan(0);
  return Number(headers['x-credits-used']);
}

/** Sends a call and is gone a little later: before, during or after its answer. */
async function hangUp(key: TestKey, body: object, afterMs: number): Promise<number> {
  const text = JSON.stringify(body);
  const call = open(key, '/v3/catalog/query', Buffer.byteLength(text));
  call.end(text);
  await delay(afterMs);
  call.destroy();
  return 0;
}

/** Announces a large body, sends a part of it, and leaves. */
async function stall(key: TestKey, bytes: number, afterMs: number): Promise<number> {
  const call = open(key, '/v3/vision/identify', 300_000);
  call.write('{"base64":"'.padEnd(bytes, 'A'));
  await delay(afterMs);
  call.destroy();
  return 0;
}

test('a burst of large pages is answered one after the other or turned away, and each is charged once', async () => {
  const key = await service.newKey();
  const used = await Promise.all(Array.from({ length: 30 }, () => answered(key, '/v3/catalog/query', PAGE)));
  expect(used).toContain(6);
  expect(await service.creditsBooked(key.accountId)).toBe(used.reduce((sum, each) => sum + each, 0));
});

test('whatever callers do, the service lives, the ledger holds what was answered, and others are served', async () => {
  const random = new Random(Number(INTERLEAVING_SEED));
  const [patient, gone] = await Promise.all([service.newKey(), service.newKey()]);
  const other = (await service.newKey()).api;
  const photo = service.photo;
  const until = performance.now() + Number(INTERLEAVING_SECONDS) * 1000;
  let charged = 0;
  let played = 0;
  const play = async (): Promise<void> => {
    while (performance.now() < until || played < 5 * CALLERS) {
      played += 1;
      const moves = [
        () => answered(patient, '/v3/catalog/query', PAGE),
        () => answered(patient, '/v2/products', { page_size: 100 }),
        () => answered(patient, '/v3/vision/identify', photo),
        () => hangUp(gone, PAGE, random.integer(0, 60)),
        () => stall(gone, random.integer(1, 250_000), random.integer(0, 120)),
      ];
      const cost = await random.pick(moves)();
      charged += cost;
    }
  };
  const served: number[] = [];
  const playing = Promise.all(Array.from({ length: CALLERS }, play));
  let over = false;
  const watching = playing.finally(() => {
    over = true;
  });
  while (!over) served.push((await other.item('product_birkin_croc')).status);
  await watching;
  expect(new Set(served)).toEqual(new Set([200]));
  expect(await service.creditsBooked(patient.accountId)).toBe(charged);
  expect((await other.query(PAGE)).status).toBe(200);
});
