import { useService } from '../support/service';

/** contract 6.1: one catalog row. */
const service = useService();

// contract 6.1
test('answers the envelope of a query with an array of one item', async () => {
  const { status, body } = await service.api.item('product_submariner');
  const { data, ...envelope } = body;
  expect(status).toBe(200);
  expect(data.map(({ id }) => id)).toEqual(['product_submariner']);
  expect(envelope).toEqual({
    success: true,
    results: 1,
    total_results: 1,
    page: 0,
    total_pages: 1,
    credits_used: 1,
    includes: ['taxonomy'],
    resolved_taxonomy: { node: 'product', level: 5 },
  });
});

test.each([
  ['brand_hermes', { node: 'brand', level: 0 }],
  ['dial_black', { node: 'dial', level: 4 }],
  ['jewellery', { node: 'category', level: 0 }],
])('finds rows of any kind: %s', async (id, resolved_taxonomy) => {
  expect(await service.api.item(id)).toMatchObject({
    status: 200,
    body: { resolved_taxonomy, data: [{ id }] },
  });
});

test.each([
  [undefined, ['taxonomy']],
  ['', []],
  ['taxonomy', ['taxonomy']],
  ['pricing', ['pricing']],
  ['pricing,taxonomy', ['pricing', 'taxonomy']],
  ['taxonomy, pricing', ['taxonomy', 'pricing']],
])('includes=%s means %j', async (includes, effective) => {
  const { body } = await service.api.item('product_birkin_croc', includes);
  expect(body.includes).toEqual(effective);
  expect('attributes' in (body.data[0] ?? {})).toBe(effective.includes('taxonomy'));
  expect('pricing' in (body.data[0]?.variants?.[0] ?? {})).toBe(effective.includes('pricing'));
});

test('takes a repeated includes as one list', async () => {
  const { body } = await service.api.send<{ includes: string[] }>(
    'GET',
    '/v3/catalog/items/product_birkin_croc?includes=taxonomy&includes=pricing',
  );
  expect(body.includes).toEqual(['taxonomy', 'pricing']);
});

test.each(['catalog', 'taxonomy,catalog', 'Taxonomy', 'taxonomy,,pricing'])(
  'includes=%s is a 400',
  async (includes) => {
    expect(await service.api.item('product_birkin_croc', includes)).toMatchObject({
      status: 400,
      body: { error: 'bad_request', field: 'includes' },
    });
  },
);

// contract 6.2
test.each([
  'product_nobody',
  'variant_birkin_croc_30',
  'colour_noir',
  'PRODUCT_BIRKIN_CROC',
  'product_birkin_croc ',
  "' OR 1=1 --",
  '../../etc/passwd',
  'é',
])('%s is no row: 404, free of charge', async (id) => {
  const answer = await service.api.item(id);
  expect(answer).toMatchObject({ status: 404, body: { success: false, error: 'not_found' } });
  expect(answer.headers.get('X-Credits-Used')).toBe('0');
});

test('an id of any length is looked up', async () => {
  expect((await service.api.item('x'.repeat(5000))).status).toBe(404);
});

test.each([
  '/v3/catalog/items/%00',
  '/v3/catalog/items/product%00x',
  '/v3/catalog/items/%zz',
  '/v3/catalog/items/%ff',
])('%s is a 400, free of charge', async (path) => {
  const answer = await service.api.send('GET', path);
  expect(answer).toMatchObject({ status: 400, body: { error: 'bad_request', field: 'id' } });
  expect(answer.headers.get('X-Credits-Used')).toBe('0');
});
