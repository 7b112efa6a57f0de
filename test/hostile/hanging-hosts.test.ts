import { once } from 'node:events';
import type { RequestListener, ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { JobAnswer } from '../../api/client/schema';
import { useServer } from '../support/local-server';
import { type TestKey, useService } from '../support/service';

/** Jobs of some accounts wait for hosts that never answer, beside a job of another (contract 16.5). */

// Longer than the test: a call that waits for a host here waits to its end.
const settings: Record<string, string> = { IMAGE_FETCH_TIMEOUT_MS: '300000', VISION_DEADLINE_MS: '300000' };
const AT_ONCE = { account: 8, process: 32 };
/** Two entries that are begun at the same time don't see each other. */
const BESIDE = 1;

/** Requests that hang, by the account that their address names. */
const hanging = new Map<string, Set<ServerResponse>>();
const answer: RequestListener = (request, response) => {
  const [, path = '', account = ''] = (request.url ?? '').split('/');
  if (path === 'picture') return void response.end(service.photoBytes);
  const waiting = hanging.get(account) ?? new Set();
  hanging.set(account, waiting.add(response));
  response.once('close', () => waiting.delete(response));
};
const host = useServer(answer, (address) => Object.assign(settings, { IMAGE_FETCH_ALLOW: address }));
const service = useService(settings);

const waitingFor = () => [...hanging.values()].map(({ size }) => size);
const sum = (numbers: readonly number[]) => numbers.reduce((all, each) => all + each, 0);
const url = (path: string) => ({ url: `http://${settings['IMAGE_FETCH_ALLOW']}/${path}` });

async function flood({ api, accountId }: TestKey, jobs: number, photos = 1): Promise<void> {
  const photo = url(`hangs/${accountId}`);
  const entry = photos === 1 ? photo : { images: Array(photos).fill(photo) };
  for (let made = 0; made < jobs; made += 1) await api.createJob({ entries: [entry] });
}

async function done({ api }: TestKey, entries: readonly object[]): Promise<JobAnswer> {
  const { id } = (await api.createJob({ entries })).body;
  for (;;) {
    const { body } = await api.job(id);
    if (body.status === 'done') return body;
    await delay(20);
  }
}

test('a job ends while all those of others hang, and no account waits for more hosts than its share', async () => {
  await service.sees(['product_birkin_croc', 0.05]);
  const [photo, picture] = [{ base64: service.photo.base64 }, url('picture')];
  const entries = [photo, picture, photo, { images: [photo, picture] }, photo];
  const [many, several, other] = [await service.newKey(), await service.newKey(), await service.newKey()];
  await flood(many, 100);
  while (sum(waitingFor()) < AT_ONCE.account) await once(host, 'request');
  expect(await done(other, entries)).toMatchObject({ done: 5, failed: 0 });
  expect(Math.max(...waitingFor())).toBeLessThanOrEqual(AT_ONCE.account + BESIDE);
  await flood(several, 20, 5);
  while (sum(waitingFor()) < 6 * AT_ONCE.account) await once(host, 'request');
  expect(await done(other, entries)).toMatchObject({ done: 5, failed: 0 });
  expect(Math.max(...waitingFor())).toBeLessThanOrEqual(5 * (AT_ONCE.account + BESIDE));
});

test('the process waits for no more hosts than it may, and continues when they answer', async () => {
  const accounts = await Promise.all(Array.from({ length: 4 }, () => service.newKey()));
  await Promise.all(accounts.map((account) => flood(account, 10)));
  // The entries of one account of the first test have five photos each.
  const entriesOf = (size: number) => (size > AT_ONCE.account + BESIDE ? size / 5 : size);
  const inWork = () => sum(waitingFor().map(entriesOf));
  while (inWork() < AT_ONCE.process) await once(host, 'request');
  expect(inWork()).toBeLessThanOrEqual(AT_ONCE.process + BESIDE);
  // Answered requests make room for those whose turn it is.
  for (const responses of hanging.values()) for (const response of responses) response.writeHead(404).end();
  expect(await done(await service.newKey(), [{ base64: service.photo.base64 }])).toMatchObject({ done: 1 });
});
