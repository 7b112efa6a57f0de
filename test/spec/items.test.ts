import { idsOf } from '../support/api-client';
import { useService } from '../support/service';

/** contract 6.7: several rows by their ids. */
const service = useService();
const IDS = ['product_submariner', 'brand_hermes', 'product_birkin_croc', 'jewellery'];

// contract 6.7
test('answers rows in the order of the ids, each as it is alone', async () => {
  const { status, body } = await service.api.items({ ids: IDS });
  const { data, ...envelope } = body;
  const alone = await Promise.all(IDS.map(async (id) => (await service.api.item(id)).body.data[0]));
  expect(status).toBe(200);
  expect(data).toEqual(alone);
  expect(envelope).toEqual({
    success: true,
    results: 4,
    total_results: 4,
    page: 0,
    total_pages: 1,
    credits_used: 4,
    includes: ['taxonomy'],
    resolved_taxonomy: { node: 'product', level: 5 },
    not_found: [],
  });
});

// contract 6.7, 6.2
test('lists what there is not, in the order of the ids', async () => {
  const gone = ['product_nobody', 'variant_birkin_croc_30', 'product_deleted', 'colour_noir'];
  const answer = await service.api.items({ ids: [gone[0], 'echo', IDS[2], ...gone.slice(1), IDS[1]] });
  expect(idsOf(answer)).toEqual([IDS[2], IDS[1]]);
  expect(answer.body.not_found).toEqual([gone[0], 'echo', ...gone.slice(1)]);
});

// contract 6.7
test('an id that is named again is one row at its first place, and paid once', async () => {
  const ids = [IDS[1], 'product_nobody', IDS[0], IDS[1], 'product_nobody', IDS[0]];
  const answer = await service.api.items({ ids });
  expect(idsOf(answer)).toEqual([IDS[1], IDS[0]]);
  expect(answer.body).toMatchObject({ not_found: ['product_nobody'], credits_used: 2 });
});

test('nothing found is no error, and free', async () => {
  const { status, body } = await service.api.items({ ids: ['product_nobody'], includes: ['pricing'] });
  expect(status).toBe(200);
  expect(body).toMatchObject({
    ...{ results: 0, total_pages: 0, credits_used: 0, data: [], not_found: ['product_nobody'] },
    resolved_taxonomy: { node: null, level: null },
  });
});

// contract 6.7
test.each<[string, object, string]>([
  ['no ids', {}, 'ids'],
  ['an empty list', { ids: [] }, 'ids'],
  ['101 ids', { ids: Array.from({ length: 101 }, () => 'brand_hermes') }, 'ids'],
  ['null', { ids: null }, 'ids'],
  ['a text', { ids: 'brand_hermes' }, 'ids'],
  ['a number among them', { ids: ['brand_hermes', 1] }, 'ids'],
  ['an unknown module', { ids: IDS, includes: ['catalog'] }, 'includes'],
  ['an unknown property', { ids: IDS, page: 0 }, 'page'],
])('%s is a 400', async (_what, body, field) => {
  const answer = await service.api.items(body);
  expect(answer).toMatchObject({ status: 400, body: { error: 'bad_request', field } });
  expect(answer.headers.get('X-Credits-Used')).toBe('0');
});

test('100 ids are answered', async () => {
  const ids = Array.from({ length: 99 }, (_, at) => `product_${at}`);
  const { body } = await service.api.items({ ids: [...ids, 'brand_hermes'] });
  expect([body.results, body.not_found.length]).toEqual([1, 99]);
});

// contract 10.4
test('all are reserved together, or none', async () => {
  const { api, accountId } = await service.newKey({ credits: 12 });
  const body = { ids: ['product_submariner', 'product_birkin_croc', 'brand_hermes'], includes: ['pricing'] };
  expect(await api.items(body)).toMatchObject({ status: 402, body: { error: 'insufficient_credits' } });
  expect(await service.balance(accountId)).toBe(12);
  expect((await api.items({ ...body, ids: body.ids.slice(0, 2) })).status).toBe(200);
  expect(await service.balance(accountId)).toBe(0);
});

// contract 12.6
test('with an Idempotency-Key it is made and paid once', async () => {
  const { api, accountId } = await service.newKey({ credits: 100 });
  const call = () =>
    api.send('POST', '/v3/catalog/items', {
      body: { ids: IDS },
      headers: { 'Idempotency-Key': 'several-items' },
    });
  const [first, again] = [await call(), await call()];
  expect(again.text).toBe(first.text);
  expect(again.headers.get('Idempotency-Replayed')).toBe('true');
  expect(await service.creditsBooked(accountId)).toBe(4);
});
