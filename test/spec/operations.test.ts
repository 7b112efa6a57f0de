import type { Knex } from 'knex';
import { ProcessWatch } from '../../models/installation/process-watch';
import {
  type EmbedderRegistry,
  type EmbeddingRepository,
  PORTS,
  type ProcessRegistry,
} from '../../models/ports';
import { modelReference } from '../../models/vision/embedding-model';
import { isOnnxInstalled } from '../../workers/embedder/onnx-runtime';
import { bundledModel } from '../../workers/library/model-library';
import { useService } from '../support/service';

/** contract 14, 11.1: what operators and tools ask. */
const service = useService();

// contract 14.4
test('/healthz says that the process is alive', async () => {
  expect(await service.anybody.send('GET', '/healthz')).toMatchObject({
    status: 200,
    body: { status: 'alive' },
  });
});

test('/readyz says that the service can serve, and names what it looked at', async () => {
  expect(await service.anybody.send('GET', '/readyz')).toMatchObject({
    status: 200,
    body: {
      status: 'ready',
      checks: { database: 'ok', storage: 'ok', model: 'ok', index: 'ok', queue: 'ok' },
      warnings: [],
    },
  });
});

// contract 14.11
test('/readyz and /metrics say what computes each model in memory', async () => {
  expect(await service.anybody.send('GET', '/readyz')).toMatchObject({
    status: 200,
    body: { inference: {} },
  });
  const live = await service.resolve<EmbeddingRepository>(PORTS.EmbeddingRepository).live();
  if (!live) throw new Error('no version is live');
  const { manifest } = await bundledModel();
  const embedders = service.resolve<EmbedderRegistry>(PORTS.EmbedderRegistry);
  const embedder = await embedders.forVersion({ ...live, manifest });
  const backend = isOnnxInstalled() ? 'onnx' : 'wasm';
  const ready = await service.anybody.send('GET', '/readyz');
  const metrics = await service.anybody.send('GET', '/metrics');
  await embedder.close();
  expect(ready).toMatchObject({ status: 200, body: { inference: { [modelReference(manifest)]: backend } } });
  expect(metrics.text).toContain(`loupe_inference_models{backend="${backend}"} 1`);
});

test('/readyz is a 503 that names what fails', async () => {
  service.queue.isAway(true);
  const answer = await service.anybody.send('GET', '/readyz');
  service.queue.isAway(false);
  expect(answer).toMatchObject({
    status: 503,
    body: { success: false, error: 'unavailable', checks: { database: 'ok', queue: 'failed' } },
  });
  expect(answer.headers.has('Retry-After')).toBe(true);
});

// contract 14.4, 14.16
test('without a worker a photo is refused at once, before its body is read, and /readyz claims no readiness while the catalog is served', async () => {
  service.queue.hasWorkers(0);
  const photo = await service.api.send('POST', '/v3/vision/identify', {
    raw: '{"base64": ',
    headers: { 'Content-Type': 'application/json' },
  });
  const ready = await service.anybody.send('GET', '/readyz');
  const query = await service.api.query({});
  const metrics = await service.anybody.send('GET', '/metrics');
  service.queue.hasWorkers(1);
  expect(photo).toMatchObject({
    status: 503,
    body: {
      error: 'unavailable',
      message: 'No worker is running that could look at photos; the photo was not taken.',
    },
  });
  expect(photo.headers.get('Retry-After')).toBe('10');
  expect(photo.headers.get('X-Credits-Used')).toBe('0');
  expect(ready).toMatchObject({
    status: 200,
    body: {
      status: 'degraded',
      checks: { workers: 'failed', queue: 'ok' },
      warnings: [expect.stringContaining('No worker is running')],
    },
  });
  expect(query.status).toBe(200);
  expect(metrics.text).toContain('loupe_vision_workers 0');
  expect((await service.anybody.send('GET', '/metrics')).text).toContain('loupe_vision_workers 1');
});

