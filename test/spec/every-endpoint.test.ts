import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import type { Knex } from 'knex';
import { buildOpenApi } from '../../api/ops/openapi/document';
import { API_VERSIONS, type ApiVersion, SCOPES } from '../../models/access/api-key';
import { PORTS } from '../../models/ports';
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
  const name = fresh('feed');
  const row = { feed: name, product_id: await product(), run: randomUUID() };
  await service.resolve<Knex>(PORTS.Knex)('product_feeds').insert(row);
  return name;
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

/** A valid call of each operation: its body, and how the id in its address comes to be. */
const CALLS: Readonly<Record<string, Sample>> = {
  'POST /v3/catalog/query': { body: () => ({ query: 'birkin' }) },
  'POST /v3/catalog/items': { body: () => ({ ids: ['product_submariner'] }) },
  'POST /v3/catalog/suggest': { body: () => ({ query: 'bir' }) },
  'GET /v3/catalog/items/{id}': { id: product },
  'GET /v3/catalog/items/{id}/similar': { id: product },
  'PUT /v3/catalog/records': {
    raw: () => Buffer.from(`${JSON.stringify(bag(fresh('product')))}\n`),
    type: 'application/x-ndjson',
  },
  'POST /v3/catalog/images': { raw: () => Buffer.from(photo.base64, 'base64'), type: 'image/png' },
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
  Object.entries(methods).map(([method, { security, parameters = [] }]): [string, Operation] => {
    const known = parameters.flatMap((each) => (each.in === 'query' ? [each.name] : []));
    return [`${method.toUpperCase()} ${path}`, { method: method.toUpperCase(), path, security, known }];
  }),
);
const isAdmin = (path: string) => path.startsWith('/admin');
const versionOf = (path: string) => /^\/(?:api\/)?(v[123])\//.exec(path)?.[1] as ApiVersion | undefined;
const OF_CALLERS = OPERATIONS.filter(([, { path }]) => versionOf(path) !== undefined);
const UNSAFE = OPERATIONS.filter(([, { method }]) => method !== 'GET');
/** The address that an alias stands for. */
const canonical = (path: string) => path.replace(/^\/api/, '').replace('catalog/search', 'catalog/query');
const ALIASES = OF_CALLERS.filter(([, { path }]) => path !== canonical(path));

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

describe('who may call', () => {
  // contract 9.1, 10.3, 14.4
  test.each(OPERATIONS)(
    '%s answers callers without a key with 401, or is for everybody',
    async (...given) => {
      const [, { method, path, security }] = given;
      const call = security.length > 0 ? await callOf(given[1]) : { path: path.replaceAll(/\{\w+\}/g, 'x') };
      const answer = await send(method, call, {}, null);
      if (security.length === 0) return expect([200, 403, 404]).toContain(answer.status);
      const refusal = { success: false, error: 'unauthorized', request_id: expect.any(String) };
      expect(answer).toMatchObject({ status: 401, body: refusal });
      expect([answer.headers.get('WWW-Authenticate'), hasCredits(answer)]).toEqual(['Bearer', false]);
    },
  );

  // contract 9.3
  test.each(OF_CALLERS)(
    '%s opens for keys of its version, and v2 for those of v1',
    async (_name, operation) => {
      const version = versionOf(operation.path);
      for (const opened of API_VERSIONS) {
        const { key } = await service.newKey({ versions: [opened], scopes: SCOPES, accountId });
        const answer = await send(operation.method, await callOf(operation), {}, key);
        const opens = opened === version || (version === 'v2' && opened === 'v1');
        expect([opened, answer.status === 403, answer.status]).toEqual([opened, !opens, answer.status]);
        if (opens) expect(answer.status).toBeLessThan(300);
        else expect([answer.body, hasCredits(answer)]).toMatchObject([{ error: 'forbidden' }, false]);
      }
    },
  );

  // contract 9.3, 15.8, 16.7, 16.10
  test.each(OF_CALLERS.filter(([, { path }]) => !/account|feedback/.test(path)))(
    '%s refuses a key without its scope, and names the scope',
    async (_name, operation) => {
      const { method, path } = operation;
      const written = /records|images|feeds/.test(path) ? 'catalog:write' : 'catalog:read';
      const needed = /vision|webhooks/.test(path) ? 'vision:identify' : written;
      const { key } = await service.newKey({ scopes: SCOPES.filter((scope) => scope !== needed), accountId });
      const answer = await send(method, await callOf(operation), {}, key);
      const message = expect.stringContaining(needed);
      expect(answer).toMatchObject({ status: 403, body: { success: false, error: 'forbidden', message } });
      expect(hasCredits(answer)).toBe(false);
    },
  );

  // contract 15.8
  test.each(OF_CALLERS.filter(([, { path }]) => /records|images/.test(path)))(
    '%s refuses a test key',
    async (_name, operation) => {
      const { key } = await service.newKey({ scopes: SCOPES, test: true, accountId });
      const call = await callOf(operation);
      expect((await send(operation.method, call, {}, key)).status).toBe(403);
    },
  );
});

