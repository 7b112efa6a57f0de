import type { Knex } from 'knex';
import type { PATHS } from '../../api/paths';
import { PORTS, type PredictionRepository } from '../../models/ports';
import type { ApiClient } from '../support/api-client';
import { FIXTURE } from '../support/fixture-data';
import { type TestKey, useService } from '../support/service';

/** contract 9.12: what the live keys of an account own its test keys don't reach, and the other way round. */

/** Endpoints of callers. */
type Endpoint = Exclude<
  keyof typeof PATHS,
  | ('listAccounts' | 'createAccount' | 'getAccount' | 'creditAccount' | 'keepPhotos' | 'getUsage')
  | ('listKeys' | 'createKey' | 'rotateKey' | 'revokeKey' | 'getAuditLog')
  | ('getDataFile' | 'getImage' | 'checkHealth' | 'checkReadiness' | 'getMetrics' | 'getOpenApi')
>;

/** Makes something with one key, tries to reach it with the other; of the same account. */
type Attempt = (owner: ApiClient, other: ApiClient) => Promise<void>;

// A database of its own: what other files leave is judged too.
const service = useService({}, {}, { ...FIXTURE, name: 'two_worlds' });
const knex = () => service.resolve<Knex>(PORTS.Knex);
const { photo } = service;
const address = { url: 'https://shop.example/told', events: ['vision.job.done'] };

beforeAll(async () => {
  await service.sees(['product_birkin_croc', 0.05]);
  // Jobs stay as they are: somebody always waits for a photo.
  service.queue.isWaitedFor(1);
});

const jobOf = async (api: ApiClient) => (await api.createJob({ entries: [photo] })).body.id;
const webhookOf = async (api: ApiClient, headers = {}) =>
  (await api.send<{ id: string; secret: string }>('POST', '/v3/webhooks', { body: address, headers })).body;
const webhooksOf = async (api: ApiClient) =>
  (await api.send<{ data: { id: string }[] }>('GET', '/v3/webhooks')).body.data.map(({ id }) => id);

let names = 0;
/** The same call under the same name is another call. */
const named =
  (path: string, body: () => object): Attempt =>
  async (owner, other) => {
    names += 1;
    const sending = { body: body(), headers: { 'Idempotency-Key': `call-${names}` } };
    const first = await owner.send('POST', path, sending);
    const second = await other.send('POST', path, sending);
    expect([first.status, second.status]).toEqual([first.status, first.status]);
    expect(first.status).toBeLessThan(300);
    expect(second.headers.has('Idempotency-Replayed')).toBe(false);
    const again = await owner.send('POST', path, sending);
    expect(again.headers.get('Idempotency-Replayed')).toBe('true');
    if (/webhooks|jobs/.test(path)) {
      const ids = [first, second].map(({ body: made }) => (made as { id: string }).id);
      expect(ids[0]).not.toBe(ids[1]);
    }
  };

/** Reads and changes the catalog alone, which is everybody's. */
const CATALOG = 'catalog';

const ENDPOINTS: Record<Endpoint, Attempt | typeof CATALOG> = {
  getJob: async (owner, other) => {
    const id = await jobOf(owner);
    expect((await other.job(id)).status).toBe(404);
    expect((await owner.job(id)).status).toBe(200);
  },
  cancelJob: async (owner, other) => {
    const id = await jobOf(owner);
    expect((await other.job(id, 'DELETE')).status).toBe(404);
    expect((await owner.job(id)).body.cancelled).toBe(0);
  },
  listWebhooks: async (owner, other) => {
    const { id } = await webhookOf(owner);
    expect(await webhooksOf(owner)).toContain(id);
    expect(await webhooksOf(other)).not.toContain(id);
  },
  deleteWebhook: async (owner, other) => {
    const { id } = await webhookOf(owner);
    expect((await other.send('DELETE', `/v3/webhooks/${id}`)).status).toBe(404);
    expect(await webhooksOf(owner)).toContain(id);
  },
  sendFeedback: async (owner, other) => {
    const id = (await owner.identify(photo)).headers.get('X-Prediction-Id') ?? '';
    const path = `/v3/vision/predictions/${id}/feedback`;
    const body = { correct_id: null };
    expect((await other.send('POST', path, { body })).status).toBe(404);
    expect((await service.prediction(id))?.feedback).toBeNull();
    expect((await owner.send('POST', path, { body })).status).toBe(200);
  },
  getOwnAccount: async (owner, other) => {
    const usageOf = async (api: ApiClient) =>
      (await api.send<{ usage: unknown }>('GET', '/v3/account')).body.usage;
    const before = await usageOf(other);
    await owner.query({});
    expect(await usageOf(owner)).toContainEqual(expect.objectContaining({ endpoint: 'v3.catalog.query' }));
    expect(await usageOf(other)).toEqual(before);
  },
  createJob: named('/v3/vision/jobs', () => ({ entries: [photo] })),
  createWebhook: named('/v3/webhooks', () => address),
  identify: named('/v3/vision/identify', () => photo),
  identifyV2: named('/v2/vision', () => photo),
  queryCatalog: named('/v3/catalog/query', () => ({})),
  getItems: named('/v3/catalog/items', () => ({ ids: ['product_birkin_croc'] })),
  searchProductsV2: named('/v2/products', () => ({})),
  searchProductsV1: CATALOG,
  getItem: CATALOG,
  listSimilarItems: CATALOG,
  suggest: CATALOG,
  // Of live keys alone (contract 15.8).
  writeRecords: CATALOG,
  storeImage: CATALOG,
  getRecord: CATALOG,
  deleteRecord: CATALOG,
  getRecordStatus: CATALOG,
  getFeedStatus: CATALOG,
};

