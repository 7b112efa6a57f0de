import { join } from 'node:path';
import { REFUSALS } from '../../api/middleware/simulate-error';
import { SANDBOX_PRODUCTS } from '../../models/catalog/catalog-query';
import { IMAGE_FAULTS } from '../../models/errors';
import { type ApiClient, idsOf } from '../support/api-client';
import { type CatalogSource, writeBundle } from '../support/fixture-data';
import { useService } from '../support/service';
import { useEmbeddedPictures } from '../support/stored-vectors';

/** contract 9.8, 9.9, 9.10: keys for testing an app. */

const pictureOf = (id: string): string => `https://pictures.example/${id}.jpg`;

/** Handbags besides those of the sandbox: the least popular ones. */
const BEYOND = 2;

const product = (category: string, at: number, brand: string) => {
  const id = `product_${category}_${String(at).padStart(4, '0')}`;
  const keywords = at === 3 || at === SANDBOX_PRODUCTS ? ['zebra'] : [];
  const rest = { keywords, images: [pictureOf(id)], variants: [] };
  return { id, category, attributes: { brand: `brand_${brand}` }, popularity: 10_000 - at, ...rest };
};
const brandOf = (id: string, category: string) => ({ id: `brand_${id}`, kind: 'brand', name: id, category });

/** Two handbags more than a sandbox has, the last of a brand of their own, the most popular first; and three watches. */
const CROWDED_CATALOG: CatalogSource = {
  name: 'crowded',
  sources: ['test/spec/sandbox.test.ts'],
  async write(folder) {
    const bags = Array.from({ length: SANDBOX_PRODUCTS + BEYOND }, (_, at) =>
      product('handbags', at, at < SANDBOX_PRODUCTS ? 'known' : 'unknown'),
    );
    const watches = [0, 1, 2].map((at) => product('watches', at, 'ticking'));
    const categories = ['handbags', 'watches'].map((id) => ({ id, name: id, hierarchy: ['brand', 'model'] }));
    const known = ['known', 'unknown'].map((id) => brandOf(id, 'handbags'));
    const entities = [...known, brandOf('ticking', 'watches')];
    const files = { categories, entities, products: [...bags, ...watches] };
    return [await writeBundle(join(folder, 'crowded'), files)];
  },
};