// contract 11.2
describe('405 at an address', () => {
  const METHODS = { get: 'GET, HEAD', post: 'POST', put: 'PUT', delete: 'DELETE' };

  test.each(Object.entries(paths))(
    '%s names what it allows, with or without a key',
    async (path, methods) => {
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
});

/** What differs from call to call: request ids and signatures. */
const withoutPassing = (body: object): unknown =>
  JSON.parse(JSON.stringify(body, (key, value) => (['request_id', 'url'].includes(key) ? undefined : value)));

// contract 6.1, 9.3
test.each(ALIASES)('the alias %s answers as its current address does', async (_name, operation) => {
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
  for (const method of ['GET', 'POST']) {
    const sent = method === 'POST' ? { body: { ids: ['product_birkin_croc'] } } : {};
    const { status } = await api.send(method, path, sent);
    // There is an item "items" at most, for anyone who reads the address as that.
    expect([method, status]).toEqual([method, 404]);
  }
});

describe('an Idempotency-Key', () => {
  /** Operators' changes, but for credits. */
  const isRefused = (path: string) => isAdmin(path) && !path.endsWith('/credits');
  const named = () => ({ 'Idempotency-Key': fresh('key') });

  // contract 12.6, 17.7
  test.each(UNSAFE)('is honoured by %s, or refused by name', async (_name, operation) => {
    const { method, path } = operation;
    const [call, once] = [await callOf(operation), named()];
    const first = await send(method, call, once);
    const field = 'Idempotency-Key';
    if (isRefused(path)) return expect(first).toMatchObject({ status: 400, body: { field } });
    expect(first.status).toBeLessThan(300);
    expect(first.headers.get('Idempotency-Replayed')).toBeNull();
    const again = await send(method, call, once);
    expect([again.status, again.headers.get('Idempotency-Replayed')]).toEqual([first.status, 'true']);
    expect((await send(method, { ...call, path: `${call.path}?other` }, once)).status).toBe(409);
  });

  // contract 12.6
  test.each(ALIASES.filter(([, { method }]) => method !== 'GET'))(
    'names the same call at the alias %s and at its current address',
    async (_name, operation) => {
      const [call, once] = [await callOf(operation), named()];
      const first = await send(operation.method, call, once);
      expect(first.status).toBeLessThan(300);
      const again = await send(operation.method, { ...call, path: canonical(call.path) }, once);
      expect([again.text, again.headers.get('Idempotency-Replayed')]).toEqual([first.text, 'true']);
    },
  );
});

// contract 12.13, 17.8
test.each(OPERATIONS.filter(([name]) => /^GET \/(api|v3|admin)/.test(name)))(
  '%s refuses parameters that it does not have, and those given twice, by name and free',
  async (_name, operation) => {
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
    expect((await new ApiClient(service.url, 'nobody').send('GET', `${path}?include=x`)).status).toBe(401);
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
  const read = OPERATIONS.filter(([name]) => name.startsWith('GET') && !name.endsWith('/images/{file}'));
  const pages = ['/', '/docs'].map(
    (path) => [`GET ${path}`, { method: 'GET', path, security: [], known: [] }] as const,
  );

  test.each([...read, ...pages])(
    'is ignored by %s: the answer is complete, and charged',
    async (name, operation) => {
      const call = Object.hasOwn(CALLS, name) ? await callOf(operation) : operation;
      const path = call.path.replaceAll(/\{\w+\}/g, 'x');
      const plain = await sent(path, 'GET', {});
      for (const [condition, value] of Object.entries(CONDITIONS)) {
        for (const headers of [{ [condition]: value }, { [condition]: value, 'If-None-Match': '*' }]) {
          expect([condition, await sent(path, 'GET', headers)]).toEqual([
            condition,
            { ...plain, etag: undefined },
          ]);
          expect((await sent(path, 'HEAD', headers)).status).toBe(plain.status);
        }
      }
    },
  );
});
