import { buildOpenApi } from '../../api/ops/openapi/document';
import { SCOPES } from '../../models/access/api-key';
import { RECORD_SCHEMAS } from '../../scripts/import/record-lines';
import { type Answer, ApiClient } from '../support/api-client';
import { FIXTURE } from '../support/fixture-data';
import { useService } from '../support/service';
import { bag, fresh } from '../support/written-catalog';

/** contract 12.6: an `Idempotency-Key` is honoured, or refused, by every call that may change something. */
const ADMIN_TOKEN = 'operator-token-of-32-characters-x';
// A database of its own: other files count what is in theirs.
const service = useService({ ADMIN_TOKEN }, {}, { ...FIXTURE, name: 'idempotency_everywhere' });
let api: ApiClient;
let accountId: string;
let photo: { base64: string };
beforeAll(async () => {
  ({ api, accountId } = await service.newKey({ scopes: SCOPES }));
  photo = { base64: (await service.photo()).toString('base64') };
  await service.sees(['product_submariner', 0.05]);
});

interface Call {
  readonly path: string;
  readonly body?: object;
  readonly raw?: Buffer;
}

type Made = (path: string) => Call | Promise<Call>;
const withBody =
  (body: () => object): Made =>
  (path) => ({ path, body: body() });
const withId =
  (id: () => Promise<string>): Made =>
  async (path) => ({ path: path.replace('{id}', await id()) });
const ofAccount =
  (body: object): Made =>
  (path) => ({ path: path.replace('{id}', accountId), body });

const newWebhook = () => ({ url: `https://shop.example/${fresh('hook')}`, events: ['catalog.import.done'] });
const lineOf = (id: string) => `${JSON.stringify(bag(id))}\n`;
const idOf = (answer: Answer) => (answer.body as { id: string }).id;
const made = async (path: string, body: object) => idOf(await api.send('POST', path, { body }));
const newKey = async () => (await service.newKey({ accountId })).keyId;

/** A call of each operation that is worth making twice. */
const CALLS: Readonly<Record<string, Made>> = {
  'POST /v3/catalog/query': withBody(() => ({ query: 'birkin' })),
  'POST /v3/catalog/items': withBody(() => ({ ids: ['product_submariner'] })),
  'POST /v3/catalog/suggest': withBody(() => ({ query: 'bir' })),
  'POST /v3/vision/identify': withBody(() => photo),
  'POST /v3/vision/predictions/{id}/feedback': async (path) => {
    const { headers } = await api.identify(photo);
    return { path: path.replace('{id}', headers.get('X-Prediction-Id') ?? ''), body: { correct_id: null } };
  },
  'POST /v3/vision/jobs': withBody(() => ({ entries: [photo] })),
  'DELETE /v3/vision/jobs/{id}': withId(() => made('/v3/vision/jobs', { entries: [photo] })),
  'POST /v3/webhooks': withBody(newWebhook),
  'DELETE /v3/webhooks/{id}': withId(() => made('/v3/webhooks', newWebhook())),
  'PUT /v3/catalog/records': (path) => ({ path, raw: Buffer.from(lineOf(fresh('product'))) }),
  'DELETE /v3/catalog/records/{id}': withId(async () => {
    const id = fresh('product');
    await api.write([lineOf(id).trim()]);
    return id;
  }),
  'POST /v2/products': withBody(() => ({ search: 'birkin' })),
  'POST /v2/vision': withBody(() => photo),
  'POST /admin/v1/accounts': withBody(() => ({ name: fresh('shop') })),
  'POST /admin/v1/accounts/{id}/credits': async (path) => ({
    path: path.replace('{id}', (await service.newKey({ credits: 10 })).accountId),
    body: { amount: 5 },
  }),
  'POST /admin/v1/accounts/{id}/keep-photos': ofAccount({ keep: false }),
  'POST /admin/v1/accounts/{id}/keys': ofAccount({ name: 'x', versions: ['v3'] }),
  'POST /admin/v1/keys/{id}/rotate': async (path) => ({
    path: path.replace('{id}', await newKey()),
    body: {},
  }),
  'DELETE /admin/v1/keys/{id}': withId(newKey),
};

/** Where an address stands for another. */
const canonical = (path: string) => path.replace(/^\/api/, '').replace('catalog/search', 'catalog/query');
const { paths } = buildOpenApi({ records: RECORD_SCHEMAS }) as { paths: Record<string, object> };
const UNSAFE = Object.entries(paths).flatMap(([path, methods]) =>
  Object.keys(methods)
    .filter((method) => method !== 'get')
    .map((method) => [method.toUpperCase(), path] as const),
);

async function callOf(method: string, path: string): Promise<Call> {
  const call = CALLS[`${method} ${canonical(path)}`];
  if (!call) throw new Error(`no call of ${method} ${path} is known here`);
  return call(path);
}

const send = (method: string, { path, ...content }: Call, key: string) => {
  const client = path.startsWith('/admin') ? new ApiClient(service.url, ADMIN_TOKEN) : api;
  const typed = content.raw === undefined ? {} : { 'Content-Type': 'application/x-ndjson' };
  return client.send(method, path, { ...content, headers: { 'Idempotency-Key': key, ...typed } });
};

/** Operators' changes, but for credits. */
const isRefused = (path: string) => path.startsWith('/admin') && !path.endsWith('/credits');

// contract 12.6
test.each(UNSAFE)('%s %s', async (method, path) => {
  const call = await callOf(method, path);
  const key = fresh('key');
  const first = await send(method, call, key);
  if (isRefused(path)) {
    expect([first.status, first.body]).toEqual([400, expect.objectContaining({ field: 'Idempotency-Key' })]);
    return;
  }
  expect(first.status).toBeLessThan(300);
  expect(first.headers.get('Idempotency-Replayed')).toBeNull();
  const again = await send(method, call, key);
  expect([again.status, again.headers.get('Idempotency-Replayed')]).toEqual([first.status, 'true']);
  const other = { ...call, path: `${call.path}?other` };
  expect((await send(method, other, key)).status).toBe(409);
});

// contract 12.6
test.each(UNSAFE.filter(([, path]) => path !== canonical(path)))(
  '%s %s is the same call as the address that it stands for',
  async (method, alias) => {
    const call = await callOf(method, alias);
    const key = fresh('key');
    const first = await send(method, call, key);
    expect(first.status).toBeLessThan(300);
    const again = await send(method, { ...call, path: canonical(call.path) }, key);
    expect([again.text, again.headers.get('Idempotency-Replayed')]).toEqual([first.text, 'true']);
  },
);
