import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { REFUSALS } from '../../api/middleware/simulate-error';
import { WEBHOOK_EVENTS } from '../../models/webhooks/webhook';
import { ADMIN_TOKEN } from '../support/api-client';
import { type BodyObject, DocumentCheck, pointerOf } from '../support/document-check';
import { useService } from '../support/service';
import { temporaryFolder } from '../support/temporary-folder';

/** contract 14.4: what `/openapi.json` promises about the whole service. */
const service = useService({ ADMIN_TOKEN });
const check = new DocumentCheck();

const { operations, document } = check;

const examplesIn = (body: BodyObject | undefined, type = 'application/json') =>
  Object.entries(body?.content?.[type]?.examples ?? {});

test('a validator accepts it as OpenAPI 3.1, at the address of the service', async () => {
  const file = join(temporaryFolder(), 'openapi.json');
  const { text, body } = await service.anybody.send('GET', '/openapi.json');
  expect(body).toMatchObject({ openapi: expect.stringMatching(/^3\.1\./), servers: [{ url: service.url }] });
  await writeFile(file, text);
  const folder = dirname(require.resolve('@seriousme/openapi-schema-validator'));
  const validator = join(folder, 'bin/validate-api-cli.js');
  const { stdout } = await promisify(execFile)(process.execPath, [validator, file]);
  expect(JSON.parse(stdout)).toEqual({ valid: true });
});

