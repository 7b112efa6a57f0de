import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { connect } from 'node:net';
import express, { type RequestHandler } from 'express';
import { AnswerMemory } from '../../api/middleware/answer-memory';
import { mapped, sendAnswer } from '../../api/middleware/send-answer';
import { closed, listening } from '../support/local-server';

/** Answers with rows, written as they are made. */
let server: Server | undefined;

async function serve(...handlers: RequestHandler[]): Promise<string> {
  server = createServer(express().get('/', ...handlers));
  return `http://${await listening(server)}`;
}

afterEach(async () => {
  if (server) await closed(server);
});

const ROW = { name: 'sac à main 👜 "quoted"', nothing: undefined, prices: [1, null] };
const answerOf = (rows: number, made: () => void = () => undefined) => ({
  success: true,
  absent: undefined,
  data: mapped(Array.from({ length: rows }), (_row) => {
    made();
    return ROW;
  }),
  results: rows,
});

test.each([0, 1, 3, 2000, 20_000])(
  'an answer of %d rows is the JSON that it would be whole',
  async (rows) => {
    const told: number[] = [];
    const url = await serve(async (req, res) => {
      await sendAnswer(req, res, answerOf(rows), (...figures) => void told.push(...figures));
    });
    const answer = await fetch(url);
    const whole = JSON.stringify({ ...answerOf(rows), data: Array.from({ length: rows }, () => ROW) });
    expect(await answer.text()).toBe(whole);
    expect(answer.headers.get('Content-Type')).toBe('application/json; charset=utf-8');
    const isWhole = whole.length < 64 * 1024;
    expect(answer.headers.get('Content-Length')).toBe(isWhole ? String(Buffer.byteLength(whole)) : null);
    expect(told).toEqual([rows, whole.length]);
  },
);

test('other calls are answered while a large answer is made', async () => {
  let made = 0;
  let madeMeanwhile = 0;
  const url = await serve(async (req, res) => {
    if (req.query['other']) {
      madeMeanwhile = made;
      return void res.json({});
    }
    const large = sendAnswer(
      req,
      res,
      answerOf(200_000, () => (made += 1)),
    );
    void fetch(`${url}/?other=yes`);
    await large;
  });
  await (await fetch(url)).text();
  expect(made).toBe(200_000);
  expect(madeMeanwhile).toBeGreaterThan(0);
  expect(madeMeanwhile).toBeLessThan(200_000);
});

test('rows are made only as far as the caller reads, and no more when it is gone', async () => {
  let made = 0;
  let ended = (): void => undefined;
  const end = new Promise<void>((resolve) => {
    ended = resolve;
  });
  const url = await serve(async (req, res) => {
    const sending = sendAnswer(
      req,
      res,
      answerOf(2_000_000, () => (made += 1)),
    );
    await sending.catch(() => undefined);
    ended();
  });
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await once(socket, 'data');
  socket.destroy();
  await end;
  expect(made).toBeLessThan(2_000_000);
});

test('a page waits for room by the size of the rows that were answered lately', async () => {
  const answers = new AnswerMemory(1 << 20, 10_000);
  const held: number[] = [];
  const url = await serve(async (_req, res) => {
    res.locals.caller = { keyId: 'key' } as never;
    const made = await answers.reserve(res, { rows: 2, priced: true });
    held.push(answers.heldBytes);
    made(10, 1000);
    res.json({});
  });
  for (let call = 0; call < 200; call += 1) await (await fetch(url)).text();
  expect(held[0]).toBe(2 * 24 * 1024 * 8);
  // Rows of 100 bytes: what was seen once is forgotten little by little.
  expect(held.at(-1)).toBeLessThan(2 * 110 * 8);
});
