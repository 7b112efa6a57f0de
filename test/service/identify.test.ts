import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { generateBundle, photoOfProduct, productId } from '../../scripts/lab/generator/generate-bundle';
import { REPOSITORY_ROOT } from '../../scripts/lab/service-processes';
import { newInstallation, type RunningInstallation, runInstallation } from '../support/installation';
import { type CollectedSpan, TraceCollector } from '../support/trace-collector';

/** Nothing is faked. On the embedded default one process does it all; on PostgreSQL and Redis an api and two workers do. */
const SEED = 5;
const PRODUCTS = 8;
/** The product whose photo is traced; no other call shows it, so no cache has it. */
const TRACED = PRODUCTS - 1;
const CALLER = { trace: '4bf92f3577b34da6a3ce929d0e0e4736', span: '00f067aa0ba902b7' };

const base64Of = async (index: number) => {
  const photo = await photoOfProduct({ seed: SEED, index, photoSeed: 1, size: 400 });
  return { base64: photo.toString('base64') };
};
const collector = new TraceCollector();
let running: RunningInstallation;

beforeAll(async () => {
  const installation = await newInstallation({
    // Two threads in each worker, which must not mix up their photos.
    INFERENCE_THREADS: '2',
    ...{ RATE_PER_SECOND: '0', CONFIDENCE_FLOOR: '0' },
  });
  const log = createWriteStream(join(installation.folder, 'log'));
  await once(log, 'open');
  const more = {
    LOG_LEVEL: 'info',
    OTEL_EXPORTER_OTLP_ENDPOINT: await collector.open(),
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_EXPORTER_OTLP_HEADERS: 'x-collector-key=abc%20def',
  };
  running = await runInstallation(installation, {
    ...{ onServers: ['api', 'worker', 'worker'], log, more },
  });
  const bundle = join(running.folder, 'bundle');
  await generateBundle({ seed: SEED, products: PRODUCTS, out: bundle, images: true, imageSize: 320 });
  await running.loupe('catalog', 'import', bundle);
}, 400_000);

afterAll(async () => {
  await running?.stop();
  await collector.close();
});

async function rowsOf(body: object): Promise<{ id: string; confidence: number }[]> {
  const answer = await running.api().identify(body);
  expect(answer.status).toBe(200);
  return answer.body.data.map(({ id, confidence }) => ({ id, confidence }));
}

/** The same rows, confidences up to rounding: a network sums in another order where it embeds several views together. */
const nearly = (rows: readonly { id: string; confidence: number }[]) =>
  rows.map(({ id, confidence }) => ({ id, confidence: expect.closeTo(confidence, 5) }));

// contract 7.16
test('a category makes its products likelier, but not another one likely when the item is in the other', async () => {
  const of = await base64Of(2);
  const { data } = (await running.api().identify(of)).body;
  const all = data.filter(({ id }) => id.startsWith('product_'));
  expect(all).toHaveLength(PRODUCTS);
  for (const category_id of ['handbags', 'watches']) {
    const passing = all.filter(({ attributes }) => attributes?.some(({ id }) => id === category_id));
    const rows = (await rowsOf({ ...of, category_id })).filter(({ id }) => id.startsWith('product_'));
    expect(rows.map(({ id }) => id)).toEqual(passing.map(({ id }) => id));
    for (const [at, { confidence }] of rows.entries())
      expect(confidence).toBeGreaterThanOrEqual((passing[at]?.confidence ?? 0) - 1e-5);
    const has = passing.some(({ id }) => id === productId(SEED, 2));
    expect(has || (rows[0]?.confidence ?? 0) < 0.1).toBe(true);
  }
});

test('each of many concurrent calls gets the answer to its own photo', async () => {
  const bodies = await Promise.all(Array.from({ length: TRACED }, (_, index) => base64Of(index)));
  const together = await Promise.all(bodies.map(rowsOf));
  for (const [index, body] of bodies.entries()) expect(together[index]).toEqual(nearly(await rowsOf(body)));
  expect(new Set(together.map(([first]) => first?.id)).size).toBeGreaterThan(TRACED / 2);
});