describe.each(operations)('$name', (operation) => {
  test('says what it does, whether it is deprecated and which key it needs', () => {
    const { path, tags, security, summary, description, parameters, deprecated = false } = operation;
    expect([summary, description].every((text) => text.length > 10)).toBe(true);
    expect(tags).toHaveLength(1);
    const scheme = path.startsWith('/admin/') ? [{ admin: [] }] : [];
    expect(security).toEqual(/^\/(api\/)?v\d/.test(path) ? [{ key: [] }] : scheme);
    // contract 9.3: v3 is current; v1, v2 and the `/api/v3` addresses are kept for older integrations.
    expect(deprecated).toBe(/^\/(v1|v2|api)\//.test(path));
    expect(parameters.filter((each) => !each.$ref && !each.description)).toEqual([]);
  });

  test('has examples that fit its schemas', () => {
    const { responses, requestBody = {} } = operation;
    const answers = Object.entries(responses).map(([status, body]) => [`responses/${status}`, body] as const);
    for (const [part, body] of [...answers, ['requestBody', requestBody] as const]) {
      for (const [type, { schema }] of Object.entries(body.content ?? {})) {
        const examples = examplesIn(body, type);
        if (type === 'application/json' && schema?.$ref) expect(examples).not.toEqual([]);
        for (const [name, { value }] of examples)
          expect([name, ...check.faultsOfValue(pointerOf(operation, part, type), value)]).toEqual([name]);
      }
    }
  });
});

test('every kind of refusal has an answer with examples, at an address that can give it', () => {
  const answered = new Set(operations.flatMap(({ responses }) => Object.keys(responses)));
  for (const [code, [refusal]] of Object.entries(REFUSALS))
    expect([code, answered.has(String(refusal?.status))]).toEqual([code, true]);
  for (const [name, response] of Object.entries(document.components.responses)) {
    const examples = examplesIn(response);
    expect(examples.length).toBeGreaterThan(0);
    const pointer = response.content?.['application/json']?.schema?.$ref?.slice(1) ?? '';
    for (const [, { value }] of examples)
      expect([name, ...check.faultsOfValue(pointer, value)]).toEqual([name]);
  }
});

/** Every object in the document, with where it is. */
function* objectsIn(value: unknown, at = ''): Generator<readonly [string, Record<string, unknown>]> {
  if (typeof value !== 'object' || value === null) return;
  yield [at, value as Record<string, unknown>];
  for (const [key, each] of Object.entries(value)) yield* objectsIn(each, `${at}/${key}`);
}

// contract 14.19
describe('generators of clients', () => {
  test('find no constant that is a boolean or a number', () => {
    const constants = [...objectsIn(document.components.schemas)].filter(
      ([, each]) => 'const' in each && typeof each['const'] !== 'string' && typeof each['type'] === 'string',
    );
    expect(constants.map(([at]) => at)).toEqual([]);
  });

  test('find each list of values named once', () => {
    const lists = [...objectsIn(document)].flatMap(([, { enum: values }]) =>
      Array.isArray(values) && values.length > 1 ? [values.join()] : [],
    );
    expect(lists.length).toBeGreaterThan(5);
    expect(lists.filter((each, at) => lists.indexOf(each) < at)).toEqual([]);
  });

  test('find a verb in the name of each operation, and no name twice', () => {
    const ids = operations.map(({ operationId }) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
    const verbs =
      'cancel|check|create|credit|delete|get|identify|keep|list|query|revoke|rotate|search|send|store|suggest|write';
    expect(ids.filter((id) => !new RegExp(`^(${verbs})([A-Z]|$)`).test(id))).toEqual([]);
  });

  test('find the messages to webhooks', () => {
    const { webhooks } = document;
    expect(Object.keys(webhooks)).toEqual([...WEBHOOK_EVENTS]);
    for (const { post } of Object.values(webhooks)) {
      const examples = examplesIn(post.requestBody);
      const messages = examples.map(([, { value }]) => JSON.stringify(value));
      expect(messages).toHaveLength(1);
      expect(messages.flatMap((each) => check.faultsOfMessage(each))).toEqual([]);
    }
  });
});

// contract 14.19, 15.1
test('lines of records have the same schema as in an import', () => {
  const faultsOf = (line: object) => check.faultsOfValue('/components/schemas/RecordLine', line);
  const written = operations.find(({ operationId }) => operationId === 'writeRecords');
  const examples = examplesIn(written?.requestBody, 'application/x-ndjson');
  const lines = examples.flatMap(([, { value }]) => String(value).trim().split('\n'));
  expect(lines.length).toBeGreaterThan(0);
  expect(lines.flatMap((line) => faultsOf(JSON.parse(line)))).toEqual([]);
  const tag = { id: 'material:exotic', name: 'Exotic' };
  expect(faultsOf({ tags: tag })).toEqual([]);
  expect(faultsOf({ products: { id: 'product_a', deleted: true } })).toEqual([]);
  const bare = { products: { id: 'product_a' } };
  for (const line of [{}, { tags: tag, categories: tag }, { tag }, { tags: {} }, bare])
    expect([line, ...faultsOf(line)]).not.toEqual([line]);
});

// contract 4.1, 8.1
describe('every parameter of the contract has its default', () => {
  const PAGING = { page: 0, page_size: 20, sort: 'popularity_desc' };
  const defaultsOf = (schema: string) =>
    Object.entries(document.components.schemas[schema]?.properties ?? {}).map(([name, property]) => [
      name,
      property.default,
    ]);

  test('in the bodies of v3', () => {
    const query = {
      query: undefined,
      category_id: undefined,
      filters: [],
      taxonomy_node: 'product',
      ...PAGING,
    };
    expect(defaultsOf('CatalogQuery')).toEqual(expect.arrayContaining(Object.entries(query)));
    const photo = { url: undefined, base64: undefined, includes: ['taxonomy'] };
    expect(defaultsOf('IdentifyRequest')).toEqual(expect.arrayContaining(Object.entries(photo)));
  });

  test('in the query string of v1, whose parameters are those of the body of v2', () => {
    const v1 = operations.find(({ path }) => path === '/v1/products');
    const parameters = (v1?.parameters ?? []).filter((each) => each.in === 'query');
    const lists = { category: ['handbags', 'watches'], tags: [], exclude_tags: [] };
    const others = { search: '', attribute: 'product', dial: undefined, exclude_brand: undefined };
    const defaults = Object.entries({ ...PAGING, ...lists, ...others });
    expect(parameters.map(({ name, schema }) => [name, schema?.default])).toEqual(
      expect.arrayContaining(defaults),
    );
    expect(defaultsOf('LegacyQuery').map(([name]) => name)).toEqual(parameters.map(({ name }) => name));
  });
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
