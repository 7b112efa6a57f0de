import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { json } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { Random } from '../../models/random';
import { processEnvironment } from '../../scripts/config';
import { type TestKey, useService } from '../support/service';

/**
 * Bursts of large pages, slow bodies and callers that hang up, in any order, with hardly any memory to share.
 * `INTERLEAVING_SECONDS=60` goes on for a minute, `INTERLEAVING_SEED` chooses another order.
 */
const { INTERLEAVING_SECONDS = '1', INTERLEAVING_SEED = '16' } = processEnvironment();
const CALLERS = 12;
const service = useService({
  ANSWER_MEMORY_MIB: '1',
  BODY_MEMORY_MIB: '1',
  UPLOAD_BYTES_PER_SECOND_MIN: '1000',
});
const PAGE = { page_size: 100, includes: ['taxonomy', 'pricing'] };
const QUERY = '/v3/catalog/query';

beforeEach(() => service.sees(['product_birkin_croc', 0.05]));

/** Begins a call whose body is announced to have this length. */
function open({ key }: TestKey, path: string, body: string, length = Buffer.byteLength(body)): ClientRequest {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const call = request(service.url + path, {
    ...{ method: 'POST', agent: false },
    headers: { ...headers, 'content-length': length },
  });
  call.on('error', () => undefined).write(body);
  return call;
}

/** Reads the answer to its end; returns the charge. */
async function answered(key: TestKey, path: string, body: object): Promise<number> {
  const call = open(key, path, JSON.stringify(body));
  call.end();
  const [answer] = (await once(call, 'response')) as [IncomingMessage];
  const content = (await json(answer)) as { success: boolean };
  const { statusCode = 0, headers } = answer;
  expect([200, 429, 503, 504]).toContain(statusCode);
  expect(content.success).toBe(statusCode === 200);
  if (statusCode === 429 || statusCode === 503) expect(Number(headers['retry-after'])).toBeGreaterThan(0);
  return Number(headers['x-credits-used']);
}

/** Disconnects a little later: before, during or after the answer, or within the body. */
async function left(call: ClientRequest, afterMs: number): Promise<number> {
  await delay(afterMs);
  call.destroy();
  return 0;
}

test('a burst of large pages is answered one after the other or turned away, and each is charged once', async () => {
  const key = await service.newKey();
  const used = await Promise.all(Array.from({ length: 30 }, () => answered(key, QUERY, PAGE)));
  expect(used).toContain(6);
  expect(await service.creditsBooked(key.accountId)).toBe(used.reduce((sum, each) => sum + each, 0));
});

test('whatever callers do, the service lives, the ledger holds what was answered, and others are served', async () => {
  const random = new Random(Number(INTERLEAVING_SEED));
  const [patient, gone, { api: other }] = [
    await service.newKey(),
    await service.newKey(),
    await service.newKey(),
  ];
  const moves = [
    () => answered(patient, QUERY, PAGE),
    () => answered(patient, '/v2/products', { page_size: 100 }),
    () => answered(patient, '/v3/vision/identify', service.photo),
    () => left(open(gone, QUERY, JSON.stringify(PAGE)).end(), random.integer(0, 60)),
    () => {
      const part = '{"base64":"'.padEnd(random.integer(1, 250_000), 'A');
      return left(open(gone, '/v3/vision/identify', part, 300_000), random.integer(0, 120));
    },
  ];
  const until = performance.now() + Number(INTERLEAVING_SECONDS) * 1000;
  let charged = 0;
  let made = 0;
  let over = false;
  const caller = async (): Promise<void> => {
    while (performance.now() < until || made < 5 * CALLERS) {
      made += 1;
      const cost = await random.pick(moves)();
      charged += cost;
    }
  };
  const callers = Promise.all(Array.from({ length: CALLERS }, caller)).finally(() => {
    over = true;
  });
  while (!over) expect((await other.item('product_birkin_croc')).status).toBe(200);
  await callers;
  expect(await service.creditsBooked(patient.accountId)).toBe(charged);
  expect((await other.query(PAGE)).status).toBe(200);
});
