import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { API_VERSIONS, type ApiVersion, SCOPES } from '../../models/access/api-key';
import { VisionJobRunner } from '../../models/vision/jobs/vision-job-runner';
import { ADMIN_TOKEN, type Answer, ApiClient } from '../support/api-client';
import type { Operation } from '../support/document-check';
import { FIXTURE } from '../support/fixture-data';
import { rawAnswer } from '../support/interrupted-calls';
import { bag, fresh } from '../support/record-lines';
import { useService } from '../support/service';
import { useEmbeddedPictures } from '../support/stored-vectors';

/** contract 6.8, 9, 11, 12, 14.19: what holds at every address and method of the document. */
// A separate database, as its calls change what other files count.
const service = useService({ ADMIN_TOKEN }, {}, { ...FIXTURE, pool: 'every_endpoint', inBucket: true });
useEmbeddedPictures(service, {
  'https://pictures.example/birkin_croc-30.jpg': 0,
  'https://pictures.example/kelly_lizard.jpg': 10,
});
let api: ApiClient;
let accountId: string;
const { photo } = service;
beforeAll(async () => {
  ({ api, accountId } = await service.newKey({ scopes: SCOPES, credits: 1_000_000 }));
  await service.sees(['product_birkin_croc', 0.05]);
});

const PRODUCT = 'product_birkin_croc';
const lineOf = (id: string) => Buffer.from(`${JSON.stringify(bag(id))}\n`);
const made = async (path: string, body: object) =>
  (await api.send<{ id: string }>('POST', path, { body })).body.id;

const IDS: Readonly<Record<string, (method: string) => Promise<string>>> = {
  items: async () => PRODUCT,
  records: async (method) => {
    if (method === 'GET') return PRODUCT;
    const id = fresh('product');
    await api.write(lineOf(id));
    return id;
  },
  feeds: async () => {
    const row = { feed: 'shopify', product_id: PRODUCT, run: randomUUID() };
    await service.knex('product_feeds').insert(row).onConflict().ignore();
    return row.feed;
  },
  predictions: async () => (await api.identify(photo)).headers.get('X-Prediction-Id') ?? '',
  jobs: async () => {
    const id = await made('/v3/vision/jobs', { entries: [photo] });
    const { signal } = new AbortController();
    while (await service.resolve(VisionJobRunner).next(signal));
    return id;
  },
  webhooks: () => made('/v3/webhooks', { url: 'https://shop.example/', events: ['catalog.import.done'] }),
  accounts: async () => (await service.newKey({ credits: 10 })).accountId,
  keys: async () => (await service.newKey({ accountId })).keyId,
};

const { document, operations: OPERATIONS } = documentCheck;
const isAdmin = (path: string) => path.startsWith('/admin');
const versionOf = (path: string) => /^\/(?:api\/)?(v[123])\//.exec(path)?.[1] as ApiVersion | undefined;
const OF_CALLERS = OPERATIONS.filter(({ path }) => versionOf(path) !== undefined);
const UNSAFE = OPERATIONS.filter(({ method }) => method !== 'GET');
const canonical = (path: string) => path.replace(/^\/api/, '').replace('catalog/search', 'catalog/query');
const ALIASES = OF_CALLERS.filter(({ path }) => path !== canonical(path));