test('the processes report every metric of the dashboard and the alerts', async () => {
  const told = new Set<string>();
  for (const { url } of running.processes) {
    // A second worker on one machine may have no port.
    if (url === '') continue;
    const text = await (await fetch(`${url}/metrics`)).text();
    for (const [, name] of text.matchAll(/^(\w+)[{ ]/gm)) told.add(name ?? '');
  }
  const files = ['grafana-dashboard.json', 'prometheus-alerts.yaml', 'kubernetes/processes.yaml'];
  const texts = files.map((file) => readFile(join(REPOSITORY_ROOT, 'docs/operations', file), 'utf8'));
  const named = new Set(
    (await Promise.all(texts)).flatMap(
      (text) => text.match(/\b(loupe|nodejs|process)(_[a-z0-9]+){2,}\b/g) ?? [],
    ),
  );
  expect(named.size).toBeGreaterThan(10);
  expect([...named].filter((name) => !told.has(name))).toEqual([]);
});

/** One call is one trace, no matter which processes work on it. They are stopped before the spans are checked. */
describe('a trace', () => {
  const ROOT = 'POST /v3/vision/identify';
  let log: Record<string, unknown>[];
  let sent: string;

  beforeAll(async () => {
    const { base64 } = await base64Of(TRACED);
    sent = base64;
    const call = (body: object, headers: Record<string, string>) =>
      running.api().send('POST', '/v3/vision/identify', { body, headers });
    const traceparent = `00-${CALLER.trace}-${CALLER.span}-01`;
    const answer = await call({ base64, includes: ['pricing'] }, { traceparent });
    const first = expect.objectContaining({ id: productId(SEED, TRACED) });
    expect(answer.body).toMatchObject({ credits_used: 10, data: expect.arrayContaining([first]) });
    const refused = await call({ base64: 'aGVsbG8=' }, { 'x-request-id': 'call-with-a-text' });
    expect(refused.status).toBe(422);
    await fetch(`${running.api().url}/readyz`);
    for (const process of [...running.processes].reverse()) await process.stop();
    const text = await readFile(join(running.folder, 'log'), 'utf8');
    log = text.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : []));
  });

  const traceOf = (id: string) => collector.spans.filter(({ traceId }) => traceId === id);

  function spanOf(trace: readonly CollectedSpan[], name: string): CollectedSpan {
    const span = trace.find((each) => each.name === name);
    if (!span) throw new Error(`no span ${name} among ${trace.map((each) => each.name).join(', ')}`);
    return span;
  }

  test('continues the caller’s, through the queue to the worker and back; each span names the process that did the work', () => {
    const trace = traceOf(CALLER.trace);
    const nameOf = (spanId: string) => trace.find((span) => span.spanId === spanId)?.name;
    expect(spanOf(trace, ROOT)).toMatchObject({ parentSpanId: CALLER.span, status: 0 });
    expect(trace.filter(({ name, parentSpanId }) => name !== ROOT && !nameOf(parentSpanId))).toEqual([]);
    // Pixels or a JPEG, depending on the workers.
    const prepared = trace.find(({ name }) => name.startsWith('ImagePreparer.'))?.name ?? 'ImagePreparer';
    const parents = {
      'AccountRepository.callerByKeyHash': ROOT,
      [prepared]: ROOT,
      'VisionQueue.neighbours': ROOT,
      'wait in queue': 'VisionQueue.neighbours',
      'answer photo': 'VisionQueue.neighbours',
      'Embedder.embed': 'answer photo',
      'NeighbourIndex.nearest': 'answer photo',
      'PredictionRepository.save': ROOT,
      'CreditLedger.sell': ROOT,
    };
    const told = Object.keys(parents).map((name) => [name, nameOf(spanOf(trace, name).parentSpanId)]);
    expect(Object.fromEntries(told)).toEqual(parents);
    const stages = trace.flatMap((span) => span.attributes.get('loupe.stage') ?? []);
    expect(new Set(stages)).toEqual(new Set(['intake', 'queue', 'embed', 'neighbours', 'rows']));
    const processOf = (name: string) => spanOf(trace, name).process;
    expect(processOf('CreditLedger.sell')).toBe(processOf('VisionQueue.neighbours'));
    expect(processOf('NeighbourIndex.nearest')).toBe(processOf('answer photo'));
    const together = running.settings['REDIS_URL'] === undefined;
    expect(processOf('answer photo') === processOf('VisionQueue.neighbours')).toBe(together);
    const ofCall = log.filter((line) => line['trace_id'] === CALLER.trace).map((line) => line['msg']);
    expect(ofCall).toEqual(together ? ['answered'] : ['photo', 'answered']);
  });

  test('records a caller’s mistake where it was noticed, and not as an error of the service', () => {
    const isRefused = ({ attributes }: CollectedSpan) =>
      attributes.get('loupe.request_id') === 'call-with-a-text';
    const trace = traceOf(collector.spans.find(isRefused)?.traceId ?? '');
    const looked = trace.filter((span) => span.name.startsWith('ImagePreparer.'));
    expect(looked).toEqual([expect.objectContaining({ failures: ['unprocessable'], status: 0 })]);
    expect(spanOf(trace, ROOT)).toMatchObject({ parentSpanId: '', status: 0 });
    expect(spanOf(trace, ROOT).attributes.get('http.response.status_code')).toBe(422);
    expect(trace.map((span) => span.name)).not.toContain('VisionQueue.neighbours');
  });

  test('begins only with a call, and contains no key, photo or signed link', () => {
    const beginnings = collector.spans.filter((span) => ['', CALLER.span].includes(span.parentSpanId));
    expect(new Set(beginnings.map((span) => span.name))).toEqual(new Set([ROOT]));
    expect(collector.headers[0]?.['x-collector-key']).toBe('abc def');
    for (const secret of [running.key, sent.slice(0, 40), 'signature=', 'sig='])
      expect(collector.text).not.toContain(secret);
  });

  // contract 14.15
  test('a process that was stopped is gone for the others at once', async () => {
    expect(await running.knex('service_processes').pluck('name')).toEqual([]);
  });
});
