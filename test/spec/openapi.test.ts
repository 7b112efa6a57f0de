import { REFUSALS } from '../../api/middleware/simulate-error';
import { buildOpenApi } from '../../api/ops/openapi/document';
import { WEBHOOK_EVENTS } from '../../models/webhooks/webhook';
import { ADMIN_TOKEN } from '../support/api-client';
import { useService } from '../support/service';

/** contract 14.4, 14.19: what `/openapi.json` promises; `npm run check:openapi` checks its form and that examples fit schemas. */
const service = useService({ ADMIN_TOKEN });
const { operations, document } = documentCheck;

test('it is served with the address of the service, and names every kind of refusal', async () => {
  const { body } = await service.anybody.send('GET', '/openapi.json');
  expect(body).toEqual({ ...JSON.parse(JSON.stringify(document)), servers: [{ url: service.url }] });
  const answered = new Set(operations.flatMap(({ responses }) => Object.keys(responses)));
  for (const [code, [refusal]] of Object.entries(REFUSALS))
    expect([code, answered.has(String(refusal?.status))]).toEqual([code, true]);
});

test('only a 409, a 429 and a 503 are described with Retry-After', () => {
  const told = Object.entries(document.components.responses).filter(
    ([, each]) => 'Retry-After' in (each.headers ?? {}),
  );
  expect(told.map(([name]) => name)).toEqual(['Conflict', 'RateLimited', 'Unavailable', 'NotReady']);
});

test.each(operations)('$name says what it does, if it is deprecated and which key it needs', (operation) => {
  const { path, tags, security, description, parameters, requestBody, deprecated = false } = operation;
  expect(description.length).toBeGreaterThan(10);
  expect(tags).toHaveLength(1);
  const scheme = path.startsWith('/admin/') ? [{ admin: [] }] : [];
  expect(security).toEqual(/^\/(api\/)?v\d/.test(path) ? [{ key: [] }] : scheme);
  // contract 9.3: v3 is current; v1, v2 and the `/api/v3` addresses are kept for older integrations.
  expect(deprecated).toBe(/^\/(v1|v2|api)\//.test(path));
  expect(parameters.filter((each) => !each.$ref && !each.description)).toEqual([]);
  const bodies = Object.entries(requestBody?.content ?? {}).filter(([type]) => type.endsWith('json'));
  for (const [type, { examples }] of bodies) expect([type, examples]).toEqual([type, expect.any(Object)]);
});

function* objectsIn(value: unknown, at = ''): Generator<readonly [string, Record<string, unknown>]> {
  if (typeof value !== 'object' || value === null) return;
  yield [at, value as Record<string, unknown>];
  for (const [key, each] of Object.entries(value)) yield* objectsIn(each, `${at}/${key}`);
}

// contract 14.19
describe('generators of clients', () => {
  test('find no constant that is a boolean or a number, and each list of values named once', () => {
    const constants = [...objectsIn(document.components.schemas)].filter(
      ([, each]) => 'const' in each && typeof each['const'] !== 'string' && typeof each['type'] === 'string',
    );
    expect(constants.map(([at]) => at)).toEqual([]);
    const lists = [...objectsIn(document)].flatMap(([, { enum: values }]) =>
      Array.isArray(values) && values.length > 1 ? [values.join()] : [],
    );
    expect(lists.length).toBeGreaterThan(5);
    expect(lists.filter((each, at) => lists.indexOf(each) < at)).toEqual([]);
  });

  test('find a verb in the name of each operation, and the messages to webhooks', () => {
    const verbs =
      'cancel|check|create|credit|delete|get|identify|keep|list|query|revoke|rotate|search|send|store|suggest|write';
    const ids = operations.map(({ operationId }) => operationId);
    expect(ids.filter((id) => !new RegExp(`^(${verbs})([A-Z]|$)`).test(id))).toEqual([]);
    expect(Object.keys(document.webhooks)).toEqual([...WEBHOOK_EVENTS]);
  });
});

// contract 14.19, 15.1
test('lines of records have the same schema as in an import', () => {
  const faultsOf = (line: object) => documentCheck.faultsOfValue('/components/schemas/RecordLine', line);
  const tag = { id: 'material:exotic', name: 'Exotic' };
  expect(faultsOf({ tags: tag })).toEqual([]);
  expect(faultsOf({ products: { id: 'product_a', deleted: true } })).toEqual([]);
  const bare = { products: { id: 'product_a' } };
  for (const line of [{}, { tags: tag, categories: tag }, { tag }, { tags: {} }, bare])
    expect([line, ...faultsOf(line)]).not.toEqual([line]);
});

// contract 4.1, 8.1
test('every parameter of the contract has its default; those of v1 are the properties of v2', () => {
  const PAGING = { page: 0, page_size: 20, sort: 'popularity_desc' };
  const defaultsOf = (schema: string) => {
    const properties = Object.entries(document.components.schemas[schema]?.properties ?? {});
    return Object.fromEntries(properties.map(([name, property]) => [name, property.default]));
  };
  const query = { query: undefined, filters: [], taxonomy_node: 'product', match: 'any', ...PAGING };
  expect(defaultsOf('CatalogQuery')).toMatchObject(query);
  expect(defaultsOf('IdentifyRequest')).toMatchObject({ url: undefined, includes: ['taxonomy'] });
  const v1 = operations.find(({ path }) => path === '/v1/products');
  const parameters = (v1?.parameters ?? []).filter((each) => each.in === 'query');
  const lists = { category: ['handbags', 'watches'], tags: [], exclude_tags: [] };
  const others = { search: '', attribute: 'product', dial: undefined, exclude_brand: undefined };
  const defaults = Object.fromEntries(parameters.map(({ name, schema }) => [name, schema?.default]));
  expect(defaults).toMatchObject({ ...PAGING, ...lists, ...others });
  expect(Object.keys(defaultsOf('LegacyQuery'))).toEqual(parameters.map(({ name }) => name));
});

test('building it leaves no state behind', () => {
  const { components } = buildOpenApi({ records: {} });
  expect(components).not.toHaveProperty('schemas.RecordLine');
});

test('every field of an answer is described, and only `ids` of a filter is deprecated', () => {
  const all = Object.entries(document.components.schemas).flatMap(([name, { properties = {} }]) =>
    Object.entries(properties).map(([key, property]) => ({ ...property, key: `${name}.${key}` })),
  );
  expect(all.filter(({ deprecated }) => deprecated).map(({ key }) => key)).toEqual(['Filter.ids']);
  // Records are described with bundles (docs/catalog-bundle.md).
  const answered = all.filter(({ key }) => !/^\w*(Record(Line)?|Deletion)\./.test(key));
  const silent = answered.filter(({ description, $ref }) => !description && !$ref);
  expect(silent.map(({ key }) => key)).toEqual([]);
});
