import { createServer } from 'node:http';
import express from 'express';
import { errorHandler } from '../../api/middleware/error-handler';
import { queueDashboard } from '../../api/ops/queue-dashboard';
import { closed, listening } from '../support/local-server';

/** contract 14.4: the password of `/queues` is not tried without end. */
const LIMIT = 5;
const PASSWORD = 'the password of the queues';

async function served(): Promise<(password: string | null) => Promise<Response>> {
  const app = express();
  app.use('/queues', queueDashboard([], PASSWORD, LIMIT));
  app.use(errorHandler(null));
  const server = createServer(app);
  const url = `http://${await listening(server)}`;
  closing.push(() => closed(server));
  return (password) => {
    const credentials = Buffer.from(`operator:${password}`).toString('base64');
    const headers = password === null ? {} : { Authorization: `Basic ${credentials}` };
    return fetch(`${url}/queues/`, { headers });
  };
}
const closing: (() => unknown)[] = [];
afterEach(() => Promise.all(closing.splice(0).map((close) => close())));

// contract 14.4, 9.11
test('an address that tries wrong passwords is refused after a few, also with the right one', async () => {
  const ask = await served();
  const statuses = await Promise.all(
    Array.from({ length: 40 }, async (_, at) => (await ask(`wrong${at}`)).status),
  );
  expect(statuses.filter((status) => status === 401)).toHaveLength(LIMIT);
  expect(statuses.filter((status) => status === 429)).toHaveLength(40 - LIMIT);
  const right = await ask(PASSWORD);
  expect([right.status, Number(right.headers.get('Retry-After')) > 0]).toEqual([429, true]);
});

// contract 14.4
test('who has opened it before goes on, and asking without a password does not count', async () => {
  const ask = await served();
  for (let call = 0; call < 3 * LIMIT; call += 1) expect((await ask(null)).status).toBe(401);
  expect((await ask(PASSWORD)).status).toBe(200);
  for (let call = 0; call < 3 * LIMIT; call += 1) await ask('wrong');
  expect((await ask('wrong')).status).toBe(429);
  expect((await ask(PASSWORD)).status).toBe(200);
});
