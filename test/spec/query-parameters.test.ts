import { buildOpenApi } from '../../api/ops/openapi/document';
import { SCOPES } from '../../models/access/api-key';
import { RECORD_SCHEMAS } from '../../scripts/import/record-lines';
import { ApiClient, idsOf } from '../support/api-client';
import { useService } from '../support/service';

/** contract 12.13, 8.1, 17.8: what stands in a query string is heard, or refused by its name. */
const ADMIN_TOKEN = 'operator-token-of-32-characters-x';
const service = useService({ ADMIN_TOKEN });
let api: ApiClient;
beforeAll(async () => {
  ({ api } = await service.newKey({ scopes: SCOPES }));
});

interface Parameter {
  readonly name: string;
  readonly in: string;
}
const { paths } = buildOpenApi({ records: RECORD_SCHEMAS }) as {
  paths: Record<string, { get?: { parameters: readonly Parameter[] } }>;
};
const READ = Object.entries(paths).flatMap(([path, { get }]) =>
  get && /^\/(api\/)?v3|^\/admin/.test(path)
    ? [[path, (get.parameters ?? []).flatMap((each) => (each.in === 'query' ? [each.name] : []))] as const]
    : [],
);
const ask = (path: string, query: string) => {
  const client = path.startsWith('/admin') ? new ApiClient(service.url, ADMIN_TOKEN) : api;
  return client.send('GET', `${path.replace('{id}', 'product_submariner')}?${query}`);
};
const refusal = (field: string) => expect.objectContaining({ error: 'bad_request', field });

// contract 12.13, 17.8
test.each(READ)('GET %s refuses what it does not have, and has %j', async (path, known) => {
  for (const name of ['include', 'pricing', 'Includes', 'constructor', '__proto__', 'includes[]', '']) {
    const { status, body } = await ask(path, `${encodeURIComponent(name)}=pricing`);
    expect([name, status, body]).toEqual([name, 400, refusal(name)]);
  }
  for (const name of known) {
    const { body } = await ask(path, `${name}=x`);
    expect(JSON.stringify(body)).not.toContain('There is no parameter');
    if (name === 'includes') continue;
    const twice = await ask(path, `${name}=1&${name}=2`);
    expect([twice.status, twice.body]).toEqual([400, refusal(name)]);
  }
});

// contract 12.13, 11.3
test('a parameter that is refused costs nothing, and is no answer to a stranger', async () => {
  const path = '/v3/catalog/items/product_submariner?include=pricing';
  expect((await api.send('GET', path)).headers.get('X-Credits-Used')).toBe('0');
  expect((await new ApiClient(service.url, 'nobody').send('GET', path)).status).toBe(401);
});

// contract 12.13, 6.1
test('includes that are given twice are one list', async () => {
  const { body } = await ask('/v3/catalog/items/{id}', 'includes=taxonomy&includes=pricing');
  expect(body).toMatchObject({
    includes: ['taxonomy', 'pricing'],
    data: [{ attributes: expect.anything() }],
  });
});

// contract 8.1
test.each(['brand[]', 'exclude_brand[0]', 'tags[a]', 'colour[]', 'whatever[]', 'page[', ']'])(
  '%s is refused by v1 and v2, which say how lists are written',
  async (name) => {
    const refused = [
      400,
      expect.objectContaining({ field: name, message: expect.stringMatching(/a list is written "\w*=a,b"/) }),
    ];
    const v1 = await api.send('GET', `/v1/products?${encodeURIComponent(name)}=brand_hermes`);
    expect([v1.status, v1.body]).toEqual(refused);
    const v2 = await api.send('POST', '/v2/products', { body: { [name]: ['brand_hermes'] } });
    expect([v2.status, v2.body]).toEqual(refused);
  },
);

// contract 8.1, 8.3
test('a v1 list goes on when it is repeated, and any other parameter is given once', async () => {
  const both = await api.v1('brand=brand_hermes&brand=brand_rolex&page_size=100');
  expect(idsOf(both).sort()).toEqual(
    idsOf(await api.v1('brand=brand_hermes,brand_rolex&page_size=100')).sort(),
  );
  for (const name of ['search', 'page', 'page_size', 'sort', 'attribute']) {
    const { status, body } = await api.send('GET', `/v1/products?${name}=1&${name}=1`);
    expect([status, body]).toEqual([400, refusal(name)]);
  }
});
