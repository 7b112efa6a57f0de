import { spawnSync } from 'node:child_process';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { LoupeClient, type LoupeOptions } from '../../api/client/loupe-client';
import { whileCollecting } from '../support/collect-garbage';
import { addressOf, useServer } from '../support/local-server';
import { useService } from '../support/service';

/** The typed client that is generated from `/openapi.json`; `examples.test.ts` calls what `docs/api/typescript.md` shows. */
const service = useService();
/** A 503 without `Retry-After`. */
const BUSY = 5030;
const client = (options: Partial<LoupeOptions> = {}) =>
  new LoupeClient({ baseUrl: service.url, key: service.key.key, ...options });

service.seesInEachTest(['product_birkin_croc', 0.05]);

test('its types are those of the document', () => {
  const script = join(__dirname, '../../scripts/lab/generate-client.ts');
  const words = ['--require', 'tsx/cjs', script, '--check'];
  const { status, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8' });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
});

test('identify takes bytes; sent again with its key it is the same call', async () => {
  const { accountId, key } = await service.newKey({ credits: 100 });
  const caller = client({ key });
  for (const _time of [1, 2]) {
    const options = {
      includes: ['pricing'] as ['pricing'],
      idempotencyKey: 'same-photo',
      min_confidence: 0.1,
    };
    const { data, includes } = await caller.identify({ bytes: service.photoBytes }, options);
    expect(data[0]).toMatchObject({ id: 'product_birkin_croc', confidence: expect.any(Number) });
    expect(data[0]?.variants?.[0]?.pricing?.market_estimates?.[0]?.region).toBe('NA');
    expect(includes).toEqual(['pricing']);
  }
  expect(await service.balance(accountId)).toBe(90);
});

test('createWebhook, webhooks and removeWebhook keep the addresses of an account', async () => {
  const caller = client({ key: (await service.newKey()).key });
  const url = 'https://shop.example/loupe';
  const { id, secret } = await caller.createWebhook({ url, events: ['vision.job.done'] });
  expect(secret).toMatch(/^whsec_/);
  expect((await caller.webhooks()).data).toMatchObject([{ id, url, failures: 0 }]);
  expect(await caller.removeWebhook(id)).toMatchObject({ id });
  await expect(caller.removeWebhook(id)).rejects.toMatchObject({ status: 404 });
});

test('a refusal is thrown with everything that it says', async () => {
  const asked = { category_id: 'handbags', taxonomy_node: 'dial' };
  await expect(client().search(asked)).rejects.toMatchObject({
    ...{ name: 'LoupeError', status: 400, requestId: expect.stringMatching(/^[\w.-]{8,}$/) },
    failure: { error: 'bad_request', allowed_taxonomy_nodes: expect.arrayContaining(['style']) },
  });
  await expect(client().item('product_nobody')).rejects.toMatchObject({ status: 404 });
  await expect(client({ key: 'none' }).item('x')).rejects.toMatchObject({ status: 401 });
  const forged = { region: 'NA', url: `${service.url}/files/pricing_data/variant_x/NA.csv` } as const;
  const refused = { status: 403, failure: { error: 'forbidden' } };
  await expect(client().dataFile(forged)).rejects.toMatchObject(refused);
});

test('endpoints reach every address, with lists as the service reads them', async () => {
  const query = { brand: ['brand_hermes', 'brand_rolex'], page_size: 50 };
  const { data } = await client().endpoints.GET('/v1/products', { params: { query } });
  const names = data?.data.map(({ id }) => id.replace('product_', '')).sort();
  expect(names?.join(' ')).toBe('birkin_croc birkin_togo kelly_croc kelly_lizard submariner');
});

describe('a call that was refused for the moment', () => {
  let seen: IncomingMessage[];
  /** Statuses of the next answers; after them 200. 0: none; -1: the connection is lost in the middle of it; BUSY: a proxy's. */
  let statuses: number[];
  const server = useServer((req, res) => {
    seen.push(req);
    const status = statuses.shift() ?? 200;
    if (status === 0) return void req.socket.destroy();
    if (status === -1) return void res.writeHead(200).write('{', () => req.socket.destroy());
    if (status === BUSY) return void res.writeHead(503).end('<html>');
    const refusal = { success: false, error: 'unavailable', message: 'Away.', request_id: 'abcdefgh' };
    const headers = { 'Content-Type': 'application/json', 'Retry-After': status === 429 ? '600' : '0' };
    res.writeHead(status, headers).end(JSON.stringify(status === 200 ? { data: [] } : refusal));
  });
  beforeEach(() => {
    seen = [];
  });

  const stub = (options: Partial<LoupeOptions> = {}) =>
    client({ baseUrl: `http://${addressOf(server)}/`, ...options });

  test.each([[[503, 503]], [[409, 409, 409, 409]], [[0]], [[-1]], [[BUSY]]])(
    '(%j) is repeated as one call',
    async (first) => {
      statuses = [...first];
      await expect(stub().search({ query: 'birkin' })).resolves.toEqual({ data: [] });
      expect(seen).toHaveLength(first.length + 1);
      const names = new Set(seen.map(({ headers }) => headers['idempotency-key']));
      expect([...names]).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/)]);
    },
  );

  test.each([
    ['when it stays so', [503, 503, 503], { status: 503, retryAfterSeconds: 0 }, 3],
    ['at once when waiting would take too long', [429], { status: 429, retryAfterSeconds: 600 }, 1],
    ['at once when it is a refusal for good', [400], { status: 400 }, 1],
  ])('is thrown %s', async (_when, given, failure, calls) => {
    statuses = [...given];
    await expect(stub({ retries: 2 }).item('x')).rejects.toMatchObject(failure);
    expect(seen).toHaveLength(calls);
  });
});

const BY_ID = [
  ...(['item', 'similar', 'job', 'cancelJob', 'removeWebhook'] as const),
  ...(['record', 'deleteRecord', 'recordStatus', 'feedStatus'] as const),
];
const silent = useServer(() => undefined);
test('every call can be aborted', async () => {
  const caller = client({ baseUrl: `http://${addressOf(silent)}` });
  const options = { signal: AbortSignal.timeout(300) };
  const link = { region: 'NA', url: `http://${addressOf(silent)}` } as const;
  const calls = [
    ...BY_ID.map((method) => caller[method]('x', options)),
    ...[caller.webhooks(options), caller.correct('x', null, 'no', options), caller.dataFile(link, options)],
    ...[caller.search({}, options), caller.items(['x'], options), caller.suggest({ query: 'x' }, options)],
    ...[caller.identify({ url: 'http://x' }, options), caller.createJob([], options)],
    ...[caller.writeRecords([], options), caller.storeImage(service.photoBytes, options)],
  ];
  const outcomes = await Promise.allSettled(calls);
  const timeout = { status: 'rejected', reason: expect.objectContaining({ name: 'TimeoutError' }) };
  expect(outcomes).toEqual(calls.map(() => timeout));
});

test('a call without an answer ends', async () => {
  const baseUrl = `http://${addressOf(silent)}`;
  const search = whileCollecting(client({ baseUrl, timeoutMs: 500 }).search({}));
  await expect(search).rejects.toMatchObject({ name: 'TimeoutError' });
});
