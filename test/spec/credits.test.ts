import type { ApiClient } from '../support/api-client';
import { useService } from '../support/service';
import { useEmbeddedPictures } from '../support/stored-vectors';

/** contract 10.1 to 10.5: what calls cost. */
const service = useService();
useEmbeddedPictures(service);
service.seesInEachTest(['product_submariner', 0.05]);
const { photo } = service;
const CROC = 'product_birkin_croc';
const PRICING = { includes: ['pricing'] };

async function accountWith(credits: number | null) {
  const { api, accountId } = await service.newKey({ credits });
  return { api, balance: () => service.balance(accountId) };
}

type Call = (api: ApiClient) => Promise<{ status: number; headers: Headers; body: unknown }>;
const toldBy = ({ headers }: { headers: Headers }) =>
  ['X-Credits-Used', 'X-Credits-Remaining'].map((name) => Number(headers.get(name)));
const photos = (count: number) => ({ images: Array.from({ length: count }, () => photo) });
const several = [CROC, 'brand_hermes', 'product_nobody', 'product_submariner'];

// contract 10.1, 10.2, 10.3, 5.11
test.each<[string, number, Call]>([
  ['a catalog query', 1, (api) => api.query({})],
  ['a catalog query with pricing on products', 6, (api) => api.query(PRICING)],
  ['pricing on another scope', 1, (api) => api.query({ ...PRICING, taxonomy_node: 'brand' })],
  ['a query without rows', 0, (api) => api.query({ query: 'nothingatall', ...PRICING })],
  ['a page past the end', 0, (api) => api.query({ page: 1000 })],
  ['an item', 1, (api) => api.item(CROC)],
  ['an item with pricing', 6, (api) => api.item(CROC, 'pricing')],
  ['a brand with pricing', 1, (api) => api.item('brand_hermes', 'pricing')],
  ['an unknown item', 0, (api) => api.item('product_nobody', 'pricing')],
  ['two products and a brand with pricing', 13, (api) => api.items({ ids: several, ...PRICING })],
  ['several unknown items', 0, (api) => api.items({ ids: ['product_nobody', 'brand_nobody'] })],
  ['similar items', 1, (api) => api.similar(CROC)],
  ['similar items with pricing', 6, (api) => api.similar(CROC, { includes: 'pricing' })],
  ['nothing similar', 0, (api) => api.similar('product_birkin_togo', { includes: 'pricing' })],
  ['what is similar to an unknown item', 0, (api) => api.similar('product_nobody')],
  ['HEAD of similar items', 0, (api) => api.send('HEAD', `/v3/catalog/items/${CROC}/similar`)],
  ['v3 vision', 5, (api) => api.identify(photo)],
  ['v3 vision with pricing', 10, (api) => api.identify({ ...photo, ...PRICING })],
  ['v3 vision of no picture', 0, (api) => api.identify({ base64: 'AAAA' })],
  ['v2 vision', 10, (api) => api.identifyV2(photo)],
  ['three photos of an item', 9, (api) => api.identify(photos(3))],
  ['five photos of an item, with pricing', 18, (api) => api.identify({ ...photos(5), ...PRICING })],
  ['a suggestion', 0, (api) => api.suggest({ query: 'her' })],
  ['v1 products', 6, (api) => api.v1({})],
  ['v2 products', 6, (api) => api.v2({})],
  ['a malformed query', 0, (api) => api.query({ page: -1 })],
  ['HEAD of an item', 0, (api) => api.send('HEAD', `/v3/catalog/items/${CROC}`)],
  ['HEAD of v1 products', 0, (api) => api.send('HEAD', '/v1/products')],
])('%s costs %d, in the body, the headers and the account', async (_what, price, call) => {
  const { api, balance } = await accountWith(100);
  const answer = await call(api);
  expect([...toldBy(answer), await balance()]).toEqual([price, 100 - price, 100 - price]);
  const { body } = answer;
  if (body && typeof body === 'object' && 'credits_used' in body) expect(body.credits_used).toBe(price);
});

// contract 10.2, 10.3
test('free calls are answered without credits, and an unlimited account sees no balance', async () => {
  const { api } = await accountWith(null);
  const { headers } = await api.query(PRICING);
  expect([headers.get('X-Credits-Used'), headers.has('X-Credits-Remaining')]).toEqual(['6', false]);
  const { api: poor } = await accountWith(0);
  expect((await poor.send('HEAD', `/v3/catalog/items/${CROC}`)).status).toBe(200);
  expect((await poor.suggest({ query: 'her' })).status).toBe(200);
});

// contract 10.4
test.each<[string, number, Call]>([
  ['a query with pricing', 6, (api) => api.query(PRICING)],
  ['an item whose id is that of a product', 6, (api) => api.item('product_nobody', 'pricing')],
  ['an item of another id', 1, (api) => api.item('brand_hermes', 'pricing')],
  ['several items, found or not', 13, (api) => api.items({ ids: several.slice(1), ...PRICING })],
  ['similar items', 6, (api) => api.similar(CROC, { includes: 'pricing' })],
  ['v3 vision', 5, (api) => api.identify(photo)],
  ['v2 vision', 10, (api) => api.identifyV2(photo)],
  ['v1 products', 6, (api) => api.v1({})],
])(
  '%s is a 402 below a balance of %d, before any work, and not from there on',
  async (_what, price, call) => {
    const { api, balance } = await accountWith(price - 1);
    const answer = await call(api);
    const message = expect.stringContaining(price === 1 ? 'cost 1 credit,' : `cost ${price} credits,`);
    expect(answer).toMatchObject({ status: 402, body: { error: 'insufficient_credits', message } });
    expect([...toldBy(answer), await balance(), service.queue.calls]).toEqual([0, price - 1, price - 1, 0]);
    expect((await call((await accountWith(price)).api)).status).not.toBe(402);
  },
);

// contract 10.4
test('a failure of the workers releases the reserved credits', async () => {
  const { api, balance } = await accountWith(5);
  service.queue.behaviour = 'fails';
  expect((await api.identify(photo)).status).toBe(503);
  expect(await balance()).toBe(5);
  await service.sees(['product_submariner', 0.05]);
  expect((await api.identify(photo)).status).toBe(200);
});

test('one request id may be sent twice and is charged twice', async () => {
  const { api, balance } = await accountWith(10);
  const sending = { body: {}, headers: { 'X-Request-Id': 'the-same-id' } };
  for (const _call of [1, 2]) await api.send('POST', '/v3/catalog/query', sending);
  expect(await balance()).toBe(8);
});
