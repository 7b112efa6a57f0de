import type { z } from 'zod';
import type { accountAnswer } from '../../api/v3/answers';
import { PORTS } from '../../models/ports';
import type { Answer, ApiClient } from '../support/api-client';
import { useService } from '../support/service';

/** contract 9.7, 9.12: what a key learns of its account, and what live and test keys own separately. */
const service = useService({ RATE_PER_MINUTE: '600' });
const DAY_MS = 86_400_000;
const { photo } = service;
const knex = () => service.knex;

const ask = (api: ApiClient, query = ''): Promise<Answer<z.output<typeof accountAnswer>>> =>
  api.send('GET', `/v3/account${query}`);

/** The day this many days ago, as usage names it. */
const dayOf = (daysAgo = 0): string =>
  new Date(service.clock.now().getTime() - daysAgo * DAY_MS).toISOString().slice(0, 10);

// contract 9.7
describe('GET /v3/account', () => {
  test('describes the account, the key with its effective limits, and what was charged, free of charge', async () => {
    const expiresAt = new Date(service.clock.now().getTime() + 90 * DAY_MS);
    const options = { credits: 50, versions: ['v3', 'v1'], limits: { perSecond: 7 }, expiresAt } as const;
    const { api, keyId, accountId } = await service.newKey(options);
    await api.query({});
    await api.query({});
    await api.v1({});
    const { status, body, headers } = await ask(api);
    expect(status).toBe(200);
    expect(body).toEqual({
      success: true,
      account: { id: accountId, name: 'test', credits: 42 },
      key: {
        ...{ id: keyId, name: 'test', versions: ['v3', 'v1'], scopes: ['catalog:read', 'vision:identify'] },
        limits: { per_second: 7, per_minute: 600, concurrency: 16, per_month: 0 },
        ...{ test: false, created_at: expect.any(String), expires_at: expiresAt.toISOString() },
      },
      categories: expect.any(Array),
      since: `${dayOf(29)}T00:00:00.000Z`,
      until: `${dayOf(-1)}T00:00:00.000Z`,
      usage: [
        { day: dayOf(), endpoint: 'v1.products', calls: 1, credits: 6 },
        { day: dayOf(), endpoint: 'v3.catalog.query', calls: 2, credits: 2 },
      ],
      credits_used: 0,
    });
    expect([headers.get('X-Credits-Used'), await service.balance(accountId)]).toEqual(['0', 42]);
  });

  // contract 9.7, 3.2
  test('lists every category of the catalog with the kinds of rows that it has', async () => {
    const { categories } = (await ask(service.api)).body;
    const bag = ['product', 'brand', 'model', 'style', 'category'];
    const watch = ['product', 'brand', 'family', 'model', 'case', 'dial', 'category'];
    const ring = ['product', 'maison', 'line', 'category'];
    expect(categories).toEqual([
      { id: 'handbags', name: 'Handbags', nodes: bag },
      { id: 'jewellery', name: 'Fine Jewellery', nodes: ring },
      { id: 'watches', name: 'Watches', nodes: watch },
    ]);
    for (const { id: category_id, nodes } of categories) {
      for (const taxonomy_node of nodes)
        expect((await service.api.query({ category_id, taxonomy_node })).status).toBe(200);
    }
  });

  test('shows the last 30 days, or exactly the requested period', async () => {
    const { api } = await service.newKey();
    const days: string[] = [];
    for (const wait of [0, 1, 29]) {
      service.clock.advance(wait * DAY_MS);
      await api.query({});
      days.push(dayOf());
    }
    const shown = async (query = '') => (await ask(api, query)).body.usage.map(({ day }) => day);
    expect(await shown()).toEqual(days.slice(1));
    expect(await shown(`?since=${days[0]}`)).toEqual(days);
    expect(await shown(`?since=${days[0]}&until=${days[1]}`)).toEqual(days.slice(0, 1));
    expect(await shown(`?until=${days[1]}T23:59:59%2B00:00`)).toEqual(days.slice(0, 2));
    expect(await shown('?until=0001-01-05')).toEqual([]);
  });

  // contract 9.6
  test('is available whatever the scopes and credits, and reveals nothing of other accounts or the secret', async () => {
    const { api, key } = await service.newKey({ scopes: ['catalog:write'], test: true, credits: 0 });
    const { body, text } = await ask(api);
    const shown = { scopes: ['catalog:write'], test: true, limits: { per_month: 10_000 }, expires_at: null };
    expect(body).toMatchObject({ account: { credits: 0 }, key: shown, usage: [] });
    for (const secret of [key, service.key.key, service.key.keyId, service.key.accountId])
      expect(text).not.toContain(secret);
  });
});