interface Call {
  readonly path: string;
  readonly body?: unknown;
  readonly raw?: Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The examples of its request by their names; one without a body where it has none. */
function examplesOf({ requestBody }: Operation): Readonly<Record<string, Omit<Call, 'path'>>> {
  const [[type = '', content] = []] = Object.entries(requestBody?.content ?? {});
  const headers = { 'Content-Type': type };
  if (!content) return { one: {} };
  if (type.startsWith('image/')) return { one: { raw: service.photoBytes, headers } };
  // No host is asked for a picture here; `test/workers/http-image-source.test.ts` tests that.
  const examples = Object.entries(content.examples ?? {}).filter(([name]) => name !== 'address');
  return Object.fromEntries(
    examples.map(([name, { value }]) => [
      name,
      type === 'application/json' ? { body: value } : { raw: Buffer.from(String(value)), headers },
    ]),
  );
}

/** A valid call, with the first example of its request; the records that it writes are new. */
async function callOf(operation: Operation): Promise<Call> {
  const { method, path } = operation;
  const [, kind = ''] = /(\w+)\/\{id\}/.exec(path) ?? [];
  const address = path.replace('{id}', (await IDS[kind]?.(method)) ?? 'x').replaceAll(/\{\w+\}/g, 'x');
  const written = method === 'PUT' ? { raw: lineOf(fresh('product')) } : {};
  return { path: address, ...Object.values(examplesOf(operation))[0], ...written };
}

const clientOf = (path: string, key = api.key) =>
  new ApiClient(service.url, isAdmin(path) && key !== null ? ADMIN_TOKEN : key);
const send = (method: string, { path, headers: typed, ...content }: Call, headers = {}, key = api.key) =>
  clientOf(path, key).send<object>(method, path, { ...content, headers: { ...typed, ...headers } });
const hasCredits = ({ headers }: Answer) => [...headers.keys()].some((name) => name.startsWith('x-credits'));
const sendWith = async (operation: Operation, options: Parameters<typeof service.newKey>[0]) => {
  const { key } = await service.newKey({ scopes: SCOPES, ...options, accountId });
  return send(operation.method, await callOf(operation), {}, key);
};

describe('who may call', () => {
  // contract 9.1, 10.3, 14.4
  test.each(OPERATIONS)('$name is a 401 for callers without a key, or open to all', async (operation) => {
    const { method, security } = operation;
    const answer = await send(method, await callOf(operation), {}, null);
    if (security.length === 0) return expect([200, 403, 404]).toContain(answer.status);
    const refusal = { success: false, error: 'unauthorized', request_id: expect.any(String) };
    expect(answer).toMatchObject({ status: 401, body: refusal });
    expect([answer.headers.get('WWW-Authenticate'), hasCredits(answer)]).toEqual(['Bearer', false]);
  });

  // contract 9.3
  test.each(OF_CALLERS)('$name opens for keys of its version, and v2 for those of v1', async (operation) => {
    const version = versionOf(operation.path);
    for (const opened of API_VERSIONS) {
      const answer = await sendWith(operation, { versions: [opened] });
      const opens = opened === version || (version === 'v2' && opened === 'v1');
      expect([opened, answer.status === 403, answer.status]).toEqual([opened, !opens, answer.status]);
      if (opens) expect(answer.status).toBeLessThan(300);
      else expect([answer.body, hasCredits(answer)]).toMatchObject([{ error: 'forbidden' }, false]);
    }
  });

  // contract 9.3, 15.8, 16.7, 16.10
  test.each(OF_CALLERS.filter(({ path }) => !/account|feedback/.test(path)))(
    '$name refuses a key without its scope, and names the scope; a test key writes nothing',
    async (operation) => {
      const writes = /records|images|feeds/.test(operation.path);
      const read = writes ? 'catalog:write' : 'catalog:read';
      const needed = /vision|webhooks/.test(operation.path) ? 'vision:identify' : read;
      const answer = await sendWith(operation, { scopes: SCOPES.filter((scope) => scope !== needed) });
      expect(answer).toMatchObject({ status: 403, body: { message: expect.stringContaining(needed) } });
      expect(hasCredits(answer)).toBe(false);
      if (/records|images/.test(operation.path))
        expect((await sendWith(operation, { test: true })).status).toBe(403);
    },
  );
});

// contract 11.2
test.each(Object.entries(document.paths))('405 at %s names what it allows', async (path, methods) => {
  const METHODS = { get: 'GET, HEAD', post: 'POST', put: 'PUT', delete: 'DELETE' };
  const allowed = Object.entries(METHODS).filter(([method]) => Object.hasOwn(methods, method));
  const allow = allowed.map(([, names]) => names).join(', ');
  const all = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
  for (const client of [service.anybody, service.api]) {
    for (const method of all.filter((each) => !allow.includes(each))) {
      const answer = await client.send(method, path.replace(/\{\w+\}/g, 'x'));
      expect([method, answer.status, answer.headers.get('Allow')]).toEqual([method, 405, allow]);
      if (method !== 'HEAD') expect(answer.body).toMatchObject({ error: 'method_not_allowed' });
    }
  }
});

/** What differs from call to call: request ids and signatures. */
const withoutPassing = (body: object): unknown =>
  JSON.parse(JSON.stringify(body, (key, value) => (['request_id', 'url'].includes(key) ? undefined : value)));

// contract 6.1, 9.3
test.each(ALIASES)('the alias $name answers as its current address does', async (operation) => {
  const { method } = operation;
  const call = await callOf(operation);
  const wrong = call.body ? { body: { includes: ['catalog'] } } : { path: `${call.path}x` };
  for (const sent of [call, { ...call, ...wrong }]) {
    const alias = await send(method, sent);
    const own = await send(method, { ...sent, path: canonical(sent.path) });
    expect([alias.status, withoutPassing(alias.body)]).toEqual([own.status, withoutPassing(own.body)]);
    expect(alias.headers.get('X-Credits-Used')).toBe(own.headers.get('X-Credits-Used'));
  }
});

// contract 6.8, 9.3
test.each([
  ...['/api/v1/products', '/api/v2/products', '/catalog/query', '/v2/catalog/query', '/v1/vision'],
  ...['/api/v3/catalog/items/product_birkin_croc/similar', '/api/v3/catalog/items', '/v4/catalog/query'],
])('%s is no address', async (path) => {
  const body = { ids: ['product_birkin_croc'] };
  // `items` could only be read as the id of an item.
  for (const answer of [await api.send('GET', path), await api.send('POST', path, { body })])
    expect(answer.status).toBe(404);
});

const isRefused = (path: string) => isAdmin(path) && !path.endsWith('/credits');

// contract 12.6, 17.7
test.each(UNSAFE)('$name honours an Idempotency-Key, also at its alias, or refuses it', async (operation) => {
  const { method, path } = operation;
  const field = 'Idempotency-Key';
  const [call, named] = [await callOf(operation), { [field]: fresh('key') }];
  const first = await send(method, call, named);
  if (isRefused(path)) return expect(first).toMatchObject({ status: 400, body: { field } });
  expect(first.status).toBeLessThan(300);
  expect(first.headers.get('Idempotency-Replayed')).toBeNull();
  const again = await send(method, { ...call, path: canonical(call.path) }, named);
  expect([again.status, again.headers.get('Idempotency-Replayed')]).toEqual([first.status, 'true']);
  if (ALIASES.includes(operation)) expect(again.text).toBe(first.text);
  expect((await send(method, { ...call, path: `${call.path}?other` }, named)).status).toBe(409);
  // contract 9.12
  if (isAdmin(path) || /DELETE|feedback/.test(operation.name)) return;
  const stranger = (await service.newKey({ scopes: SCOPES })).key;
  const trial = (await service.newKey({ accountId, test: true })).key;
  for (const key of /catalog\/(records|images)/.test(path) ? [stranger] : [stranger, trial]) {
    const other = await send(method, call, named, key);
    expect([other.status, other.headers.get('Idempotency-Replayed')]).toEqual([first.status, null]);
  }
});

// contract 12.13, 17.8
test.each(OPERATIONS.filter(({ name }) => /^GET \/(api|v3|admin)/.test(name)))(
  '$name refuses parameters that it does not have, and those given twice, by name and free',
  async (operation) => {
    const { path } = await callOf(operation);
    const refused = async (query: string, field: string) => {
      const { status, body, headers } = await send('GET', { path: `${path}?${query}` });
      expect([query, status, body]).toMatchObject([query, 400, { error: 'bad_request', field }]);
      expect(headers.get('X-Credits-Used') ?? '0').toBe('0');
    };
    for (const name of ['include', 'pricing', 'Includes', 'constructor', '__proto__', 'includes[]', ''])
      await refused(`${encodeURIComponent(name)}=pricing`, name);
    for (const { name } of operation.parameters.filter((each) => each.in === 'query')) {
      const { text } = await send('GET', { path: `${path}?${name}=x` });
      expect(text).not.toContain('There is no parameter');
      // Its two lists are one.
      if (name !== 'includes') await refused(`${name}=1&${name}=2`, name);
    }
  },
);

const CONDITIONS = {
  ...{ 'If-None-Match': '*', 'If-Match': '"x"', 'If-Range': '*', Range: 'bytes=0-0' },
  'If-Modified-Since': new Date(Date.now() + 86_400_000).toUTCString(),
  'If-Unmodified-Since': new Date(0).toUTCString(),
};
async function sent(path: string, method: string, headers: object) {
  const Authorization = `Bearer ${clientOf(path).key}`;
  const options = { method, headers: { Authorization, ...headers } };
  const { status, headers: told, bytes } = await rawAnswer(service.url + path, options);
  return { status, credits: told['x-credits-used'], etag: told.etag, isEmpty: bytes.length === 0 };
}
const read = OPERATIONS.filter(({ name }) => name.startsWith('GET') && !name.endsWith('/images/{file}'));

// contract 12.3, 10.3
test.each([...read.map(({ name }) => name), 'GET /', 'GET /docs'])(
  'conditions are ignored by %s: the answer is complete, and charged',
  async (name) => {
    const operation = read.find((each) => each.name === name);
    const path = operation ? (await callOf(operation)).path : name.replace('GET ', '');
    const plain = await sent(path, 'GET', {});
    for (const headers of [
      ...Object.entries(CONDITIONS).map((each) => Object.fromEntries([each])),
      CONDITIONS,
    ])
      expect([headers, await sent(path, 'GET', headers)]).toEqual([headers, { ...plain, etag: undefined }]);
    expect((await sent(path, 'HEAD', CONDITIONS)).status).toBe(plain.status);
  },
);

/** With `RECORD_EXAMPLES=1` the answers become the examples of the document. */
describe('an example of a request', () => {
  const FILE = join(__dirname, '../../api/ops/openapi/answers.json');
  const ANSWERED = OPERATIONS.filter(({ path, responses }) => {
    const { content = {} } = Object.values(responses)[0] ?? {};
    return !path.startsWith('/api/') && content['application/json']?.schema?.$ref !== undefined;
  })
    // Calls that rewrite a product of the fixture come last.
    .sort((one, other) => Number(one.method === 'PUT') - Number(other.method === 'PUT'));
  const recorded: Record<string, Record<string, { value: unknown }>> = {};

  // contract 14.19
  test.each(ANSWERED)('to $name is answered as the document says', async (operation) => {
    const { method, path, operationId, responses } = operation;
    const call = await callOf(operation);
    const limit = /^list(Accounts|Keys)$|Audit/.test(operationId) ? '?limit=1' : '';
    const query = path === '/v1/products' ? '?search=birkin&page_size=1' : limit;
    for (const [name, example] of Object.entries(examplesOf(operation))) {
      const { status, text } = await send(method, { ...example, path: call.path + query });
      expect([name, status, text]).toEqual([name, Number(Object.keys(responses)[0]), text]);
      const body = JSON.parse(text);
      expect(body.data ?? body.results).not.toEqual([]);
      recorded[operationId] = { ...recorded[operationId], [name]: { value: body } };
    }
  });

  test('has its recorded answer in the document', () => {
    const namesOf = (all: object) =>
      Object.entries(all).map(([id, answers]) => [id, ...Object.keys(answers)].join());
    const text = JSON.stringify(recorded, null, 2)
      .replaceAll(service.url, 'https://loupe.example')
      .replace(/(loupe_live|whsec)_[\w+/=]+/g, '$1_…');
    if (process.env['RECORD_EXAMPLES']) writeFileSync(FILE, `${text}\n`);
    expect(namesOf(JSON.parse(readFileSync(FILE, 'utf8'))).sort()).toEqual(namesOf(recorded).sort());
  });
});
