import { spawnSync } from 'node:child_process';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { join } from 'node:path';
import { LoupeClient, LoupeError, type LoupeOptions } from '../../api/client/loupe-client';
import { addressOf, closed, listening } from '../support/local-server';
import { useService } from '../support/service';
import { useEmbeddedPictures } from '../support/stored-vectors';
import { RESTORED } from '../support/written-catalog';

/** The typed client that is generated from `/openapi.json`, against a running service. */
const service = useService({}, {}, RESTORED);
useEmbeddedPictures(service, {
  'https://pictures.example/birkin_croc-30.jpg': 0,
  'https://pictures.example/speedy_epi.jpg': 10,
});
const client = (options: Partial<LoupeOptions> = {}) =>
  new LoupeClient({ baseUrl: service.url, key: service.key.key, ...options });

beforeEach(async () => {
  service.queue.reset();
  await service.sees(['product_birkin_croc', 0.05]);
});

test('its types are those of the document', () => {
  const script = join(__dirname, '../../scripts/lab/generate-client.ts');
  const { status, stderr } = spawnSync(process.execPath, ['--import', 'tsx', script, '--check'], {
    encoding: 'utf8',
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
});

describe('identify', () => {
  test('takes bytes and files', async () => {
    const bytes = service.photoBytes;
    for (const photo of [{ bytes }, { file: new Blob([new Uint8Array(bytes)]) }]) {
      const { data, includes } = await client().identify(photo, { includes: ['pricing'] });
      expect(data[0]).toMatchObject({ id: 'product_birkin_croc', confidence: expect.any(Number) });
      expect(data[0]?.variants?.[0]?.pricing?.market_estimates?.[0]?.region).toBe('NA');
      expect(includes).toEqual(['pricing']);
    }
  });

  test('takes an address, and tells why it can not be used', async () => {
    const failure = await client()
      .identify({ url: new URL('http://127.0.0.1:9/bag.jpg') })
      .catch((thrown: unknown) => thrown);
    expect(failure).toBeInstanceOf(LoupeError);
    expect(failure).toMatchObject({
      status: 422,
      failure: { error: 'unprocessable', reason: 'url_blocked' },
    });
  });

  test('sent again under its name is the same call', async () => {
    const { accountId, key } = await service.newKey({ credits: 100 });
    const photo = { bytes: service.photoBytes };
    for (let sent = 0; sent < 2; sent += 1) {
      await client({ key }).identify(photo, { idempotencyKey: 'same-photo' });
    }
    expect(await service.balance(accountId)).toBe(95);
  });
});

test('writeRecords, recordStatus and deleteRecord write the catalog', async () => {
  const { key } = await service.newKey({ scopes: ['catalog:write', 'catalog:read'] });
  const writer = client({ key });
  const id = `product_client_${Date.now()}`;
  const product = { id, category: 'handbags', attributes: { brand: 'brand_hermes' } };
  const written = await writer.writeRecords([
    { products: product },
    { tags: { id: 'nothing', name: 'Nothing' } },
  ]);
  expect(written.data).toMatchObject([{ status: 'accepted' }, { status: 'rejected', field: 'id' }]);
  expect(await writer.recordStatus(id)).toMatchObject({ searchable: true, identifiable: false });
  expect(await writer.deleteRecord(id)).toMatchObject({ deleted: true });
  await expect(writer.deleteRecord(id)).rejects.toMatchObject({ status: 404 });
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

test('search finds by text, facets and tags, page by page', async () => {
  const exotic = { field: 'tags', include: ['material:exotic'] };
  const first = await client().search({ query: 'hermes', filters: [exotic], page_size: 2 });
  expect([first.results, first.total_results, first.total_pages]).toEqual([2, 3, 2]);
  const second = await client().search({ query: 'hermes', filters: [exotic], page_size: 2, page: 1 });
  expect(second.data.map(({ id }) => id)).toEqual(['product_kelly_lizard']);
});

test('item gives one row, and its data files', async () => {
  const { data } = await client().item('product_birkin_croc', { includes: ['taxonomy', 'pricing'] });
  const [link] = data[0]?.variants?.[0]?.pricing?.historical_estimates ?? [];
  expect(data[0]?.attributes?.map(({ field }) => field)).toContain('brand');
  expect(link && (await client().dataFile(link))).toMatch(/^date,source,A,B,C,D,currency,confidence\r\n/);
  await expect(
    client().dataFile({ region: 'NA', url: link?.url.replace(/signature=./, 'signature=!') ?? '' }),
  ).rejects.toMatchObject({ status: 403, failure: { error: 'forbidden' } });
});

test('items gives several rows, and names those that there are not', async () => {
  const { data, not_found } = await client().items(['brand_hermes', 'product_gone', 'product_birkin_croc'], {
    includes: [],
  });
  expect(data.map(({ id }) => id)).toEqual(['brand_hermes', 'product_birkin_croc']);
  expect(data[0]?.attributes).toBeUndefined();
  expect(not_found).toEqual(['product_gone']);
});

test('similar gives what looks like a product', async () => {
  const { data } = await client().similar('product_birkin_croc', { size: 1, includes: ['pricing'] });
  expect(data.map(({ id, similarity = 0 }) => [id, similarity > 0.9])).toEqual([
    ['product_speedy_epi', true],
  ]);
  const elsewhere = await client().similar('product_birkin_croc', { category_id: 'watches' });
  expect(elsewhere.data).toEqual([]);
});

test('a refusal is thrown with all that it says', async () => {
  const failure = await client()
    .search({ category_id: 'handbags', taxonomy_node: 'dial' })
    .catch((thrown: unknown) => thrown);
  expect(failure).toMatchObject({
    name: 'LoupeError',
    status: 400,
    requestId: expect.stringMatching(/^[\w.-]{8,}$/),
    failure: { error: 'bad_request', allowed_taxonomy_nodes: expect.arrayContaining(['style']) },
  });
  await expect(client().item('product_nobody')).rejects.toMatchObject({ status: 404 });
  await expect(client({ key: 'none' }).item('x')).rejects.toMatchObject({ status: 401 });
});

test('endpoints reach every address, with lists as the service reads them', async () => {
  const { data } = await client().endpoints.GET('/v1/products', {
    params: { query: { brand: ['brand_hermes', 'brand_rolex'], page_size: 50 } },
  });
  expect(new Set(data?.data.map(({ id }) => id))).toEqual(
    new Set([
      'product_birkin_croc',
      'product_birkin_togo',
      'product_kelly_croc',
      'product_kelly_lizard',
      'product_submariner',
    ]),
  );
});

describe('what was refused for the moment', () => {
  let server: Server;
  let seen: IncomingMessage[];
  /** Statuses of the next answers; then 200. */
  let statuses: number[];

  beforeAll(async () => {
    server = createServer((req, res) => {
      seen.push(req);
      const status = statuses.shift() ?? 200;
      if (status === 0) return void req.socket.destroy();
      const refusal = { success: false, error: 'unavailable', message: 'Away.', request_id: 'abcdefgh' };
      res.writeHead(status, {
        'Content-Type': 'application/json',
        'Retry-After': status === 429 ? '600' : '0',
      });
      res.end(JSON.stringify(status === 200 ? { data: [] } : refusal));
    });
    await listening(server);
  });
  afterAll(() => void server.close());
  beforeEach(() => {
    seen = [];
  });

  const stub = (options: Partial<LoupeOptions> = {}) =>
    client({ baseUrl: `http://${addressOf(server)}/`, ...options });

  test.each([[[503, 503]], [[409, 409, 409, 409]], [[0]]])(
    '(%j) is called again, as the same call',
    async (first) => {
      statuses = [...first];
      await expect(stub().search({ query: 'birkin' })).resolves.toEqual({ data: [] });
      expect(seen).toHaveLength(first.length + 1);
      const names = new Set(seen.map(({ headers }) => headers['idempotency-key']));
      expect([...names]).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/)]);
    },
  );

  test('is thrown when it stays so', async () => {
    statuses = [503, 503, 503];
    await expect(stub({ retries: 2 }).item('x')).rejects.toMatchObject({ status: 503, retryAfterSeconds: 0 });
    expect(seen).toHaveLength(3);
  });

  test('is thrown at once when the time that a call may take would be over', async () => {
    statuses = [429];
    await expect(stub().item('x')).rejects.toMatchObject({ status: 429, retryAfterSeconds: 600 });
    expect(seen).toHaveLength(1);
  });

  test('is not called again when it is a refusal for good', async () => {
    statuses = [400];
    await expect(stub().item('x')).rejects.toMatchObject({ status: 400 });
    expect(seen).toHaveLength(1);
  });
});

test('a call that nobody answers ends', async () => {
  const silent = createServer(() => undefined);
  const baseUrl = `http://${await listening(silent)}`;
  await expect(client({ baseUrl, timeoutMs: 50 }).search({})).rejects.toMatchObject({ name: 'TimeoutError' });
  await closed(silent);
});