// contract 14.15
test('/readyz names what another process does not agree on, and no host', async () => {
  const registry = service.resolve<ProcessRegistry>(PORTS.ProcessRegistry);
  const traits = { release: '9.9.9', signingKeys: ['other'], imageStore: 'elsewhere' };
  await registry.renew({ id: 'other', name: 'secret-host:1', role: 'all', traits });
  // A new bucket is named at the first look and known at the next.
  await service.resolve<ProcessWatch>(ProcessWatch).look();
  const answer = await service.anybody.send('GET', '/readyz');
  await registry.leave('other');
  expect(answer).toMatchObject({
    status: 200,
    body: {
      status: 'degraded',
      checks: { processes: 'failed' },
      warnings: [expect.stringMatching(/another release.*SIGNING_KEYS.*stores pictures elsewhere/)],
    },
  });
  expect(answer.text).not.toMatch(/secret-host|elsewhere"/);
  expect(await service.anybody.send('GET', '/readyz')).toMatchObject({
    body: { status: 'ready', warnings: [] },
  });
});

test('/readyz says what is wrong with the vectors that answers are made of', async () => {
  const knex = service.resolve<Knex>(PORTS.Knex);
  const live = await knex('embedding_versions').where({ state: 'live' }).first('id', 'manifest');
  const { manifest } = live;
  const wider = { ...manifest, output: { ...manifest.output, dimensions: 7 } };
  await knex('embedding_versions')
    .where({ id: live.id })
    .update({ manifest: JSON.stringify(wider) });
  const answer = await service.anybody.send('GET', '/readyz');
  await knex('embedding_versions')
    .where({ id: live.id })
    .update({ manifest: JSON.stringify(manifest) });
  expect(answer).toMatchObject({
    status: 503,
    body: {
      checks: { index: 'failed', model: 'ok' },
      message: expect.stringContaining('its model makes halfvec(7)'),
    },
  });
});

// contract 11.4
describe.each(['starting', 'stopping'] as const)('while the process is %s', (state) => {
  beforeEach(() => {
    service.lifecycle = state;
  });
  afterEach(() => {
    service.lifecycle = 'ready';
  });

  test('every call is a 503 that may be tried again', async () => {
    for (const answer of [
      await service.api.query({}),
      await service.api.v1({}),
      await service.anybody.send('GET', '/files/pricing_data/variant_x/NA.csv'),
    ]) {
      expect(answer).toMatchObject({ status: 503, body: { success: false, error: 'unavailable' } });
      expect(Number(answer.headers.get('Retry-After'))).toBeGreaterThan(0);
    }
  });

  test('it is alive, not ready, and tells its metrics', async () => {
    expect((await service.anybody.send('GET', '/healthz')).status).toBe(200);
    expect((await service.anybody.send('GET', '/metrics')).status).toBe(200);
    expect(await service.anybody.send('GET', '/readyz')).toMatchObject({
      status: 503,
      body: { checks: { process: state } },
    });
  });
});

// contract 14.4
test('what only grows is a counter of Prometheus, named so', async () => {
  const { text } = await service.anybody.send('GET', '/metrics');
  const types = [...text.matchAll(/^# TYPE (loupe_\w+) (\w+)$/gm)].map(([, name = '', type = '']) => ({
    name,
    type,
  }));
  expect(types.length).toBeGreaterThan(10);
  for (const { name, type } of types) {
    expect([name, type === 'counter']).toEqual([name, name.endsWith('_total')]);
  }
  expect(text).toMatch(/^loupe_housekeeping_removed_total\{kind="\w+"\} \d+$/m);
});

