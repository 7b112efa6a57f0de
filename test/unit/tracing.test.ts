import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { REPOSITORY_ROOT } from '../../scripts/lab/service-processes';
import { freePort } from '../../scripts/lab/services/servers';
import { closed, listening } from '../support/local-server';
import { TraceCollector } from '../support/trace-collector';
import type { TracedCalls } from '../support/traced-calls';

/** Traces when there is somewhere to send them, and nothing loaded otherwise (docs/settings.md). */

async function traced(...cases: TracedCalls[]): Promise<{ logs: string[][]; modules: string[] }> {
  const child = spawn(process.execPath, ['--require', 'tsx/cjs', 'test/support/traced-calls.ts'], {
    cwd: REPOSITORY_ROOT,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin.end(JSON.stringify(cases));
  return JSON.parse(await text(child.stdout));
}

const to = (endpoint: string) => ({
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: endpoint,
  OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
});

test('nothing is loaded while there is nowhere to send traces', async () => {
  const OTEL_EXPORTER_OTLP_ENDPOINT = 'http://127.0.0.1:1';
  const off = [
    {},
    { OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_SDK_DISABLED: 'TRUE' },
    { OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_TRACES_EXPORTER: 'none' },
  ];
  const calls = off.map((settings): TracedCalls => ({ settings, calls: 1, fetched: 'an image' }));
  expect(await traced(...calls)).toEqual({ logs: [[], [], []], modules: [] });
});

test('a failure is recorded by its kind, without internal details', async () => {
  const collector = new TraceCollector();
  const settings = to(`${await collector.open()}/v1/traces`);
  const { modules } = await traced(
    { settings, calls: 1, fetched: 'unavailable' },
    { settings, calls: 1, fetched: 'a mistake' },
    { settings: { ...settings, OTEL_TRACES_SAMPLER: 'always_off' }, calls: 1, fetched: 'unavailable' },
  );
  await collector.close();
  expect(modules).toContain('sdk-trace');
  const fetches = collector.spans.filter((span) => span.name === 'ImageSource.fetch');
  expect(fetches.map(({ failures, status }) => [...failures, status])).toEqual([
    ['unavailable', 2],
    ['TypeError', 2],
  ]);
  expect(collector.text).toContain('The host is away.');
  expect(collector.text).not.toContain('secret');
});

test('a collector that is away, or never answers, is logged once and delays no stop', async () => {
  const silent = createServer(() => undefined);
  const away = { ...to(`http://127.0.0.1:${await freePort()}`), OTEL_EXPORTER_OTLP_TIMEOUT: '100' };
  // A process that waited for this would exceed the time limit of the test.
  const mute = { ...to(`http://${await listening(silent)}`), OTEL_EXPORTER_OTLP_TIMEOUT: '600000' };
  const { logs } = await traced(
    // More spans than go into one message.
    { settings: away, calls: 300, fetched: 'an image' },
    { settings: mute, calls: 1, fetched: 'an image' },
  );
  await closed(silent);
  expect(logs).toEqual([['traces do not arrive and are dropped'], []]);
});
