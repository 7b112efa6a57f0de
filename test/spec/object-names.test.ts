import { SCOPES } from '../../models/access/api-key';
import { type ApiClient, idsOf } from '../support/api-client';
import { OBJECT_NAMES } from '../support/odd-characters';
import { useService } from '../support/service';
import { RUN, WRITTEN } from '../support/written-catalog';

/** contract 13.19: names that every object of JavaScript has are names like any other, wherever a caller chooses one. */
const service = useService({}, {}, WRITTEN);
let api: ApiClient;
beforeAll(async () => {
  api = (await service.newKey({ scopes: SCOPES })).api;
});

/** Fields begin with a letter. */
const FIELDS = OBJECT_NAMES.filter((name) => /^\p{L}/u.test(name));
const NO_FIELDS = OBJECT_NAMES.filter((name) => !FIELDS.includes(name));
const CATEGORY = `constructor-${RUN}`;
const entityOf = (field: string) => `${field}_${RUN}`;
const productOf = (field: string) => `product_${field}_${RUN}`;
const bare = `product_bare_${RUN}`;

const category = {
  id: CATEGORY,
  name: CATEGORY,
  hierarchy: ['brand', ...FIELDS],
  name_fields: ['brand', ...FIELDS],
};
const tags = FIELDS.map((name) => ({ id: `${name}:${name}`, name, categories: [CATEGORY] }));
const entities = FIELDS.map((field) => ({
  id: entityOf(field),
  kind: field,
  name: `Name ${field}`,
  category: CATEGORY,
}));
const products = FIELDS.map((field) => ({
  id: productOf(field),
  category: CATEGORY,
  attributes: { [field]: entityOf(field) },
  tags: [`${field}:${field}`],
  keywords: [field],
  variants: [{ id: `variant_${field}_${RUN}`, fields: [{ field, name: field }] }],
}));
const estimates = FIELDS.map((field) => ({
  variant: `variant_${field}_${RUN}`,
  source: field,
  region: 'NA',
  A: 10,
}));

// contract 13.19, 15.3
test('records are written whatever their categories, fields, tags and sources are called', async () => {
  const lines = [
    { categories: category },
    ...tags.map((tag) => ({ tags: tag })),
    ...entities.map((entity) => ({ entities: entity })),
    { products: { id: bare, category: CATEGORY, attributes: {}, title: 'Bare' } },
    ...products.map((product) => ({ products: product })),
    ...estimates.map((estimate) => ({ estimates: estimate })),
  ];
  const { status, body } = await api.write(lines);
  expect(body.data.filter((line) => line.status !== 'accepted')).toEqual([]);
  expect([status, body.accepted]).toEqual([200, lines.length]);
});

// contract 13.19, 4.4, 4.15, 4.2
test.each(FIELDS)('%s is filtered by, counted, listed and looked up', async (field) => {
  const filters = (choice: object) => [{ field, ...choice }];
  const asked = { category_id: CATEGORY, page_size: 100 };
  const included = await api.query({
    ...asked,
    filters: filters({ include: [entityOf(field)] }),
    facets: [field],
  });
  expect(idsOf(included)).toEqual([productOf(field)]);
  expect(included.body.facets).toEqual({
    [field]: [{ id: entityOf(field), name: `Name ${field}`, count: 1 }],
  });
  const excluded = await api.query({ ...asked, filters: filters({ exclude: [entityOf(field)] }) });
  expect(idsOf(excluded)).toHaveLength(FIELDS.length);
  expect(idsOf(excluded)).not.toContain(productOf(field));
  expect(idsOf(await api.query({ ...asked, taxonomy_node: field }))).toEqual([entityOf(field)]);
  expect(
    idsOf(await api.query({ ...asked, filters: [{ field: 'tags', include: [`${field}:${field}`] }] })),
  ).toEqual([productOf(field)]);
  expect(idsOf(await api.query({ ...asked, query: field }))).toContain(productOf(field));
  const { body } = await api.item(productOf(field), 'taxonomy,pricing');
  expect(body.data[0]).toMatchObject({
    name: `Name ${field}`,
    attributes: [{ field: 'category' }, { field, id: entityOf(field), name: `Name ${field}` }],
    variants: [{ fields: [{ field, name: field }], pricing: { market_estimates: [{ source: field }] } }],
  });
});

