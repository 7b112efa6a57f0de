import { ProcessWatch } from '../../models/installation/process-watch';
import { PORTS } from '../../models/ports';
import { modelReference } from '../../models/vision/embedding-model';
import { isInstalled } from '../../workers/embedder/backends';
import { bundledModel } from '../../workers/library/model-library';
import { useService } from '../support/service';

/** contract 14.4, 14.11, 14.15, 14.16: health, readiness, metrics and the log. */
const service = useService();
const get = (path: string) => service.anybody.send<object>('GET', path);
const metrics = async () => (await get('/metrics')).text;

// contract 14.4
test('a process reports that it is alive and ready, and what it checked', async () => {
  expect(await get('/healthz')).toMatchObject({ status: 200, body: { status: 'alive' } });
  const checks = { database: 'ok', storage: 'ok', model: 'ok', index: 'ok', queue: 'ok' };
  const ready = { status: 'ready', checks, warnings: [], inference: {} };
  expect(await get('/readyz')).toMatchObject({ status: 200, body: ready });
});

// contract 17.1
test("without ADMIN_TOKEN the document does not mention the operators' addresses", async () => {
  const { text } = await get('/openapi.json');
  expect([text.includes('/v3/account'), text.includes('/admin/')]).toEqual([true, false]);
});

// contract 14.11
test('/readyz and /metrics name the backend of each loaded model', async () => {
  const live = await service.liveVersion();
  const { manifest } = await bundledModel();
  const embedders = service.resolve(PORTS.EmbedderRegistry);
  const embedder = await embedders.forVersion({ ...live, manifest });
  const [ready, told] = [await get('/readyz'), await metrics()];
  await embedder.close();
  const backend = isInstalled('onnx') ? 'onnx' : 'wasm';
  expect(ready).toMatchObject({ status: 200, body: { inference: { [modelReference(manifest)]: backend } } });
  expect(told).toContain(`loupe_inference_models{backend="${backend}"} 1`);
});

// contract 14.4
describe('/readyz is a 503', () => {
  test('that names what fails', async () => {
    service.queue.isAway = true;
    const answer = await get('/readyz');
    service.queue.isAway = false;
    const body = { success: false, error: 'unavailable', checks: { database: 'ok', queue: 'failed' } };
    expect(answer).toMatchObject({ status: 503, body });
    expect(answer.headers.has('Retry-After')).toBe(true);
  });

  test('that says what is wrong with the live vectors', async () => {
    const versions = () => service.knex('embedding_versions').where({ state: 'live' });
    const { manifest } = await versions().first('manifest');
    const wider = { ...manifest, output: { ...manifest.output, dimensions: 7 } };
    await versions().update({ manifest: JSON.stringify(wider) });
    const answer = await get('/readyz');
    await versions().update({ manifest: JSON.stringify(manifest) });
    const message = expect.stringContaining('its model makes halfvec(7)');
    expect(answer).toMatchObject({
      status: 503,
      body: { checks: { index: 'failed', model: 'ok' }, message },
    });
  });
});

// contract 14.4, 14.16
test('without a worker a photo is refused before its body is read, and /readyz is degraded', async () => {
  service.queue.workerCount = 0;
  const headers = { 'Content-Type': 'application/json' };
  const photo = await service.api.send('POST', '/v3/vision/identify', { raw: '{"base64": ', headers });
  const [ready, query, told] = [await get('/readyz'), await service.api.query({}), await metrics()];
  service.queue.workerCount = 1;
  const message = 'No worker is running; the photo was not accepted.';
  expect(photo).toMatchObject({ status: 503, body: { error: 'unavailable', message } });
  expect([photo.headers.get('Retry-After'), photo.headers.get('X-Credits-Used')]).toEqual(['10', '0']);
  const warnings = [expect.stringContaining('No worker is running')];
  const checks = { workers: 'failed', queue: 'ok' };
  expect(ready).toMatchObject({ status: 200, body: { status: 'degraded', checks, warnings } });
  expect(query.status).toBe(200);
  expect(told).toContain('loupe_vision_workers 0');
  expect(await metrics()).toContain('loupe_vision_workers 1');
});

