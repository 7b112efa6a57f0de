import { ERRORS } from '../../api/ops/openapi/errors';
import { IMAGE_FAULTS } from '../../models/errors';
import { ApiClient, idsOf } from '../support/api-client';
import { CROWDED_CATALOG, pictureOf } from '../support/crowded-catalog';
import { type TestKey, useService } from '../support/service';
import { useEmbeddedPictures } from '../support/stored-vectors';

/** contract 9.8, 9.9, 9.10: keys for testing an app. */

// contract 9.8
describe('a test key on a large catalog', () => {
  const service = useService({}, {}, CROWDED_CATALOG);
  const INSIDE = 'product_handbags_0003';
  const OUTSIDE = 'product_handbags_1000';
  useEmbeddedPictures(service, {
    [pictureOf('product_handbags_0000')]: 0,
    [pictureOf(OUTSIDE)]: 1,
    [pictureOf(INSIDE)]: 10,
  });
  let test_: ApiClient;
  let live: ApiClient;
  beforeAll(async () => {
    test_ = (await service.newKey({ test: true, credits: 1_000 })).api;
    live = service.api;
  });

  test('lists the most popular products of a category and the whole of a smaller one, with exact totals', async () => {
    const totals = async (api: ApiClient, body: object) => (await api.query(body)).body.total_results;
    expect(await totals(live, { category_id: 'handbags' })).toBe(1_002);
    expect(await totals(test_, { category_id: 'handbags' })).toBe(1_000);
    expect(await totals(test_, { category_id: 'watches' })).toBe(3);
    expect(await totals(test_, {})).toBe(1_003);
    const last = await test_.query({ category_id: 'handbags', page: 499, page_size: 2 });
    expect(idsOf(last)).toEqual(['product_handbags_0998', 'product_handbags_0999']);
    const least = await test_.query({ category_id: 'handbags', sort: 'popularity_asc', page_size: 1 });
    expect(idsOf(least)).toEqual(['product_handbags_0999']);
  });

  test('finds nothing else by filters, exclusions or text, and every taxonomy row', async () => {
    const filters = (filter: object) => ({ filters: [{ field: 'brand', ...filter }] });
    for (const body of [filters({ include: ['brand_unknown'] }), { query: 'unknown' }]) {
      expect((await live.query(body)).body.total_results).toBe(2);
      expect((await test_.query(body)).body).toMatchObject({ total_results: 0, data: [], credits_used: 0 });
    }
    const known = await test_.query({ ...filters({ exclude: ['brand_known'] }), category_id: 'handbags' });
    expect(known.body.total_results).toBe(0);
    expect(idsOf(await live.query({ query: 'zebra' }))).toEqual([INSIDE, OUTSIDE]);
    expect(idsOf(await test_.query({ query: 'zebra' }))).toEqual([INSIDE]);
    expect(idsOf(await test_.query({ query: 'zebr' }))).toEqual([INSIDE]);
    const brands = await test_.query({ taxonomy_node: 'brand', sort: 'name_asc' });
    expect(idsOf(brands)).toEqual(['brand_known', 'brand_ticking', 'brand_unknown']);
  });

  test('is suggested nothing else', async () => {
    expect(idsOf(await live.suggest({ query: 'zebr' }))).toEqual([INSIDE, OUTSIDE]);
    expect(idsOf(await test_.suggest({ query: 'zebr' }))).toEqual([INSIDE]);
    expect(idsOf(await test_.suggest({ query: 'unkn' }))).toEqual(['brand_unknown']);
  });

  test('looks nothing else up, alone or among several', async () => {
    expect((await test_.item(OUTSIDE)).status).toBe(404);
    expect((await test_.item(INSIDE)).status).toBe(200);
    const several = await test_.items({ ids: [OUTSIDE, 'brand_unknown', INSIDE] });
    expect(idsOf(several)).toEqual(['brand_unknown', INSIDE]);
    expect(several.body).toMatchObject({ not_found: [OUTSIDE], credits_used: 2 });
  });

  test('is told nothing else to be similar', async () => {
    expect(idsOf(await live.similar('product_handbags_0000'))).toEqual([OUTSIDE, INSIDE]);
    expect(idsOf(await test_.similar('product_handbags_0000'))).toEqual([INSIDE]);
    expect((await test_.similar(OUTSIDE)).status).toBe(404);
  });

  test('is identified nothing else, under v3 and v2', async () => {
    const base64 = (await service.photo()).toString('base64');
    await service.sees([OUTSIDE, 0.02], [INSIDE, 0.05]);
    expect(idsOf(await live.identify({ base64 }))[0]).toBe(OUTSIDE);
    expect(idsOf(await test_.identify({ base64 }))).toEqual([INSIDE]);
    const v2 = await test_.identifyV2({ base64 });
    expect(v2.body.results.map(({ id }) => id)).toEqual([INSIDE]);
  });

  test('finds the same under v1 and v2', async () => {
    for (const { body } of [
      await test_.v1({ category: 'handbags' }),
      await test_.v2({ category: 'handbags' }),
    ]) {
      expect(body.total_results).toBe(1_000);
    }
    expect((await test_.v1({ search: 'unknown' })).body.data).toEqual([]);
  });
});

describe('a test key on a small catalog', () => {
  const service = useService();

  test('sees all of it, and is charged like any other', async () => {
    const { api, accountId } = await service.newKey({ test: true, credits: 100 });
    const mine = await api.query({ page_size: 100 });
    expect(idsOf(mine)).toEqual(idsOf(await service.api.query({ page_size: 100 })));
    expect(mine.headers.get('X-Credits-Used')).toBe('1');
    expect(await service.balance(accountId)).toBe(99);
  });
});

