import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { buildOpenApi } from '../../api/ops/openapi/document';
import { API_VERSIONS, type ApiVersion, SCOPES } from '../../models/access/api-key';
import { RECORD_SCHEMAS } from '../../scripts/import/record-schemas';
import { ADMIN_TOKEN, type Answer, ApiClient } from '../support/api-client';
import { FIXTURE } from '../support/fixture-data';
import { useService } from '../support/service';
import { bag, fresh } from '../support/written-catalog';

/** contract 6.8, 9, 11, 12: what holds at every address and method of the document. */
// A database of its own: other files count what is in theirs.
const service = useService({ ADMIN_TOKEN }, {}, { ...FIXTURE, name: 'every_endpoint' });
let api: ApiClient;
let accountId: string;
const { photo } = service;
beforeAll(async () => {
  ({ api, accountId } = await service.newKey({ scopes: SCOPES }));
  await service.sees(['product_submariner', 0.05]);
});

interface Call {
  readonly path: string;
  readonly body?: object;
  readonly raw?: Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

const made = async (path: string, body: object) =>
  (await api.send<{ id: string }>('POST', path, { body })).body.id;
const newWebhook = () => ({ url: `https://shop.example/${fresh('hook')}`, events: ['catalog.import.done'] });
const newJob = () => made('/v3/vision/jobs', { entries: [photo] });
const newKey = async () => (await service.newKey({ accountId })).keyId;
const newAccount = async () => (await service.newKey({ credits: 10 })).accountId;
const predicted = async () => (await api.identify(photo)).headers.get('X-Prediction-Id') ?? '';
const product = async () => 'product_submariner';
async function feed(): Promise<string> {
  const row = { feed: fresh('feed'), product_id: await product(), run: randomUUID() };
  await service.knex('product_feeds').insert(row);
  return row.feed;
}
async function written(): Promise<string> {
  const id = fresh('product');
  await api.write([bag(id)]);
  return id;
}

interface Sample {
  readonly id?: () => Promise<string>;
  readonly body?: () => object;
  /** Bytes of this type in place of JSON. */
  readonly raw?: () => Buffer;
  readonly type?: string;
}

const line = () => Buffer.from(`${JSON.stringify(bag(fresh('product')))}\n`);

/** A valid call of each operation: its body, and how the id in its address comes to be. */
const CALLS: Readonly<Record<string, Sample>> = {
  'POST /v3/catalog/query': { body: () => ({ query: 'birkin' }) },
  'POST /v3/catalog/items': { body: () => ({ ids: ['product_submariner'] }) },
  'POST /v3/catalog/suggest': { body: () => ({ query: 'bir' }) },
  'GET /v3/catalog/items/{id}': { id: product },
  'GET /v3/catalog/items/{id}/similar': { id: product },
  'PUT /v3/catalog/records': { raw: line, type: 'application/x-ndjson' },
  'POST /v3/catalog/images': { raw: () => service.photoBytes, type: 'image/png' },
  'GET /v3/catalog/records/{id}': { id: product },
  'DELETE /v3/catalog/records/{id}': { id: written },
  'GET /v3/catalog/records/{id}/status': { id: product },
  'GET /v3/catalog/feeds/{id}/status': { id: feed },
  'GET /v3/account': {},
  'POST /v3/vision/identify': { body: () => photo },
  'POST /v3/vision/predictions/{id}/feedback': { id: predicted, body: () => ({ correct_id: null }) },
  'POST /v3/vision/jobs': { body: () => ({ entries: [photo] }) },
  'GET /v3/vision/jobs/{id}': { id: newJob },
  'DELETE /v3/vision/jobs/{id}': { id: newJob },
  'POST /v3/webhooks': { body: newWebhook },
  'GET /v3/webhooks': {},
  'DELETE /v3/webhooks/{id}': { id: () => made('/v3/webhooks', newWebhook()) },
  'GET /v1/products': {},
  'POST /v2/products': { body: () => ({ search: 'birkin' }) },
  'POST /v2/vision': { body: () => photo },
  'GET /admin/v1/accounts': {},
  'POST /admin/v1/accounts': { body: () => ({ name: fresh('shop') }) },
  'GET /admin/v1/accounts/{id}': { id: newAccount },
  'GET /admin/v1/accounts/{id}/usage': { id: newAccount },
  'POST /admin/v1/accounts/{id}/credits': { id: newAccount, body: () => ({ amount: 5 }) },
  'POST /admin/v1/accounts/{id}/keep-photos': { id: newAccount, body: () => ({ keep: false }) },
  'GET /admin/v1/accounts/{id}/keys': { id: newAccount },
  'POST /admin/v1/accounts/{id}/keys': { id: newAccount, body: () => ({ name: 'x', versions: ['v3'] }) },
  'POST /admin/v1/keys/{id}/rotate': { id: newKey, body: () => ({}) },
  'DELETE /admin/v1/keys/{id}': { id: newKey },
  'GET /admin/v1/audit': {},
};

interface Operation {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly security: readonly object[];
  /** Parameters in the query string. */
  readonly known: readonly string[];
}

interface Described {
  readonly security: readonly object[];
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
}

const { paths } = buildOpenApi({ records: RECORD_SCHEMAS }) as {
  paths: Record<string, Record<string, Described>>;
};
const OPERATIONS = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([verb, { security, parameters = [] }]): Operation => {
    const method = verb.toUpperCase();
    const known = parameters.flatMap((each) => (each.in === 'query' ? [each.name] : []));
    return { name: `${method} ${path}`, method, path, security, known };
  }),
);
const isAdmin = (path: string) => path.startsWith('/admin');
const versionOf = (path: string) => /^\/(?:api\/)?(v[123])\//.exec(path)?.[1] as ApiVersion | undefined;
const OF_CALLERS = OPERATIONS.filter(({ path }) => versionOf(path) !== undefined);
const UNSAFE = OPERATIONS.filter(({ method }) => method !== 'GET');
/** The address that an alias stands for. */
const canonical = (path: string) => path.replace(/^\/api/, '').replace('catalog/search', 'catalog/query');
const ALIASES = OF_CALLERS.filter(({ path }) => path !== canonical(path));

