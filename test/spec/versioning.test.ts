import { useService } from '../support/service';

/** contract 9.3: versions and aliases. */
const service = useService();

test.each(['/api/v3/catalog/search', '/api/v3/catalog/query'])(
  '%s behaves as /v3/catalog/query',
  async (path) => {
    for (const body of [
      { query: 'birkin', includes: ['pricing', 'taxonomy'] },
      { page: -1 },
      { includes: ['catalog'] },
    ]) {
      const [own, alias] = [
        await service.api.query(body),
        await service.api.send<object>('POST', path, { body }),
      ];
      expect(alias.status).toBe(own.status);
      expect(withoutPassing(alias.body)).toEqual(withoutPassing(own.body));
      expect(alias.headers.get('X-Credits-Used')).toBe(own.headers.get('X-Credits-Used'));
    }
  },
);

// contract 6.1
test('/api/v3/catalog/items/:id behaves as /v3/catalog/items/:id', async () => {
  for (const id of ['product_birkin_croc', 'product_nobody']) {
    const alias = await service.api.send<object>('GET', `/api/v3/catalog/items/${id}`);
    const own = await service.api.item(id);
    expect(alias.status).toBe(own.status);
    expect(withoutPassing(alias.body)).toEqual(withoutPassing(own.body));
  }
});

test('/api/v3/vision/identify behaves as /v3/vision/identify', async () => {
  await service.sees(['product_submariner', 0.05]);
  const body = { base64: (await service.photo()).toString('base64') };
  const alias = await service.api.send<object>('POST', '/api/v3/vision/identify', { body });
  expect(withoutPassing(alias.body)).toEqual(withoutPassing((await service.api.identify(body)).body));
  expect((await service.api.send('POST', '/api/v3/vision/identify', { body: {} })).status).toBe(400);
});

test.each(['/api/v1/products', '/api/v2/products', '/catalog/query', '/v2/catalog/query', '/v1/vision'])(
  '%s is no address',
  async (path) => {
    expect((await service.api.send('POST', path, { body: {} })).status).toBe(404);
  },
);

/** What differs from call to call: request ids and signatures. */
const withoutPassing = (body: object): unknown =>
  JSON.parse(JSON.stringify(body, (key, value) => (['request_id', 'url'].includes(key) ? undefined : value)));