const ATTEMPTS = Object.entries(ENDPOINTS).filter((line): line is [string, Attempt] => line[1] !== CATALOG);

type Keys = Readonly<Record<'live' | 'test' | 'stranger', TestKey>>;

/** A live key and a test key of one account. */
async function keysOfOne(credits: number | null = null) {
  const live = await service.newKey({ credits });
  const test = await service.newKey({ accountId: live.accountId, test: true });
  return { live, test };
}

// contract 9.12, 7.18, 16.7, 16.10
describe.each([
  ['a live key', 'a test key of its account', ({ live, test }: Keys) => [live, test] as const],
  ['a test key', 'a live key of its account', ({ live, test }: Keys) => [test, live] as const],
  ['an account', 'another account', ({ live, stranger }: Keys) => [live, stranger] as const],
])('what belongs to %s does not exist for %s', (_owner, _other, choose) => {
  test.each(ATTEMPTS)('%s', async (_endpoint, attempt) => {
    const [owner, other] = choose({ ...(await keysOfOne(1_000)), stranger: await service.newKey() });
    await attempt(owner.api, other.api);
  });
});

test('both spend the credits of the account', async () => {
  const { live, test } = await keysOfOne(100);
  await live.api.query({});
  await test.api.query({});
  expect(await service.balance(live.accountId)).toBe(98);
  expect(await service.creditsBooked(live.accountId)).toBe(2);
});

test('an address is told of the jobs of its own kind of keys, and of low credits by both', async () => {
  const { live, test } = await keysOfOne(100);
  const body = { ...address, events: ['vision.job.done', 'account.credits.low'], credits_below: 100 };
  const idOf = async (api: ApiClient) =>
    (await api.send<{ id: string }>('POST', '/v3/webhooks', { body })).body.id;
  const [ofLive, ofTest] = [await idOf(live.api), await idOf(test.api)];
  const told = async (endpoint: string) =>
    (await knex()('webhook_messages').where({ endpoint_id: endpoint }).pluck('type')).sort();
  await test.api.query({});
  expect([await told(ofLive), await told(ofTest)]).toEqual(Array(2).fill(['account.credits.low']));
  await live.api.job(await jobOf(live.api), 'DELETE');
  expect(await told(ofLive)).toEqual(['account.credits.low', 'vision.job.done']);
  expect(await told(ofTest)).toEqual(['account.credits.low']);
});

test('what is said of answers of a test key counts in no figure', async () => {
  const { live, test } = await keysOfOne();
  const judged = async () =>
    (await service.resolve<PredictionRepository>(PORTS.PredictionRepository).judged(null)).length;
  const say = async ({ api }: typeof live) => {
    const id = (await api.identify(photo)).headers.get('X-Prediction-Id');
    const path = `/v3/vision/predictions/${id}/feedback`;
    expect((await api.send('POST', path, { body: { correct_id: null } })).status).toBe(200);
  };
  const before = await judged();
  await say(test);
  expect(await judged()).toBe(before);
  await say(live);
  expect(await judged()).toBe(before + 1);
});

// contract 16.10
test('the secret of an address is kept in no answer: a repetition of its registration is answered without it', async () => {
  const { live } = await keysOfOne();
  const once = { 'Idempotency-Key': 'registration' };
  const { id, secret } = await webhookOf(live.api, once);
  expect(secret).toMatch(/^whsec_/);
  expect(await webhookOf(live.api, once)).toMatchObject({ id, secret: null });
  const kept = await knex()('idempotent_calls').where({ account_id: live.accountId }).pluck('answer');
  expect(kept).toHaveLength(1);
  expect(String(kept[0])).not.toContain(secret);
});
