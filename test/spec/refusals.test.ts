import { SCOPES } from '../../models/access/api-key';
import { ADMIN_TOKEN, ApiClient } from '../support/api-client';
import { pointerOf } from '../support/document-check';
import { type TestKey, useService } from '../support/service';
import { REFUSALS } from './refused-calls';

/** contract 4.1, 8.1, 12.13, 17.8: a malformed call is a 400 that names its parameter, does nothing and costs nothing. */
const service = useService({ ADMIN_TOKEN });
let key: TestKey;
beforeAll(async () => {
  key = await service.newKey({ scopes: SCOPES, credits: 1_000 });
});
beforeEach(() => service.queue.reset());

const send = (call: string, content: object) => {
  const [method = '', path = ''] = call.replace('ACCOUNT', key.accountId).split(' ');
  const client = path.startsWith('/admin') ? new ApiClient(service.url, ADMIN_TOKEN) : key.api;
  if (method === 'POST') return client.send(method, path, { body: content });
  const query = new URLSearchParams();
  for (const [name, given] of Object.entries(content))
    for (const value of [given].flat()) query.append(name, value);
  return client.send(method, `${path}?${query}`);
};

function faultsInDocument(call: string, body: object): string[] {
  const operation = documentCheck.operations.find(({ name }) => name === call.replace('ACCOUNT', '{id}'));
  if (!operation) throw new Error(`the document has no ${call}`);
  return documentCheck.faultsOfValue(pointerOf(operation, 'requestBody'), body);
}

describe.each(REFUSALS)('$call', ({ call, taken, values, bodies = {}, beyondSchema = '' }) => {
  const changed = Object.entries(values).map(([property, each]) => [
    property,
    each.map((value) => ({ ...taken, [property]: value })),
  ]);
  const refused = [...changed, ...Object.entries(bodies)] as [string, object[]][];

  test('accepts the valid call that each refused one is derived from', async () => {
    const { status, text } = await send(call, taken);
    expect([status === 400, text]).toEqual([false, text]);
    if (call.startsWith('POST /v3')) expect(faultsInDocument(call, taken)).toEqual([]);
  });

  test.each(refused)('names %s in its refusals, and does and charges nothing', async (field, contents) => {
    const before = await service.balance(key.accountId);
    const [, photo] = /\bimages\.(\d)\./.exec(field) ?? [];
    for (const content of contents) {
      const { status, body, headers } = await send(call, content);
      const sent = JSON.stringify(content).slice(0, 300);
      expect([sent, status, body]).toEqual([
        sent,
        400,
        expect.objectContaining({
          success: false,
          error: 'bad_request',
          field,
          message: expect.any(String),
          ...(photo && { index: Number(photo) }),
        }),
      ]);
      expect(headers.get('X-Credits-Used') ?? '0').toBe('0');
      // contract 4.7
      expect(headers.get('Deprecation')).toBe(field.endsWith('.ids') ? 'true' : null);
      // contract 14.19
      const isOfDocument = /^POST \/(v3|admin)/.test(call) && !beyondSchema.split(' ').includes(field);
      if (isOfDocument) expect([sent, ...faultsInDocument(call, content)]).not.toEqual([sent]);
    }
    expect(service.queue.calls).toBe(0);
    expect(await service.balance(key.accountId)).toBe(before);
  });
});

test.each([
  ['GET /v3/account', { since: ['2026-03-01', '2026-03-02'] }, 'since: must be one text.'],
  ['POST /v3/catalog/query', { query: ['bag'] }, 'query: must be one text.'],
  ['POST /v3/catalog/query', { page: -1 }, 'page: must be at least 0.'],
  ['POST /v3/catalog/items', { ids: ['a', 5] }, 'ids.1: expected string, received number.'],
  ['POST /v3/catalog/items', { ids: [] }, 'ids: must not be empty.'],
  ['POST /v3/catalog/items', { ids: Array(101).fill('a') }, 'ids: must have at most 100 items.'],
  ['POST /v3/catalog/query', { includes: ['catalog'] }, 'includes: must be one of taxonomy, pricing.'],
  ['POST /admin/v1/accounts', {}, 'name: is required.'],
  ['POST /admin/v1/accounts', { name: 'a', credits: 0.5 }, 'credits: must be a whole number.'],
  ['POST /admin/v1/accounts', { name: 'a', credits: 1e16 }, 'credits: must be at most 1000000000000000.'],
  ['GET /v3/account', { since: 'yesterday', untill: '2026-03-01' }, 'There is no parameter "untill".'],
])('%s with %j is told: %s', async (call, content, message) => {
  expect((await send(call, content)).body).toMatchObject({ message });
});

// contract 9.6
test('a URL with a user name or password is never repeated, in an answer or in the log', async () => {
  service.log.clear();
  const urls = [
    'https://ann@p.example/',
    'https://ann:hush-hush@[::1]/a.jpg',
    'http://:hush-hush@a.example/',
  ];
  const paths = ['/v3/vision/identify', '/v2/vision', '/api/v3/vision/identify'];
  for (const url of urls) {
    for (const path of paths) {
      const answer = await key.api.send('POST', path, { body: { url } });
      expect(answer).toMatchObject({ status: 400, body: { field: 'url' } });
      expect(JSON.stringify([answer.body, ...answer.headers])).not.toMatch(/ann|hush/);
    }
  }
  expect(JSON.stringify(await service.log.lines(9))).not.toMatch(/ann@|hush/);
});

// contract 11.1
test('a message quotes at most a short part of what was sent', async () => {
  const long = 'a'.repeat(500_000);
  for (const body of [{ [long]: 1 }, { taxonomy_node: long }, { category_id: long }]) {
    const answer = await service.api.query(body);
    expect(answer).toMatchObject({ status: 400, body: { error: 'bad_request' } });
    expect(answer.text.length).toBeLessThan(1000);
  }
});