// contract 9.8
describe('a test key on a large catalog', () => {
  const crowded = useService({}, {}, CROWDED_CATALOG);
  const FIRST = 'product_handbags_0000';
  const INSIDE = 'product_handbags_0003';
  const OUTSIDE = 'product_handbags_1000';
  useEmbeddedPictures(crowded, { [pictureOf(FIRST)]: 0, [pictureOf(OUTSIDE)]: 1, [pictureOf(INSIDE)]: 10 });
  let trial: ApiClient;
  beforeAll(async () => {
    trial = (await crowded.newKey({ test: true, credits: 1_000 })).api;
  });
  const both = async <Seen>(look: (api: ApiClient) => Promise<Seen>) => ({
    live: await look(crowded.api),
    test: await look(trial),
  });
  const brand = (filter: object) => ({ filters: [{ field: 'brand', ...filter }] });

  test.each<[asked: object, live: number, test: number]>([
    [{}, 1_005, 1_003],
    [{ category_id: 'handbags' }, 1_002, 1_000],
    [{ query: 'unknown' }, 2, 0],
    [brand({ include: ['brand_unknown'] }), 2, 0],
  ])('%j has %d rows for a live key and %d for a test key', async (asked, live, test) => {
    const totals = await both(async (api) => (await api.query(asked)).body.total_results);
    expect(totals).toEqual({ live, test });
  });

  test('every version hides the same, and a page ends where the sandbox does', async () => {
    const ofBags = { category: 'handbags' };
    for (const { body } of [await trial.v1(ofBags), await trial.v2(ofBags)])
      expect(body.total_results).toBe(1_000);
    const last = { category_id: 'handbags', page: 499, page_size: 2 };
    const lastIds = ['product_handbags_0998', 'product_handbags_0999'];
    expect(idsOf(await trial.query(last))).toEqual(lastIds);
    expect((await trial.query({ taxonomy_node: 'brand' })).body.total_results).toBe(3);
  });

  // contract 4.8
  test('a page has 20 rows by default and 100 at most, in every version', async () => {
    const { api } = crowded;
    const pagesOf = (asked: { page?: number; page_size?: number }) => {
      const texts = Object.fromEntries(Object.entries(asked).map(([name, value]) => [name, String(value)]));
      return Promise.all([api.query(asked), api.v1(texts), api.v2(texts)]);
    };
    for (const { body } of await pagesOf({ page_size: 101, page: 1 }))
      expect(body).toMatchObject({ results: 100, total_results: 1_005, page: 1, total_pages: 11 });
    for (const { body } of await pagesOf({}))
      expect(body).toMatchObject({ results: 20, total_results: 1_005, total_pages: 51 });
  });

  test('no other product is found, suggested, looked up or similar; a taxonomy row is suggested', async () => {
    for (const look of [
      async (api: ApiClient) => idsOf(await api.query({ query: 'zebra' })),
      async (api: ApiClient) => idsOf(await api.query({ query: 'zebr' })),
      async (api: ApiClient) => idsOf(await api.suggest({ query: 'zebr' })),
      async (api: ApiClient) => idsOf(await api.items({ ids: [INSIDE, OUTSIDE] })),
    ])
      expect(await both(look)).toEqual({ live: [INSIDE, OUTSIDE], test: [INSIDE] });
    const similar = await both(async (api) => idsOf(await api.similar(FIRST)));
    expect(similar).toEqual({ live: [OUTSIDE, INSIDE], test: [INSIDE] });
    expect([(await trial.similar(OUTSIDE)).status, (await trial.item(OUTSIDE)).status]).toEqual([404, 404]);
    expect((await trial.item(INSIDE)).status).toBe(200);
    expect(idsOf(await trial.suggest({ query: 'unkn' }))).toEqual(['brand_unknown']);
  });

  test('no other product is identified, under v3 and v2', async () => {
    await crowded.sees([OUTSIDE, 0.02], [INSIDE, 0.05]);
    const { live, test } = await both(async (api) => idsOf(await api.identify(crowded.photo)));
    expect([live[0], test]).toEqual([OUTSIDE, [INSIDE]]);
    expect((await trial.identifyV2(crowded.photo)).body.results).toMatchObject([{ id: INSIDE }]);
  });
});

const service = useService({ TEST_CALLS_PER_MONTH: '10' });

// contract 9.8
describe('a test key on a small catalog', () => {
  test('sees all of it, and is charged like any other', async () => {
    const { api, accountId } = await service.newKey({ test: true, credits: 100 });
    const mine = await api.query({ page_size: 100 });
    expect(idsOf(mine)).toEqual(idsOf(await service.api.query({ page_size: 100 })));
    expect([mine.headers.get('X-Credits-Used'), await service.balance(accountId)]).toEqual(['1', 99]);
  });

  // contract 9.9
  test('makes ten calls per UTC month on all endpoints; a live key and other test keys are unaffected', async () => {
    const [used, other] = [await service.newKey({ test: true }), await service.newKey({ test: true })];
    const ask = async (api: ApiClient) => (await api.item('product_nobody')).status;
    const statuses = await Promise.all(Array.from({ length: 12 }, () => ask(used.api)));
    expect(statuses.sort()).toEqual([...Array(10).fill(404), 429, 429]);
    const refused = await used.api.v2({});
    const now = service.clock.now();
    const next = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1);
    const seconds = Math.ceil((next - now.getTime()) / 1_000);
    const message = expect.stringContaining('10 calls a month');
    expect(refused).toMatchObject({ status: 429, body: { error: 'rate_limited', message } });
    const told = ['Retry-After', 'RateLimit-Remaining'].map((name) => refused.headers.get(name));
    expect(told).toEqual([String(seconds), '0']);
    expect(await Promise.all(Array.from({ length: 12 }, () => ask(service.api)))).not.toContain(429);
    expect(await ask(other.api)).toBe(404);
    service.clock.advance(seconds * 1_000);
    expect(await ask(used.api)).toBe(404);
  });

  const entries = (count: number) => ({ entries: Array(count).fill({ url: 'http://127.0.0.1/bag.jpg' }) });

  // contract 9.9
  test('uses up a call for each entry of a job, all or none; a refused job is one', async () => {
    const { api, accountId } = await service.newKey({ test: true });
    const refused = await api.createJob(entries(40));
    expect(refused).toMatchObject({ status: 429, body: { error: 'rate_limited' } });
    const statuses: number[] = [];
    for (const count of [7, 3, 1]) statuses.push((await api.createJob(entries(count))).status);
    expect([...statuses, (await api.item('product_nobody')).status]).toEqual([202, 429, 202, 429]);
    const live = await service.newKey({ accountId });
    expect((await live.api.createJob(entries(40))).status).toBe(202);
  });
});

