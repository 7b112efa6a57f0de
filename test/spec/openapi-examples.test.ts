import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SCOPES } from '../../models/access/api-key';
import { VisionJobRunner } from '../../models/vision/jobs/vision-job-runner';
import { ADMIN_TOKEN, ApiClient } from '../support/api-client';
import { DocumentCheck } from '../support/document-check';
import { FIXTURE } from '../support/fixture-data';
import { useService } from '../support/service';
import { useEmbeddedPictures } from '../support/stored-vectors';

/**
 * contract 14.19: each example of a request is answered as the document says. With `RECORD_EXAMPLES=1` the answers become
 * the examples of the document.
 */
const service = useService({ ADMIN_TOKEN }, {}, { ...FIXTURE, name: 'examples' });
useEmbeddedPictures(service, {
  'https://pictures.example/birkin_croc-30.jpg': 0,
  'https://pictures.example/kelly_lizard.jpg': 10,
});
const FILE = join(__dirname, '../../api/ops/openapi/answers.json');

interface Operation {
  readonly operationId: string;
  readonly requestBody?: { readonly content: Readonly<Record<string, Content>> };
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, Content>> }>>;
}

interface Content {
  readonly schema?: { readonly $ref?: string };
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}

const CHANGES = /put|delete/;
const { document } = new DocumentCheck();
const operations = Object.entries(document.paths)
  .flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, each]) => ({ path, method, ...(each as unknown as Operation) })),
  )
  .filter(({ path, responses }) => {
    const { content = {} } = Object.values(responses)[0] ?? {};
    return !path.startsWith('/api/') && content['application/json']?.schema?.$ref !== undefined;
  })
  // What changes the catalog comes last.
  .sort((one, other) => Number(CHANGES.test(one.method)) - Number(CHANGES.test(other.method)));

const recorded: Record<string, Record<string, { value: unknown }>> = {};
const ids: Record<string, string> = {
  items: 'product_birkin_croc',
  records: 'product_birkin_croc',
  feeds: 'shopify',
};
let caller: ApiClient;

beforeAll(async () => {
  const { api, accountId, keyId } = await service.newKey({ scopes: SCOPES, credits: 1000 });
  caller = api;
  Object.assign(ids, { accounts: accountId, keys: keyId });
  const row = { feed: ids['feeds'], product_id: ids['items'], run: randomUUID() };
  await service.knex('product_feeds').insert(row);
  await service.sees(['product_birkin_croc', 0.05]);
});

afterAll(() => {
  if (!process.env['RECORD_EXAMPLES']) return;
  const text = JSON.stringify(recorded, null, 2)
    .replaceAll(service.url, 'https://loupe.example')
    .replace(/(loupe_live|whsec)_[\w+/=]+/g, '$1_…');
  writeFileSync(FILE, `${text}\n`);
});

/** What a call with an example needs to succeed, beside its body. */
async function addressOf({ path, operationId }: (typeof operations)[number]): Promise<string> {
  const [, kind = ''] = /(\w+)\/\{id\}/.exec(path) ?? [];
  if (operationId === 'getJob') {
    const { signal } = new AbortController();
    while (await service.resolve(VisionJobRunner).next(signal));
  }
  const limit = /^list(Accounts|Keys)$|Audit/.test(operationId) ? '?limit=1' : '';
  const query = path === '/v1/products' ? '?search=birkin&page_size=1' : limit;
  return path.replace('{id}', ids[kind] ?? '') + query;
}

test.each(operations.map((each) => [each.operationId, each] as const))('%s', async (id, operation) => {
  const { path, method, requestBody, responses } = operation;
  const client = path.startsWith('/admin') ? new ApiClient(service.url, ADMIN_TOKEN) : caller;
  const [[type, { examples = {} }] = ['', {} as Content]] = Object.entries(requestBody?.content ?? {});
  const own = type.startsWith('image/') ? { raw: service.photoBytes } : {};
  const requests = type === '' || 'raw' in own ? { one: { value: undefined } } : examples;
  expect(Object.keys(requests)).not.toEqual([]);
  for (const [name, { value }] of Object.entries(requests)) {
    // No host is asked for a picture here; `test/workers/http-image-source.test.ts` does that.
    if (name === 'address') continue;
    const sent = typeof value === 'string' ? { raw: Buffer.from(value) } : { ...own, body: value };
    const sending = { ...sent, headers: 'raw' in sent ? { 'Content-Type': type } : {} };
    const answer = await client.send<{ id?: string; data?: unknown[]; results?: unknown }>(
      method.toUpperCase(),
      await addressOf(operation),
      sending,
    );
    const { body, status, text } = answer;
    expect([name, status, text]).toEqual([name, Number(Object.keys(responses)[0]), text]);
    expect(body.data ?? body.results).not.toEqual([]);
    const made = /jobs|webhooks/.exec(path)?.[0];
    if (made && body.id) ids[made] = body.id;
    ids['predictions'] = answer.headers.get('X-Prediction-Id') ?? ids['predictions'] ?? '';
    recorded[id] = { ...recorded[id], [name]: { value: body } };
  }
});

test('the recorded answers are those of these requests', () => {
  const namesOf = (all: object) => Object.entries(all).map(([id, answers]) => [id, Object.keys(answers)]);
  expect(namesOf(JSON.parse(readFileSync(FILE, 'utf8'))).sort()).toEqual(namesOf(recorded).sort());
});
