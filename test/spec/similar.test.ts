import { idsOf } from '../support/api-client';
import { useService } from '../support/service';
import { useEmbeddedPictures } from '../support/stored-vectors';

/** contract 6.3, 6.4: products that look like one, by their stored pictures. */
const service = useService();
const picture = (name: string) => `https://pictures.example/${name}.jpg`;
useEmbeddedPictures(service, {
  [picture('birkin_croc-30')]: 0,
  [picture('kelly_lizard')]: 10,
  [picture('kelly_croc')]: 20,
  [picture('kelly_croc-28')]: 70,
  [picture('speedy_epi')]: 30,
  [picture('nautilus')]: 1,
  [picture('submariner-41')]: 5,
});
const NEAREST = ['product_kelly_lizard', 'product_kelly_croc', 'product_speedy_epi'];
/** Half precision keeps three digits. */
const cosines = (...degrees: readonly number[]) =>
  degrees.map((each) => expect.closeTo(Math.cos((each * Math.PI) / 180), 2));

// contract 6.3, 6.4
test('answers each other product once, the most similar first, in the envelope of a query', async () => {
  const { status, body, headers } = await service.api.similar('product_birkin_croc');
  const { data, ...envelope } = body;
  expect(status).toBe(200);
  expect(data.map(({ id }) => id)).toEqual(NEAREST);
  expect(data.map(({ similarity }) => similarity)).toEqual(cosines(10, 20, 30));
  expect(envelope).toEqual({
    success: true,
    results: 3,
    total_results: 3,
    page: 0,
    total_pages: 1,
    credits_used: 1,
    includes: ['taxonomy'],
    resolved_taxonomy: { node: 'product', level: 3 },
  });
  expect(headers.get('X-Credits-Used')).toBe('1');
});

// contract 6.4
test('a product of several pictures is as similar as they are in the mean', async () => {
  const { body } = await service.api.similar('product_kelly_croc');
  const [lizard] = cosines(10).map(() => body.data.find(({ id }) => id === 'product_kelly_lizard'));
  const mean = (Math.cos((10 * Math.PI) / 180) + Math.cos((60 * Math.PI) / 180)) / 2;
  expect(lizard?.similarity).toBeCloseTo(mean, 2);
  expect(body.data[0]?.id).toBe('product_speedy_epi');
});

// contract 6.4
test('asks no worker', async () => {
  service.queue.reset();
  service.queue.fails();
  expect((await service.api.similar('product_birkin_croc')).status).toBe(200);
  expect(service.queue.calls).toBe(0);
  service.queue.reset();
});

// contract 6.3
test.each([
  ['1', 1],
  ['2', 2],
  ['10', 3],
  ['1000', 3],
])('size=%s answers %d rows', async (size, rows) => {
  const answer = await service.api.similar('product_birkin_croc', { size });
  expect(idsOf(answer)).toEqual(NEAREST.slice(0, rows));
  expect(answer.body).toMatchObject({ results: rows, total_results: rows });
});

// contract 6.5
test.each(['watches', 'WATCHES', 'Watches'])('category_id=%s looks there', async (category_id) => {
  const answer = await service.api.similar('product_birkin_croc', { category_id });
  expect(idsOf(answer)).toEqual(['product_nautilus', 'product_submariner']);
  expect(answer.body.resolved_taxonomy).toEqual({ node: 'product', level: 5 });
});

test('rows have the modules that an item has', async () => {
  const { body } = await service.api.similar('product_birkin_croc', { includes: 'pricing', size: '1' });
  const item = await service.api.item('product_kelly_lizard', 'pricing');
  const { similarity, ...row } = body.data[0] ?? {};
  expect(similarity).toEqual(expect.any(Number));
  expect(withoutSignatures(row)).toEqual(withoutSignatures(item.body.data[0]));
  const refused = await service.api.similar('product_birkin_croc', { includes: 'catalog' });
  expect(refused).toMatchObject({ status: 400, body: { field: 'includes' } });
});

// contract 6.6
test.each([
  ['a brand', 'brand_hermes'],
  ['a category', 'handbags'],
  ['a product without an embedded picture', 'product_birkin_togo'],
  ['a product that is alone', 'product_love_ring'],
])('nothing is similar to %s: no rows, free of charge', async (_what, id) => {
  const { status, body, headers } = await service.api.similar(id, { includes: 'pricing' });
  expect(status).toBe(200);
  expect(body).toMatchObject({
    ...{ results: 0, total_results: 0, total_pages: 0, credits_used: 0, data: [] },
    resolved_taxonomy: { node: null, level: null },
  });
  expect(headers.get('X-Credits-Used')).toBe('0');
});

// contract 6.8
test.each([
  ['GET', '/api/v3/catalog/items/product_birkin_croc/similar'],
  ['POST', '/api/v3/catalog/items'],
])('%s %s is no address', async (method, path) => {
  const body = method === 'POST' ? { ids: ['product_birkin_croc'] } : undefined;
  expect((await service.api.send(method, path, { body })).status).toBe(404);
});

const withoutSignatures = (row: unknown): unknown =>
  JSON.parse(JSON.stringify(row).replaceAll(/\?expires=[^"]*/g, ''));