test('/metrics tells requests by route and status, without ids in labels', async () => {
  await service.api.item('product_birkin_croc');
  await service.api.send('GET', '/nowhere/product_birkin_croc');
  const { text, headers } = await service.anybody.send('GET', '/metrics');
  expect(headers.get('Content-Type')).toMatch(/^text\/plain/);
  expect(text).toMatch(
    /loupe_http_request_duration_seconds_count\{method="GET",route="\/v3\/catalog\/items\/:id",status="200"\} \d/,
  );
  expect(text).not.toContain('product_birkin_croc');
  expect(text).toContain('loupe_vision_queue_jobs{state="waiting"}');
  expect(text).toContain('loupe_vision_queue_oldest_seconds 1.5');
  expect(text).toMatch(/loupe_database_connections\{state="free"\} \d/);
  expect(text).toMatch(/loupe_credits_charged_total\{route="\/v3\/catalog\/items\/:id"\} [1-9]/);
  expect(text).toContain('process_cpu_seconds_total');
});

describe('/openapi.json', () => {
  const document = async () =>
    (
      await service.anybody.send<{ openapi: string; paths: Record<string, object>; servers: object[] }>(
        'GET',
        '/openapi.json',
      )
    ).body;

  test('tells every parameter of the contract with its default', async () => {
    interface V1Parameter {
      readonly in: string;
      readonly name: string;
      readonly schema: { readonly default?: unknown };
    }
    const whole = (await document()) as unknown as {
      paths: Record<string, object>;
      components: { schemas: Record<string, { properties: Record<string, { default?: unknown }> }> };
    };
    const defaults = (schema: string) =>
      Object.entries(whole.components.schemas[schema]?.properties ?? {}).map(([name, each]) => [
        name,
        each.default,
      ]);
    const paging = [
      ['page', 0],
      ['page_size', 20],
      ['sort', 'popularity_desc'],
    ];
    const query = [
      ['query', undefined],
      ['category_id', undefined],
      ['filters', []],
    ];
    expect(defaults('CatalogQuery')).toEqual(
      expect.arrayContaining([...query, ...paging, ['taxonomy_node', 'product'], ['includes', ['taxonomy']]]),
    );
    const { get } = whole.paths['/v1/products'] as { get: { parameters: V1Parameter[] } };
    const parameters = get.parameters.filter((each) => each.in === 'query');
    expect(parameters.map(({ name, schema }) => [name, schema.default])).toEqual(
      expect.arrayContaining([
        ...paging,
        ['search', ''],
        ['attribute', 'product'],
        ['category', ['handbags', 'watches']],
        ['tags', []],
        ['exclude_tags', []],
        ['dial', undefined],
        ['exclude_brand', undefined],
      ]),
    );
    expect(defaults('LegacyQuery').map(([name]) => name)).toEqual(parameters.map(({ name }) => name));
    expect(defaults('IdentifyRequest')).toEqual(
      expect.arrayContaining([
        ['url', undefined],
        ['base64', undefined],
        ['includes', ['taxonomy']],
      ]),
    );
  });
});

// contract 9.6
test('the log has one line per request, with its id and without keys, bodies or signatures', async () => {
  const url = (await service.api.item('product_birkin_croc', 'pricing')).body.data[0]?.variants?.[0]?.pricing
    ?.pricing_data?.[0]?.url;
  service.log.clear();
  const headers = { 'X-Request-Id': 'logged-request-1' };
  await service.api.send('POST', '/v3/catalog/query', { body: { query: 'topsecretwords' }, headers });
  await service.api.send('GET', '/v1/products?search=othersecret');
  await service.anybody.send('GET', url ?? '');
  const lines = await service.log.lines(3);
  expect(lines).toHaveLength(3);
  expect(lines[0]).toMatchObject({
    requestId: 'logged-request-1',
    req: { method: 'POST', path: '/v3/catalog/query' },
    res: { status: 200 },
    durationMs: expect.any(Number),
  });
  const text = JSON.stringify(lines);
  for (const secret of [
    service.key.key,
    'topsecretwords',
    'othersecret',
    new URL(url ?? '').search.slice(1),
  ]) {
    expect(text).not.toContain(secret);
  }
});
