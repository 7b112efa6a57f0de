import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { generateBundle, productId } from '../../scripts/lab/generator/generate-bundle';
import { type ServiceProcess, startProcess } from '../../scripts/lab/service-processes';
import { openAccount } from '../faults/books';
import { layoutInstallation } from '../faults/layout-model';
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

const collector = new TraceCollector();
let installation: Installation;
let key: string;
let photo: string;
let log: Record<string, unknown>[];
const found: unknown[] = [];

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
  const processes: ServiceProcess[] = [];
  for (const ROLE of settings['REDIS_URL'] === undefined ? ['all'] : ['api', 'worker']) {
    processes.push(await startProcess({ ...traced, ROLE }, lines));
  }
  await loupeHere(settings, 'catalog', 'import', bundle);
  const stores = await installation.connect();
  key = (await openAccount({ database: stores }, 'test')).key;
  await stores.close();
  const url = processes[0]?.url ?? '';
  found.push(
    await identify(url, { base64: photo, includes: ['pricing'] }, 'call-that-is-traced', {
      traceparent: `00-${CALLER.trace}-${CALLER.span}-01`,
    }),
    await identify(url, { base64: 'aGVsbG8sIHRoaXMgaXMgdGV4dA==' }, 'call-with-a-text', {}),
    await (await fetch(`${url}/readyz`)).status,
  );
  for (const process of processes.reverse()) await process.stop();
  lines.destroy();
  const text = await readFile(join(folder, 'log'), 'utf8');
  log = text.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : []));
}, 180_000);

afterAll(async () => {
  await collector.close();
  await installation?.remove();
}, 60_000);

async function identify(url: string, body: object, requestId: string, headers: Record<string, string>) {
  const answer = await fetch(`${url}/v3/vision/identify`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'x-request-id': requestId,
      ...headers,
    },
    body: JSON.stringify(body),
  });
  const { data = [] } = (await answer.json()) as { data?: { id: string }[] };
  return [answer.status, data[0]?.id];
}

const traceOf = (requestId: string): CollectedSpan[] => {
  const root = collector.spans.find((span) => span.attributes.get('loupe.request_id') === requestId);
  return collector.spans.filter((span) => span.traceId === root?.traceId);
};

function spanOf(trace: readonly CollectedSpan[], name: string): CollectedSpan {
  const span = trace.find((each) => each.name === name);
  if (!span) throw new Error(`no span ${name} among ${trace.map((each) => each.name).join(', ')}`);
  return span;
}

test('a call goes on with the trace of its caller, from the request through the queue to the worker and back', () => {
  expect(found).toEqual([[200, PRODUCT], [422, undefined], 200]);
  const trace = traceOf('call-that-is-traced');
  expect(new Set(trace.map((span) => span.traceId))).toEqual(new Set([CALLER.trace]));
  const nameOf = (spanId: string) => trace.find((span) => span.spanId === spanId)?.name;
  const root = 'POST /v3/vision/identify';
  expect(spanOf(trace, root)).toMatchObject({ parentSpanId: CALLER.span, status: 0 });
  const orphans = trace.filter(({ name, parentSpanId }) => name !== root && !nameOf(parentSpanId));
  expect(orphans).toEqual([]);
  const parents = {
    'AccountRepository.callerByKeyHash': root,
    'ImagePreparer.prepare': root,
    'VisionQueue.neighbours': root,
    'wait in queue': 'VisionQueue.neighbours',
    'answer photo': 'VisionQueue.neighbours',
    'Embedder.embed': 'answer photo',
    'NeighbourIndex.nearest': 'answer photo',
    'CatalogRepository.itemsById': root,
    'PredictionRepository.save': root,
    'CreditLedger.settle': root,
  };
  const told = Object.keys(parents).map((name) => [name, nameOf(spanOf(trace, name).parentSpanId)]);
  expect(Object.fromEntries(told)).toEqual(parents);
  const stages = trace.flatMap((span) => span.attributes.get('loupe.stage') ?? []);
  expect(new Set(stages)).toEqual(new Set(['intake', 'queue', 'embed', 'neighbours', 'rows']));
});

test('each span is of the process that did the work, and the log names the trace', () => {
  const trace = traceOf('call-that-is-traced');
  const processOf = (name: string) => spanOf(trace, name).process;
  expect(processOf('CatalogRepository.itemsById')).toBe(processOf('VisionQueue.neighbours'));
  expect(processOf('NeighbourIndex.nearest')).toBe(processOf('answer photo'));
  const together = installation.settings['REDIS_URL'] === undefined;
  expect(processOf('answer photo') === processOf('VisionQueue.neighbours')).toBe(together);
  const ofCall = log.filter((line) => line['trace_id'] === CALLER.trace).map((line) => line['msg']);
  expect(ofCall).toEqual(together ? ['answered'] : ['photo', 'answered']);
});

test('what a caller does wrong is recorded where it was noticed, and is no error of the service', () => {
  const trace = traceOf('call-with-a-text');
  const looked = trace.filter((span) => span.name.startsWith('ImagePreparer.'));
  expect(looked).toEqual([expect.objectContaining({ failures: ['unprocessable'], status: 0 })]);
  const root = spanOf(trace, 'POST /v3/vision/identify');
  expect(root).toMatchObject({ parentSpanId: '', status: 0 });
  expect(root.attributes.get('http.response.status_code')).toBe(422);
  expect(trace.map((span) => span.name)).not.toContain('VisionQueue.neighbours');
});

test('only calls are traced, and no key, photo or signed link is sent', () => {
  const beginnings = collector.spans.filter((span) => ['', CALLER.span].includes(span.parentSpanId));
  expect(beginnings.map((span) => span.name)).toEqual(Array(2).fill('POST /v3/vision/identify'));
  expect(collector.headers[0]?.['x-collector-key']).toBe('abc def');
  for (const secret of [key, photo.slice(0, 40), 'signature=', 'sig='])
    expect(collector.text).not.toContain(secret);
});