async function callOf({ method, path }: Operation): Promise<Call> {
  const sample = CALLS[`${method} ${canonical(path)}`];
  if (!sample) throw new Error(`CALLS has no ${method} ${path}`);
  const { id, body, raw, type } = sample;
  return {
    path: path.replace('{id}', (await id?.()) ?? 'x'),
    ...(body ? { body: body() } : {}),
    ...(raw ? { raw: raw(), headers: { 'Content-Type': String(type) } } : {}),
  };
}

const clientOf = (path: string, key = api.key) =>
  new ApiClient(service.url, isAdmin(path) && key !== null ? ADMIN_TOKEN : key);
const send = (method: string, { path, headers: typed, ...content }: Call, headers = {}, key = api.key) =>
  clientOf(path, key).send<object>(method, path, { ...content, headers: { ...typed, ...headers } });
const hasCredits = ({ headers }: Answer) => [...headers.keys()].some((name) => name.startsWith('x-credits'));
/** Calls it with a key of the account that is made so. */
const sendWith = async (operation: Operation, options: Parameters<typeof service.newKey>[0]) => {
  const { key } = await service.newKey({ scopes: SCOPES, ...options, accountId });
  return send(operation.method, await callOf(operation), {}, key);
};

describe('who may call', () => {
  // contract 9.1, 10.3, 14.4
  test.each(OPERATIONS)(
    '$name answers callers without a key with 401, or is for everybody',
    async (operation) => {
      const { method, path, security } = operation;
      const call = security.length > 0 ? await callOf(operation) : { path: path.replaceAll(/\{\w+\}/g, 'x') };
      const answer = await send(method, call, {}, null);
      if (security.length === 0) return expect([200, 403, 404]).toContain(answer.status);
      const refusal = { success: false, error: 'unauthorized', request_id: expect.any(String) };
      expect(answer).toMatchObject({ status: 401, body: refusal });
      expect([answer.headers.get('WWW-Authenticate'), hasCredits(answer)]).toEqual(['Bearer', false]);
    },
  );

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
      const message = expect.stringContaining(needed);
      expect(answer).toMatchObject({ status: 403, body: { success: false, error: 'forbidden', message } });
      expect(hasCredits(answer)).toBe(false);
      if (/records|images/.test(operation.path))
        expect((await sendWith(operation, { test: true })).status).toBe(403);
    },
  );
});