// contract 9.9
describe('with three calls of a test key a month', () => {
  const service = useService({ TEST_CALLS_PER_MONTH: '3' });
  const ask = ({ api }: TestKey) => api.item('product_nobody');

  test('the fourth is refused until the next month of UTC, on every endpoint; a live key and other test keys go on', async () => {
    const [used, other, live] = await Promise.all([
      service.newKey({ test: true }),
      service.newKey({ test: true }),
      service.newKey(),
    ]);
    const answers = await Promise.all(Array.from({ length: 5 }, () => ask(used)));
    expect(answers.map(({ status }) => status).sort()).toEqual([404, 404, 404, 429, 429]);
    const refused = await used.api.v2({});
    const now = service.clock.now();
    const seconds = Math.ceil(
      (Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1) - now.getTime()) / 1_000,
    );
    expect(refused).toMatchObject({
      status: 429,
      body: { error: 'rate_limited', message: expect.stringContaining('3 calls a month') },
    });
    expect(refused.headers.get('Retry-After')).toBe(String(seconds));
    expect(refused.headers.get('RateLimit-Remaining')).toBe('0');
    for (let call = 0; call < 5; call += 1) expect((await ask(live)).status).toBe(404);
    expect((await ask(other)).status).toBe(404);
    service.clock.advance(seconds * 1_000);
    expect((await ask(used)).status).toBe(404);
  });
});

// contract 9.9
describe('with ten calls of a test key a month', () => {
  const service = useService({ TEST_CALLS_PER_MONTH: '10' });
  const entries = (count: number) => ({ entries: Array(count).fill({ url: 'http://127.0.0.1/bag.jpg' }) });

  test('a job counts as many as it has entries, all or none of them', async () => {
    const { api, accountId } = await service.newKey({ test: true });
    const refused = await api.createJob(entries(40));
    expect(refused).toMatchObject({ status: 429, body: { error: 'rate_limited' } });
    // The refused call counts as one.
    expect((await api.createJob(entries(7))).status).toBe(202);
    expect((await api.createJob(entries(3))).status).toBe(429);
    expect((await api.createJob(entries(1))).status).toBe(202);
    expect((await api.item('product_nobody')).status).toBe(429);
    const live = await service.newKey({ accountId });
    expect((await live.api.createJob(entries(40))).status).toBe(202);
  });

  test('jobs that come at once make no more entries than that', async () => {
    const { api } = await service.newKey({ test: true });
    const made = await Promise.all(Array.from({ length: 8 }, () => api.createJob(entries(4))));
    const kept = made.filter(({ status }) => status === 202);
    expect(kept.length).toBeLessThanOrEqual(2);
    for (const { status } of made) expect([202, 429]).toContain(status);
  });
});

// contract 9.10
describe('X-Loupe-Force', () => {
  const service = useService({ TEST_CALLS_PER_MONTH: '1' });
  const forced = (api: ApiClient, status: string) =>
    api.send('POST', '/v3/vision/identify', { body: {}, headers: { 'X-Loupe-Force': status } });
  /** Beside 404, which no identification has. */
  const STATUSES = Object.entries(ERRORS).filter(([, { status }]) => status !== 404);
  let api: ApiClient;
  let accountId: string;
  beforeAll(async () => {
    ({ api, accountId } = await service.newKey({ test: true, credits: 100 }));
  });

  test.each(STATUSES)(
    'gives a test key a %s as it really is, however often, and free',
    async (code, { status }) => {
      service.log.clear();
      // Every header and the body are held against the document.
      for (let call = 0; call < 2; call += 1) {
        expect(await forced(api, String(status))).toMatchObject({
          status,
          body: { success: false, error: code, message: expect.any(String), request_id: expect.any(String) },
        });
      }
      expect(await service.balance(accountId)).toBe(100);
    },
  );

  test('gives a 404, and on every other endpoint too', async () => {
    const headers = { 'X-Loupe-Force': '404' };
    const path = '/v3/catalog/items/product_birkin_croc';
    expect((await api.send('GET', path, { headers })).status).toBe(404);
    expect((await api.send('GET', '/v1/products', { headers: { 'X-Loupe-Force': '503' } })).status).toBe(503);
  });

  test.each(IMAGE_FAULTS)('gives a 422 with the reason %s', async (reason) => {
    expect(await forced(api, `422 ${reason}`)).toMatchObject({ status: 422, body: { reason } });
  });

  test('sends the headers that tell a client what to do', async () => {
    const headersOf = async (status: string) => (await forced(api, status)).headers;
    expect((await headersOf('401')).get('WWW-Authenticate')).toBe('Bearer');
    expect((await headersOf('401')).get('X-Credits-Used')).toBeNull();
    expect((await headersOf('405')).get('Allow')).toBe('POST');
    expect((await forced(api, '402')).body).toMatchObject({
      message: 'This call can cost more than the account has left.',
    });
    expect((await headersOf('429')).get('Retry-After')).toBe('1');
    expect((await headersOf('402')).get('X-Credits-Remaining')).toBe('100');
  });

  test.each(['', '200', '418', '429 image_format', '422 nothing', '422  url_timeout', 'toString'])(
    'is a 400 that lists what there is for "%s"',
    async (asked) => {
      expect(await forced(api, asked)).toMatchObject({
        status: 400,
        body: { error: 'bad_request', field: 'X-Loupe-Force' },
      });
    },
  );

  test('is not heard of a live key, nor without a key', async () => {
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