// contract 14.15
test('/readyz names the settings in which another process differs, and no host', async () => {
  const registry = service.resolve(PORTS.ProcessRegistry);
  const traits = { release: '9.9.9', signingKeys: ['other'], imageStore: 'elsewhere' };
  await registry.renew({ id: 'other', name: 'secret-host:1', role: 'all', traits, models: null });
  // A new bucket is named at the first look and known at the next.
  await service.resolve(ProcessWatch).run();
  const answer = await get('/readyz');
  await registry.leave('other');
  const warnings = [expect.stringMatching(/another release.*SIGNING_KEYS.*stores pictures elsewhere/)];
  const degraded = { status: 'degraded', checks: { processes: 'failed' }, warnings };
  expect(answer).toMatchObject({ status: 200, body: degraded });
  expect(answer.text).not.toMatch(/secret-host|elsewhere"/);
  expect((await get('/readyz')).body).toMatchObject({ status: 'ready', warnings: [] });
});

// contract 11.4
test.each(['starting', 'stopping'] as const)(
  'while the process is %s every call is a 503; it is alive, not ready, and reports its metrics',
  async (state) => {
    service.lifecycle = state;
    try {
      const file = '/files/pricing_data/variant_x/NA.csv';
      for (const answer of [await service.api.query({}), await service.api.v1({}), await get(file)]) {
        expect(answer).toMatchObject({ status: 503, body: { success: false, error: 'unavailable' } });
        expect(Number(answer.headers.get('Retry-After'))).toBeGreaterThan(0);
      }
      expect([(await get('/healthz')).status, (await get('/metrics')).status]).toEqual([200, 200]);
      expect(await get('/readyz')).toMatchObject({ status: 503, body: { checks: { process: state } } });
    } finally {
      service.lifecycle = 'ready';
    }
  },
);

// contract 14.4
describe('/metrics', () => {
  test('gives the type counter to metrics that only grow, and to no others', async () => {
    const text = await metrics();
    const types = [...text.matchAll(/^# TYPE (loupe_\w+) (\w+)$/gm)];
    expect(types.length).toBeGreaterThan(10);
    for (const [, name = '', type] of types)
      expect([name, type === 'counter']).toEqual([name, name.endsWith('_total')]);
    expect(text).toMatch(/^loupe_housekeeping_removed_total\{kind="\w+"\} \d+$/m);
  });

  test('counts requests by route and status, without ids in labels', async () => {
    await service.api.item('product_birkin_croc');
    await service.api.send('GET', '/nowhere/product_birkin_croc');
    await service.knex('predictions').delete();
    const { text, headers } = await get('/metrics');
    expect(headers.get('Content-Type')).toMatch(/^text\/plain/);
    expect(text).not.toContain('product_birkin_croc');
    for (const line of [
      /loupe_http_request_duration_seconds_count\{method="GET",route="\/v3\/catalog\/items\/:id",status="200"\} \d/,
      /loupe_credits_charged_total\{route="\/v3\/catalog\/items\/:id"\} [1-9]/,
      /loupe_database_connections\{state="free"\} \d/,
      /loupe_vision_queue_jobs\{state="waiting"\}/,
      /loupe_vision_queue_oldest_seconds 1\.5/,
      /process_cpu_seconds_total/,
      /loupe_prediction_reliability\{figure="claimed"\} NaN/,
    ])
      expect(text).toMatch(line);
  });
});

// contract 9.6
test('the log has one line per request, with its id and without keys, bodies or signatures', async () => {
  const { variants } = await service.row('product_birkin_croc', 'pricing');
  const url = variants?.[0]?.pricing?.pricing_data?.[0]?.url ?? '';
  service.log.clear();
  const headers = { 'X-Request-Id': 'logged-request-1' };
  await service.api.send('POST', '/v3/catalog/query', { body: { query: 'topsecretwords' }, headers });
  await service.api.send('GET', '/v1/products?search=othersecret');
  await get(url);
  const lines = await service.log.lines(3);
  expect(lines).toHaveLength(3);
  expect(lines[0]).toMatchObject({
    ...{ requestId: 'logged-request-1', durationMs: expect.any(Number) },
    ...{ req: { method: 'POST', path: '/v3/catalog/query' }, res: { status: 200 } },
  });
  const text = JSON.stringify(lines);
  for (const secret of [service.key.key, 'topsecretwords', 'othersecret', new URL(url).search.slice(1)])
    expect(text).not.toContain(secret);
});
