import { EventEmitter } from 'node:events';
import { reasonOf } from '../../db/embedded/engine-thread';
import { reportOf } from '../../db/embedded/ensure-embedded';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

const SILENT_MS = 60_000;
const start = () => {
  const host = new EventEmitter();
  return { host, report: reportOf(host, SILENT_MS, () => 'the last lines') };
};

test('a host that says that it works is waited for, however long its start takes', async () => {
  const { host, report } = start();
  for (let at = 0; at < 100; at++) {
    jest.advanceTimersByTime(SILENT_MS - 1);
    host.emit('message', { kind: 'working' });
  }
  host.emit('message', { kind: 'ready' });
  expect(await report).toEqual({ kind: 'ready' });
});

test('one that falls silent is not, and the reason says so', async () => {
  const { host, report } = start();
  host.emit('message', { kind: 'working' });
  jest.advanceTimersByTime(SILENT_MS);
  expect(await report).toEqual({ kind: 'failed', reason: 'no sign of life within 60000 ms' });
});

test('one that ends is told with its last lines, unless it made way for another', async () => {
  const [crashed, second] = [start(), start()];
  crashed.host.emit('exit', null, 'SIGKILL');
  second.host.emit('exit', 0, null);
  expect(await crashed.report).toMatchObject({ reason: 'its process ended with SIGKILL; the last lines' });
  expect(await second.report).toEqual({ kind: 'taken' });
});

test('one whose files fail says why', () => {
  expect(reasonOf({ name: 'ErrnoError', errno: 51 })).toBe('no space is left on its disk');
  expect(reasonOf({ name: 'ErrnoError', errno: 29 })).toBe('its files fail (WASI error 29)');
  expect([new Error('a reason'), 'a reason'].map(reasonOf)).toEqual(['a reason', 'a reason']);
});