const address = { url: 'https://shop.example/told', events: ['vision.job.done'] };
const jobOf = async (api: ApiClient) => (await api.createJob({ entries: [photo] })).body.id;
const webhookOf = async (api: ApiClient, body: object = address) =>
  (await api.send<{ id: string }>('POST', '/v3/webhooks', { body })).body;
const webhooksOf = async (api: ApiClient) =>
  (await api.send<{ data: { id: string }[] }>('GET', '/v3/webhooks')).body.data.map(({ id }) => id);
const predictedBy = async (api: ApiClient) =>
  (await api.identify(photo)).headers.get('X-Prediction-Id') ?? '';
const feedback = async (api: ApiClient, id: string) =>
  (await api.send('POST', `/v3/vision/predictions/${id}/feedback`, { body: { correct_id: null } })).status;

async function keysOfOne(credits: number | null = null) {
  const live = await service.newKey({ credits });
  return { live, test: await service.newKey({ accountId: live.accountId, test: true }) };
}

// contract 9.12
describe('live keys and test keys', () => {
  beforeAll(async () => {
    await service.sees(['product_birkin_croc', 0.05]);
    // Jobs stay as they are: a caller always waits for a photo.
    service.queue.photosWaiting = 1;
  });

  // contract 7.18, 16.7, 16.10; `every-endpoint.test.ts` tests calls under an `Idempotency-Key`.
  test.each([
    ['live', 'test'],
    ['test', 'live'],
    ['live', 'stranger'],
  ] as const)('what a %s key owns does not exist for a %s key', async (by, to) => {
    const keys = { ...(await keysOfOne(1_000)), stranger: await service.newKey() };
    const [owner, other] = [keys[by].api, keys[to].api];
    const job = await jobOf(owner);
    for (const method of ['GET', 'DELETE'] as const) expect((await other.job(job, method)).status).toBe(404);
    expect(await owner.job(job)).toMatchObject({ status: 200, body: { cancelled: 0 } });
    const webhook = (await webhookOf(owner)).id;
    expect((await other.send('DELETE', `/v3/webhooks/${webhook}`)).status).toBe(404);
    expect([await webhooksOf(owner), await webhooksOf(other)]).toEqual([[webhook], []]);
    const prediction = await predictedBy(owner);
    expect(await feedback(other, prediction)).toBe(404);
    expect((await service.prediction(prediction))?.feedback).toBeNull();
    expect(await feedback(owner, prediction)).toBe(200);
    expect((await ask(owner)).body.usage).toMatchObject([{ endpoint: 'v3.vision.identify' }]);
    expect((await ask(other)).body.usage).toEqual([]);
  });

  test('spend the same credits; a webhook reports low credits of both, and only jobs of its own kind', async () => {
    const { live, test } = await keysOfOne(100);
    const body = { ...address, events: ['vision.job.done', 'account.credits.low'], credits_below: 100 };
    const ids = [(await webhookOf(live.api, body)).id, (await webhookOf(test.api, body)).id];
    const told = () =>
      Promise.all(
        ids.map(async (id) =>
          (await knex()('webhook_messages').where({ endpoint_id: id }).pluck('type')).sort(),
        ),
      );
    await test.api.query({});
    expect(await told()).toEqual(Array(2).fill(['account.credits.low']));
    await live.api.job(await jobOf(live.api), 'DELETE');
    expect(await told()).toEqual([['account.credits.low', 'vision.job.done'], ['account.credits.low']]);
    await live.api.query({});
    expect(await service.balance(live.accountId)).toBe(98);
    expect(await service.creditsBooked(live.accountId)).toBe(2);
  });

  test('feedback on answers to a test key counts in no figure', async () => {
    const { live, test } = await keysOfOne();
    const judged = async () => (await service.resolve(PORTS.PredictionRepository).judged(null)).length;
    const before = await judged();
    for (const { api } of [test, live]) {
      expect(await feedback(api, await predictedBy(api))).toBe(200);
      expect(await judged()).toBe(api === live.api ? before + 1 : before);
    }
  });
});
