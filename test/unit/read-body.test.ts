import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import express, { type Request } from 'express';
import { memoryBudget } from '../../api/middleware/answer-memory';
import { readBody, watchPace } from '../../api/middleware/read-body';
import { createServer } from '../../api/server';
import { AppError } from '../../models/errors';
import { gate } from '../support/gate';
import { listening, useServer } from '../support/local-server';

/** A short window of the pace measurement, so that tests need not wait. */
const WINDOW_MS = 50;
const memoryOf = (units: number) => memoryBudget('bodies', units, 1);
const room = memoryOf(1 << 20);
const app = express().post('/', async (req, res) => {
  const reservation = room.open('key');
  res.once('close', () => reservation.close());
  const limits = { bytesMax: 1 << 20, pace: { bytesPerSecond: 1000, windowMs: WINDOW_MS } };
  const failure: unknown = await readBody(req, reservation, limits, (wait) => wait).catch((fault) => fault);
  res.status(failure instanceof AppError ? failure.status : 500).json({ message: String(failure) });
});
const server = useServer(app);

test.each([
  ['stops', (_socket: Socket) => undefined],
  ['drips', (socket: Socket) => setInterval(() => socket.write('x'), WINDOW_MS / 5)],
])('a body that %s is a 400 that says how fast it has to be, and the connection ends', async (_how, send) => {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.write('POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n');
  const sending = send(socket);
  const answer = await text(socket).finally(() => clearInterval(sending));
  expect(answer).toMatch(/^HTTP\/1\.1 400 /);
  expect(answer).toMatch(/Connection: close/i);
  expect(answer).toContain('slower than 1000 bytes per second');
});

// contract 12.7
test('a body that stops after its refusal is cut off', async () => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate'] });
  const server = createServer(express().use((_req, res) => void res.sendStatus(404)));
  const port = (await listening(server)).split(':')[1];
  const socket = connect(Number(port), '127.0.0.1');
  socket.write('POST /nowhere HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n');
  expect(String(await once(socket, 'data'))).toMatch(/^HTTP\/1\.1 404 /);
  jest.advanceTimersByTime(10_000);
  await new Promise((resolve) => socket.once('error', resolve).once('close', resolve));
  jest.useRealTimers();
  server.close();
});

test('a body that arrives fast enough may take any time, and waiting for room does not count against it', async () => {
  jest.useFakeTimers();
  const tooSlow = jest.fn();
  let came = 0;
  const watch = watchPace({ bytesPerSecond: 1000, windowMs: 10_000 }, () => came, tooSlow);
  for (let window = 0; window < 5; window += 1) {
    came += 10_000;
    jest.advanceTimersByTime(10_000);
  }
  const { opened, open } = gate();
  const paused = watch.pauseDuring(opened);
  jest.advanceTimersByTime(50_000);
  open();
  await paused;
  jest.advanceTimersByTime(9_999);
  expect(tooSlow).not.toHaveBeenCalled();
  jest.advanceTimersByTime(1);
  came += 9_999;
  jest.advanceTimersByTime(30_000);
  expect(tooSlow).toHaveBeenCalledTimes(1);
  jest.useRealTimers();
});

const UNPACED = { bytesMax: 1000, pace: { bytesPerSecond: 0, windowMs: WINDOW_MS } };

/** A request whose body of 300 bytes has arrived. */
function arrived() {
  const get = (name: string) => (name === 'Content-Length' ? '300' : undefined);
  return Object.assign(new PassThrough().end('x'.repeat(300)), { get, complete: true }) as unknown as Request;
}

// contract 10.6
test('a body that has arrived is not taken when its caller has gone', async () => {
  const reading = readBody(arrived().destroy(), room.open('key'), UNPACED, (wait) => wait);
  await expect(reading).rejects.toMatchObject({ status: 400 });
});

test('a last chunk that waits for room is read, although the stream ends meanwhile', async () => {
  const room = memoryOf(1000);
  const [first, beyond, last] = [room.open('a'), room.open('b'), room.open('c')];
  await first.resize(500);
  await beyond.resize(1000);
  const req = arrived();
  const ended = once(req, 'end');
  const reading = readBody(req, last, UNPACED, async (wait) => {
    await ended;
    first.close();
    await wait;
  });
  expect(String(await reading)).toBe('x'.repeat(300));
  expect(room.state.held).toBe(1300);
});