// contract 9.10
describe('X-Loupe-Force', () => {
  const forced = (api: ApiClient, asked: string, method = 'POST', path = '/v3/vision/identify') =>
    api.send(method, path, {
      ...(method === 'POST' ? { body: {} } : {}),
      headers: { 'X-Loupe-Force': asked },
    });
  let api: ApiClient;
  let accountId: string;
  beforeAll(async () => {
    ({ api, accountId } = await service.newKey({ test: true, credits: 100 }));
  });
  afterEach(async () => expect(await service.balance(accountId)).toBe(100));

  /** Every status with its code, and of 422 every reason; no identification has a 404. */
  const FORCED = [
    ...Object.entries(REFUSALS).map(([code, [refusal]]) => [String(refusal?.status), code] as const),
    ...IMAGE_FAULTS.map((reason) => [`422 ${reason}`, 'unprocessable'] as const),
  ].filter(([asked]) => asked !== '404');
  test.each(FORCED)('gives a test key a real %s %s, any number of times, free', async (asked, error) => {
    const [status, reason] = asked.split(' ');
    // Every header and the body are compared with the document.
    const body = { success: false, error, message: expect.any(String), ...(reason ? { reason } : {}) };
    for (const _call of [1, 2])
      expect(await forced(api, asked)).toMatchObject({ status: Number(status), body });
  });

  test('gives a 404, and refusals of other endpoints', async () => {
    expect((await forced(api, '404', 'GET', '/v3/catalog/items/product_birkin_croc')).status).toBe(404);
    expect((await forced(api, '503', 'GET', '/v1/products')).status).toBe(503);
  });

  test('sends the headers of a real one', async () => {
    for (const [status, name, value] of [
      ['401', 'WWW-Authenticate', 'Bearer'],
      ['401', 'X-Credits-Used', null],
      ['405', 'Allow', 'POST'],
      ['429', 'Retry-After', '1'],
      ['402', 'X-Credits-Remaining', '100'],
    ] as const)
      expect((await forced(api, status)).headers.get(name)).toBe(value);
  });

  test('is a 400 for any other status or reason, and is ignored for a live key and without a key', async () => {
    const refusal = { status: 400, body: { error: 'bad_request', field: 'X-Loupe-Force' } };
    for (const asked of ['', '200', '418', '429 image_format', '422 nothing', '422  url_timeout', 'toString'])
      expect(await forced(api, asked)).toMatchObject(refusal);
    expect((await forced(service.api, '429')).status).toBe(400);
    expect((await forced(service.anybody, '429')).status).toBe(401);
  });

  test('is neither counted nor logged as a failure', async () => {
    service.log.clear();
    await forced(api, '500');
    expect(await service.log.lines(1)).toEqual([expect.objectContaining({ level: 30 })]);
    const metrics = await (await fetch(`${service.url}/metrics`)).text();
    expect(metrics).toMatch(/_count\{[^}]*route="forced"[^}]*status="500"/);
    expect(metrics).not.toMatch(/route="\/v3\/vision\/identify"[^}]*status="500"/);
  });
});