// contract 11.2
test.each(Object.entries(paths))(
  '405 at %s names what it allows, with or without a key',
  async (path, methods) => {
    const METHODS = { get: 'GET, HEAD', post: 'POST', put: 'PUT', delete: 'DELETE' };
    const allowed = Object.entries(METHODS).filter(([method]) => Object.hasOwn(methods, method));
    const allow = allowed.map(([, names]) => names).join(', ');
    const all = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
    for (const key of [null, service.key.key]) {
      for (const method of all.filter((each) => !allow.includes(each))) {
        const answer = await new ApiClient(service.url, key).send(method, path.replace(/\{\w+\}/g, 'x'));
        expect([method, answer.status, answer.headers.get('Allow')]).toEqual([method, 405, allow]);
        if (method !== 'HEAD') expect(answer.body).toMatchObject({ error: 'method_not_allowed' });
      }
    }
  },
);

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
  // There is an item "items" at most, for anyone who reads the address as that.
  for (const answer of [await api.send('GET', path), await api.send('POST', path, { body })])
    expect(answer.status).toBe(404);
});

describe('an Idempotency-Key', () => {
  /** Operators' changes, but for credits. */
  const isRefused = (path: string) => isAdmin(path) && !path.endsWith('/credits');

  // contract 12.6, 17.7
  test.each(UNSAFE)('is honoured by $name, at its alias too, or refused by name', async (operation) => {
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
  });
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
    for (const name of operation.known) {
      const { text } = await send('GET', { path: `${path}?${name}=x` });
      expect(text).not.toContain('There is no parameter');
      // Its two lists are one.
      if (name !== 'includes') await refused(`${name}=1&${name}=2`, name);
    }
  },
);

// contract 12.3, 10.3
describe('a condition', () => {
  const CONDITIONS = {
    ...{ 'If-None-Match': '*', 'If-Match': '"x"', 'If-Range': '*', Range: 'bytes=0-0' },
    'If-Modified-Since': new Date(Date.now() + 86_400_000).toUTCString(),
    'If-Unmodified-Since': new Date(0).toUTCString(),
  };
  /** `fetch` adds headers of its own to a conditional request. */
  async function sent(path: string, method: string, headers: object) {
    const Authorization = `Bearer ${clientOf(path).key}`;
    const call = request(service.url + path, { method, headers: { Authorization, ...headers } }).end();
    const [answer] = (await once(call, 'response')) as [IncomingMessage];
    let bytes = 0;
    for await (const chunk of answer) bytes += (chunk as Buffer).length;
    const { etag, 'x-credits-used': credits } = answer.headers;
    return { status: answer.statusCode, credits, etag, isEmpty: bytes === 0 };
  }
  const read = OPERATIONS.filter(({ name }) => name.startsWith('GET') && !name.endsWith('/images/{file}'));
  const pages = ['/', '/docs'].map((path) => ({ name: path, method: 'GET', path, security: [], known: [] }));

  test.each([...read, ...pages])(
    'is ignored by $name: the answer is complete, and charged',
    async (operation) => {
      const call = Object.hasOwn(CALLS, operation.name) ? await callOf(operation) : operation;
      const path = call.path.replaceAll(/\{\w+\}/g, 'x');
      const plain = await sent(path, 'GET', {});
      for (const [condition, value] of Object.entries(CONDITIONS)) {
        for (const headers of [{ [condition]: value }, { [condition]: value, 'If-None-Match': '*' }]) {
          const answer = await sent(path, 'GET', headers);
          expect([condition, answer]).toEqual([condition, { ...plain, etag: undefined }]);
          expect((await sent(path, 'HEAD', headers)).status).toBe(plain.status);
        }
      }
    },
  );
});
