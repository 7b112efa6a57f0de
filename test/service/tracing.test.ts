import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { generateBundle, productId } from '../../scripts/lab/generator/generate-bundle';
import { startProcess } from '../../scripts/lab/service-processes';
import { openAccount } from '../faults/accounts';
import { layoutInstallation } from '../faults/layout-model';
import { ApiClient } from '../support/api-client';
import type { Installation } from '../support/installation';
import { loupeHere } from '../support/run-loupe';
import { type CollectedSpan, TraceCollector } from '../support/trace-collector';

/**
 * One call is one trace, from its request through the queue to the worker and back, no matter who works on it: one process on
 * the embedded default; an api and a worker on PostgreSQL and Redis. They are stopped before the spans are looked at.
 */
const SEED = 5;
const PRODUCT = productId(SEED, 3);
const CALLER = { trace: '4bf92f3577b34da6a3ce929d0e0e4736', span: '00f067aa0ba902b7' };
const TRACED = 'call-that-is-traced';
const REFUSED = 'call-with-a-text';

const collector = new TraceCollector();
let installation: Installation;
let key: string;
let photo: string;
let log: Record<string, unknown>[];

beforeAll(async () => {
  installation = await layoutInstallation({ LOG_LEVEL: 'info' });
  const { folder, settings } = installation;
  const bundle = join(folder, 'bundle');
  await generateBundle({ seed: SEED, products: 6, out: bundle, images: true, imageSize: 192 });
  photo = (await readFile(join(bundle, 'images', '0000', `${PRODUCT}.jpg`))).toString('base64');
  const traced = {
    ...settings,
    OTEL_EXPORTER_OTLP_ENDPOINT: await collector.open(),
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_EXPORTER_OTLP_HEADERS: 'x-collector-key=abc%20def',
  };
  const lines = createWriteStream(join(folder, 'log'));
  await once(lines, 'open');
  const roles = settings['REDIS_URL'] === undefined ? ['all'] : ['api', 'worker'];
  const processes = await Promise.all(roles.map((ROLE) => startProcess({ ...traced, ROLE }, lines)));
  await loupeHere(settings, 'catalog', 'import', bundle);
  const stores = await installation.connect();
  ({ key } = await openAccount(stores.knex));
  await stores.close();
  const api = new ApiClient(processes[0]?.url ?? '', key);
  const identify = (body: object, headers: Record<string, string>) =>
    api.send('POST', '/v3/vision/identify', { body, headers });
  const traceparent = `00-${CALLER.trace}-${CALLER.span}-01`;
  const body = { base64: photo, includes: ['pricing'] };
  expect(await identify(body, { 'x-request-id': TRACED, traceparent })).toMatchObject({
    status: 200,
    body: { data: expect.arrayContaining([expect.objectContaining({ id: PRODUCT })]) },
  });
  expect(await identify({ base64: 'aGVsbG8=' }, { 'x-request-id': REFUSED })).toMatchObject({ status: 422 });
  await fetch(`${api.url}/readyz`);
  for (const process of processes.reverse()) await process.stop();
  lines.destroy();
  const text = await readFile(join(folder, 'log'), 'utf8');
  log = text.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : []));
}, 180_000);

afterAll(async () => {
  await collector.close();
  await installation?.remove();
}, 60_000);

const traceOf = (requestId: string): CollectedSpan[] => {
  const root = collector.spans.find((span) => span.attributes.get('loupe.request_id') === requestId);
  return collector.spans.filter((span) => span.traceId === root?.traceId);
};

function spanOf(trace: readonly CollectedSpan[], name: string): CollectedSpan {
  const span = trace.find((each) => each.name === name);
  if (!span) throw new Error(`no span ${name} among ${trace.map((each) => each.name).join(', ')}`);
  return span;
}

const ROOT = 'POST /v3/vision/identify';

test('a call goes on with the trace of its caller, from the request through the queue to the worker and back', () => {
  const trace = traceOf(TRACED);
  expect(new Set(trace.map((span) => span.traceId))).toEqual(new Set([CALLER.trace]));
  const nameOf = (spanId: string) => trace.find((span) => span.spanId === spanId)?.name;
  expect(spanOf(trace, ROOT)).toMatchObject({ parentSpanId: CALLER.span, status: 0 });
  expect(trace.filter(({ name, parentSpanId }) => name !== ROOT && !nameOf(parentSpanId))).toEqual([]);
  const parents = {
    'AccountRepository.callerByKeyHash': ROOT,
    'ImagePreparer.prepare': ROOT,
    'VisionQueue.neighbours': ROOT,
    'wait in queue': 'VisionQueue.neighbours',
    'answer photo': 'VisionQueue.neighbours',
    'Embedder.embed': 'answer photo',
    'NeighbourIndex.nearest': 'answer photo',
    'CatalogRepository.itemsById': ROOT,
    'PredictionRepository.save': ROOT,
    'CreditLedger.settle': ROOT,
  };
  const told = Object.keys(parents).map((name) => [name, nameOf(spanOf(trace, name).parentSpanId)]);
  expect(Object.fromEntries(told)).toEqual(parents);
  const stages = trace.flatMap((span) => span.attributes.get('loupe.stage') ?? []);
  expect(new Set(stages)).toEqual(new Set(['intake', 'queue', 'embed', 'neighbours', 'rows']));
});

test('each span is of the process that did the work, and the log names the trace', () => {
  const processOf = (name: string) => spanOf(traceOf(TRACED), name).process;
  expect(processOf('CatalogRepository.itemsById')).toBe(processOf('VisionQueue.neighbours'));
  expect(processOf('NeighbourIndex.nearest')).toBe(processOf('answer photo'));
  const together = installation.settings['REDIS_URL'] === undefined;
  expect(processOf('answer photo') === processOf('VisionQueue.neighbours')).toBe(together);
  const ofCall = log.filter((line) => line['trace_id'] === CALLER.trace).map((line) => line['msg']);
  expect(ofCall).toEqual(together ? ['answered'] : ['photo', 'answered']);
});

test('what a caller does wrong is recorded where it was noticed, and is no error of the service', () => {
  const trace = traceOf(REFUSED);
  const looked = trace.filter((span) => span.name.startsWith('ImagePreparer.'));
  expect(looked).toEqual([expect.objectContaining({ failures: ['unprocessable'], status: 0 })]);
  const root = spanOf(trace, ROOT);
  expect(root).toMatchObject({ parentSpanId: '', status: 0 });
  expect(root.attributes.get('http.response.status_code')).toBe(422);
  expect(trace.map((span) => span.name)).not.toContain('VisionQueue.neighbours');
});

test('only calls are traced, and no key, photo or signed link is sent', () => {
  const beginnings = collector.spans.filter((span) => ['', CALLER.span].includes(span.parentSpanId));
  expect(beginnings.map((span) => span.name)).toEqual([ROOT, ROOT]);
  expect(collector.headers[0]?.['x-collector-key']).toBe('abc def');
  for (const secret of [key, photo.slice(0, 40), 'signature=', 'sig='])
    expect(collector.text).not.toContain(secret);
});
