import { useService } from '../support/service';

/** contract 10.1, 11.1, 9.2: limits of keys. */
const service = useService({ PAGE_SIZE_MAX: '7' });
const clientWith = async (limits: object) => (await service.newKey({ limits })).api;

test('a limit is told on every answer, and how much of it is left', async () => {
  const api = await clientWith({ perSecond: 0, perMinute: 3 });
  const answers = [await api.query({}), await api.query({ page: -1 }), await api.item('product_nobody')];
  expect(answers.map(({ headers }) => headers.get('RateLimit-Remaining'))).toEqual(['2', '1', '0']);
  for (const { headers } of answers) {
    expect(headers.get('RateLimit-Limit')).toBe('3');
    expect(Number(headers.get('RateLimit-Reset'))).toBeGreaterThan(0);
    expect(Number(headers.get('RateLimit-Reset'))).toBeLessThanOrEqual(60);
  }
});

// contract 9.5
test('over the limit is a 429 with Retry-After and RateLimit headers, free of charge', async () => {
  const api = await clientWith({ perSecond: 0, perMinute: 1 });
  await api.query({});
  const answer = await api.query({});
  expect(answer).toMatchObject({ status: 429, body: { success: false, error: 'rate_limited' } });
  const { headers } = answer;
  expect(Number(headers.get('Retry-After'))).toBeGreaterThanOrEqual(1);
  expect(headers.get('RateLimit-Limit')).toBe('1');
  expect(headers.get('RateLimit-Remaining')).toBe('0');
  expect(Number(headers.get('RateLimit-Reset'))).toBeGreaterThan(0);
  expect(headers.get('X-Credits-Used')).toBe('0');
});

test('each second has a limit of its own', async () => {
  const api = await clientWith({ perSecond: 2, perMinute: 0 });
  const statuses = await Promise.all(Array.from({ length: 40 }, async () => (await api.query({})).status));
  expect(statuses).toContain(429);
  expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(2);
});

// contract 9.5
test('0 is no limit', async () => {
  const api = await clientWith({ perSecond: 0, perMinute: 0 });
  const { headers } = await api.query({});
  expect([...headers.keys()].filter((name) => name.startsWith('ratelimit'))).toEqual([]);
});

test('keys of one account count for themselves', async () => {
  const first = await service.newKey({ limits: { perMinute: 1 } });
  const second = await service.newKey({ accountId: first.accountId, limits: { perMinute: 1 } });
  for (const { api } of [first, second]) {
    expect((await api.query({})).status).toBe(200);
  }
});

describe('vision calls at the same time', () => {
  beforeEach(() => service.queue.reset());

  test('are limited, and a place is free when its call ends', async () => {
    const api = await clientWith({ concurrency: 1 });
    const body = { base64: (await service.photo()).toString('base64') };
    const finish = service.queue.holds();
    const first = api.identify(body);
    await service.queue.asked();
    const second = await api.identify(body);
    expect(second).toMatchObject({ status: 429, body: { error: 'rate_limited' } });
    expect(second.headers.has('Retry-After')).toBe(true);
    expect(second.headers.get('RateLimit-Limit')).toBe('1');
    // The catalog has no such limit.
    expect((await api.query({})).status).toBe(200);
    finish();
    expect((await first).status).toBe(200);
    service.queue.reset();
    expect((await api.identify(body)).status).toBe(200);
  });

  // contract 9.5
  test('count by their photos; a call with more than there are places takes all', async () => {
    const api = await clientWith({ concurrency: 4 });
    const photo = { base64: (await service.photo()).toString('base64') };
    const photos = (count: number) => ({ images: Array.from({ length: count }, () => photo) });
    const finish = service.queue.holds();
    const first = api.identify(photos(3));
    await service.queue.asked();
    expect((await api.identify(photos(2))).status).toBe(429);
    const second = api.identify(photo);
    await service.queue.asked(2);
    expect((await api.identify(photo)).status).toBe(429);
    finish();
    expect([(await first).status, (await second).status]).toEqual([200, 200]);
    service.queue.reset();
    expect((await api.identify(photos(5))).status).toBe(200);
  });

  test('of other keys do not count', async () => {
    const body = { base64: (await service.photo()).toString('base64') };
    const [one, other] = [await clientWith({ concurrency: 1 }), await clientWith({ concurrency: 1 })];
    const finish = service.queue.holds();
    const calls = [one.identify(body)];
    await service.queue.asked();
    calls.push(other.identify(body));
    await service.queue.asked(2);
    finish();
    expect((await Promise.all(calls)).map(({ status }) => status)).toEqual([200, 200]);
  });

  test('that are refused leave no place taken', async () => {
    const api = await clientWith({ concurrency: 1 });
    for (const body of [{}, { base64: '' }, { base64: 'AAAA' }]) {
      expect([400, 422]).toContain((await api.identify(body)).status);
    }
  });
});

// contract 4.8
test('the largest page is a setting', async () => {
  const capped = { results: 7, total_results: 18, total_pages: 3 };
  expect((await service.api.query({ page_size: 8 })).body).toMatchObject(capped);
  expect((await service.api.query({})).body).toMatchObject(capped);
  expect((await service.api.v1({ page_size: '100' })).body).toMatchObject({ results: 7, total_pages: 3 });
});

// contract 9.13, 16.9, 16.10
test('calls that come at once get no more entries and webhooks than there may be', async () => {
  // Jobs stay as they are: somebody always waits for a photo.
  service.queue.isWaitedFor(1);
  const { api } = await service.newKey({ limits: { concurrency: 0, perMinute: 0 } });
  const entries = Array(100).fill({ url: 'http://127.0.0.1/bag.jpg' });
  const jobs = await Promise.all(Array.from({ length: 30 }, () => api.createJob({ entries })));
  const kept = jobs.filter(({ status }) => status === 202);
  expect(kept).toHaveLength(10);
  for (const { body } of kept) expect((await api.job(body.id)).body.total).toBe(100);
  const [refused] = jobs.filter(({ status }) => status !== 202);
  expect(refused).toMatchObject({ status: 429, body: { error: 'rate_limited' } });
  expect(refused?.headers.get('RateLimit-Remaining')).toBe('0');
  const body = { url: 'https://shop.example/told', events: ['model.drift'] };
  const made = await Promise.all(
    Array.from({ length: 40 }, () => api.send('POST', '/v3/webhooks', { body })),
  );
  expect(made.filter(({ status }) => status === 201)).toHaveLength(10);
  expect(made.filter(({ status }) => status === 409)).toHaveLength(30);
  expect((await api.send<{ data: unknown[] }>('GET', '/v3/webhooks')).body.data).toHaveLength(10);
  service.queue.reset();
});