// contract 13.19, 8.3
test.each(FIELDS)('%s is a facet of v1 and v2', async (field) => {
  const asked = { category: CATEGORY, page_size: '100' };
  for (const call of [api.v1.bind(api), api.v2.bind(api)]) {
    const [included, excluded, listed] = await Promise.all([
      call({ ...asked, [field]: entityOf(field) }),
      call({ ...asked, [`exclude_${field}`]: entityOf(field) }),
      call({ ...asked, attribute: field }),
    ]);
    expect(idsOf(included)).toEqual([productOf(field)]);
    expect(idsOf(excluded)).toHaveLength(FIELDS.length);
    expect(idsOf(excluded)).not.toContain(productOf(field));
    expect(idsOf(listed)).toEqual([entityOf(field)]);
    expect(included.body.stats.id).toMatchObject({ [entityOf(field)]: 1 });
  }
});

// contract 13.19, 13.6
test.each(NO_FIELDS)('%s is no field, and the record is rejected alone', async (name) => {
  const attributes = JSON.parse(`{"${name}":"brand_x"}`);
  const parents = JSON.parse(`{"${name}":"brand_x"}`);
  const { body } = await api.write([
    { products: { id: `product_x${RUN}`, category: CATEGORY, attributes } },
    { entities: { id: `style_x${RUN}`, kind: 'style', name: 'x', category: CATEGORY, parents } },
    { categories: { ...category, hierarchy: [name] } },
    `{"products":${JSON.stringify({ id: bare, category: CATEGORY, attributes: {}, title: 'Bare' })}}`,
  ]);
  expect(body.data.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected', 'accepted']);
  expect(body.data.map((line) => ('reason' in line ? line.reason : ''))).toEqual([
    expect.stringContaining(name),
    expect.stringContaining(name),
    'is no field name',
    '',
  ]);
});

// contract 13.19
test('a key of the prototype is told wherever it stands and however it is written', async () => {
  const { body } = await api.write([
    `{"products":{"id":"product_x${RUN}","category":"${CATEGORY}","attributes":{},"__proto__":{}}}`,
    `{"products":{"id":"product_x${RUN}","category":"${CATEGORY}","attributes":{"\\u005f_proto__":[]}}}`,
    '{"__proto__":{}}',
  ]);
  expect(body.data.map((line) => ('reason' in line ? [line.field, line.reason] : line))).toEqual([
    ['__proto__', '"__proto__" is no field of this record'],
    ['attributes', 'the key "__proto__" can not be used'],
    ['line', expect.stringContaining('is no object with one key')],
  ]);
});

// contract 4.1, 8.1, 16.1
test.each(OBJECT_NAMES)('%s is no parameter of v3, a job or a webhook, and no error of v1', async (name) => {
  const with_ = (body: object) => `${JSON.stringify(body).slice(0, -1)},"${name}":"x"}`;
  const filters = [{ field: name, include: ['x'] }];
  const photo = { url: 'https://shop.example/x.jpg' };
  const refused: readonly [path: string, body: string][] = [
    ['/v3/catalog/query', with_({ query: 'x' })],
    ['/v3/catalog/suggest', with_({ query: 'x' })],
    ['/v3/catalog/items', with_({ ids: ['x'] })],
    ['/v3/vision/identify', with_(photo)],
    ['/v3/vision/jobs', with_({ entries: [photo] })],
    ['/v3/vision/jobs', `{"entries":[${with_(photo)}]}`],
    ['/v3/webhooks', with_({ url: 'https://shop.example', events: ['vision.job.done'] })],
  ];
  for (const [path, raw] of refused) {
    const { status, body } = await api.send('POST', path, { raw });
    expect([path, status, body]).toEqual([path, 400, expect.objectContaining({ error: 'bad_request' })]);
  }
  const values: readonly [path: string, body: object][] = [
    ['/v3/catalog/query', { includes: [name] }],
    ['/v3/catalog/query', { sort: name }],
    ['/v3/catalog/query', { category_id: name }],
    ['/v3/webhooks', { url: 'https://shop.example', events: [name] }],
  ];
  for (const [path, body] of values) expect((await api.send('POST', path, { body })).status).toBe(400);
  const found = await api.query({ filters, facets: [name] });
  expect([found.status, found.body.total_results, Object.entries(found.body.facets ?? {})]).toEqual([
    200,
    0,
    [[name, []]],
  ]);
  expect((await api.v1({ [name]: 'x', [`exclude_${name}`]: 'y' })).status).toBe(200);
});
