import type { z } from 'zod';
import type { accountAnswer } from '../../api/v3/answers';
import { type Answer, ApiClient } from '../support/api-client';
import { useService } from '../support/service';

/** contract 9.7: what a caller is told of its account and key. */
const service = useService({ RATE_PER_MINUTE: '600' });
const DAY_MS = 86_400_000;

type Account = z.output<typeof accountAnswer>;

const ask = (key: string, query = ''): Promise<Answer<Account>> =>
  new ApiClient(service.url, key).send('GET', `/v3/account${query}`);

/** The day so many days ago, as usage names it. */
const dayOf = (daysAgo = 0): string =>
  new Date(service.clock.now().getTime() - daysAgo * DAY_MS).toISOString().slice(0, 10);

// contract 9.7
test('describes the account, the key with its effective limits, and what was charged, free of charge', async () => {
  const expiresAt = new Date(service.clock.now().getTime() + 90 * DAY_MS);
  const { api, key, keyId, accountId } = await service.newKey({
    credits: 50,
    versions: ['v3', 'v1'],
    limits: { perSecond: 7 },
    expiresAt,
  });
  await api.query({});
  await api.query({});
  await api.v1({});
  const { status, body, headers } = await ask(key);
  expect(status).toBe(200);
  expect(body).toEqual({
    success: true,
    account: { id: accountId, name: 'test', credits: 42 },
    key: {
      id: keyId,
      name: 'test',
      versions: ['v3', 'v1'],
      scopes: ['catalog:read', 'vision:identify'],
      test: false,
      limits: { per_second: 7, per_minute: 600, concurrency: 16, per_month: 0 },
      created_at: expect.any(String),
      expires_at: expiresAt.toISOString(),
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
  expect(headers.get('X-Credits-Used')).toBe('0');
  expect(headers.get('X-Credits-Remaining')).toBe('42');
  expect(await service.balance(accountId)).toBe(42);
});

// contract 9.7, 3.2
test('lists every category of the catalog with the kinds of rows that it has', async () => {
  const { api, key } = await service.newKey({ scopes: ['vision:identify'] });
  const { body } = await ask(key);
  expect(body.categories).toEqual(
    expect.arrayContaining([
      { id: 'handbags', name: 'Handbags', nodes: ['product', 'brand', 'model', 'style', 'category'] },
      {
        ...{ id: 'watches', name: 'Watches' },
        nodes: ['product', 'brand', 'family', 'model', 'case', 'dial', 'category'],
      },
      { id: 'jewellery', name: 'Fine Jewellery', nodes: ['product', 'maison', 'line', 'category'] },
    ]),
  );
  expect(body.categories).toHaveLength(3);
  expect((await api.query({})).status).toBe(403);
  const reader = (await service.newKey()).api;
  for (const { id, nodes } of body.categories) {
    for (const node of nodes) {
      const { status } = await reader.query({ category_id: id, taxonomy_node: node });
      expect([id, node, status]).toEqual([id, node, 200]);
    }
  }
});

// contract 9.7
test('shows the last 30 days, or exactly the requested period', async () => {
  const { api, key } = await service.newKey();
  const days = [dayOf()];
  await api.query({});
  for (const wait of [1, 29]) {
    service.clock.advance(wait * DAY_MS);
    await api.query({});
    days.push(dayOf());
  }
  const shown = async (query = '') => (await ask(key, query)).body.usage.map(({ day }) => day);
  expect(await shown()).toEqual(days.slice(1));
  expect(await shown(`?since=${days[0]}`)).toEqual(days);
  expect(await shown(`?since=${days[0]}&until=${days[1]}`)).toEqual(days.slice(0, 1));
  expect(await shown(`?until=${days[1]}T00:00:00Z`)).toEqual(days.slice(0, 1));
  expect(await shown(`?until=${days[1]}T23:59:59%2B00:00`)).toEqual(days.slice(0, 2));
});

// contract 9.7
test('is available to every key for v3, whatever its scopes, and to no other', async () => {
  const { api, key } = await service.newKey({ scopes: ['catalog:write'], test: true, credits: 0 });
  expect((await ask(key)).body).toMatchObject({
    account: { credits: 0 },
    key: { scopes: ['catalog:write'], test: true, limits: { per_month: 10_000 }, expires_at: null },
    usage: [],
  });
  expect((await ask(service.key.key)).body.account.credits).toBeNull();
  expect((await ask((await service.newKey({ versions: ['v1', 'v2'] })).key)).status).toBe(403);
  expect((await ask('nobody')).status).toBe(401);
  const head = await api.send('HEAD', '/v3/account');
  expect(head.status).toBe(200);
});

// contract 9.7, 9.6
test('contains nothing about other accounts and keys, nor the key itself', async () => {
  const [mine, other] = [await service.newKey(), await service.newKey()];
  await other.api.query({});
  const { text, body } = await ask(mine.key);
  expect(body.usage).toEqual([]);
  for (const secret of [mine.key, other.key, other.keyId, other.accountId])
    expect(text).not.toContain(secret);
});
