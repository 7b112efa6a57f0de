import { createHmac } from 'node:crypto';
import { join } from 'node:path';
import type { WebhookAnswer, WebhooksAnswer } from '../../api/client/schema';
import { PostgresCreditLedger } from '../../db/accounts/credit-ledger';
import { PostgresWebhookStore } from '../../db/webhooks/webhook-store';
import { KeyService } from '../../models/access/key-service';
import { DriftWatch } from '../../models/feedback/drift-watch';
import { PORTS } from '../../models/ports';
import { at } from '../../models/random';
import { MessageDispatcher } from '../../models/webhooks/message-dispatcher';
import type { ApiClient } from '../support/api-client';
import { importInto, writeBundle } from '../support/fixture-data';
import { gate } from '../support/gate';
import { endsOf, holdMethod, requestText, sendRaw } from '../support/interrupted-calls';
import { WebhookReceiver } from '../support/local-server';
import { useJobs } from '../support/photo-jobs';
import { temporaryFolder } from '../support/temporary-folder';

/** contract 16.10 to 16.17: events that callers are told of, and messages that their address does not accept. */
const receiver = new WebhookReceiver();
const settings: Record<string, string> = {};
beforeAll(async () => {
  settings['WEBHOOK_ALLOW'] = await receiver.listen();
});
const { service, photo, ended, rowsOf } = useJobs(settings);
beforeEach(() => receiver.answers(() => 204));
afterEach(async () => {
  await rowsOf('webhook_endpoints').delete();
  expect(receiver.received.flatMap(({ body }) => documentCheck.faultsOfMessage(body))).toEqual([]);
});
afterAll(() => receiver.close());

let paths = 0;
async function told(events: readonly string[], rest: object = {}, credits: number | null = null) {
  const { api, accountId, keyId } = await service.newKey({ credits });
  paths += 1;
  const path = `/${paths}`;
  const body = { url: `http://${receiver.address}${path}`, events, ...rest };
  const { id, secret } = (await api.send<WebhookAnswer>('POST', '/v3/webhooks', { body })).body;
  const listed = async () => (await api.send<WebhooksAnswer>('GET', '/v3/webhooks')).body.data[0];
  const data = async (count: number) =>
    (await receiver.has(count, path)).map((message): unknown => JSON.parse(message.body).data);
  return { api, accountId, keyId, path, id, secret: secret ?? '', listed, data };
}

async function send(): Promise<void> {
  const { signal } = new AbortController();
  while (await service.resolve(MessageDispatcher).next(signal));
}

const done = async (api: ApiClient, entry: object = photo): Promise<string> =>
  (await ended(await api.createJob({ entries: [entry] }), api)).id;

const importNothing = async (dryRun = false): Promise<void> => {
  const bundle = await writeBundle(temporaryFolder(), { products: [{}, {}, {}] });
  await importInto(service, { bundle, report: join(bundle, 'rejects.txt'), dryRun });
  if (!dryRun) await send();
};

const idsAt = (path: string) => new Set(receiver.to(path).map(({ headers }) => headers['webhook-id']));

// contract 16.10
describe('a webhook', () => {
  // contract 14.8
  test('is registered with a secret that is shown once, listed, removed, and in the audit log', async () => {
    const { api, id, accountId, secret } = await told(['vision.job.done', 'vision.job.done']);
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const listed = await api.send<{ data: object[] }>('GET', '/v3/webhooks');
    expect(listed.body.data).toMatchObject([{ id, events: ['vision.job.done'], failures: 0 }]);
    for (const status of [200, 404])
      expect((await api.send('DELETE', `/v3/webhooks/${id}`)).status).toBe(status);
    await done(api);
    expect(await rowsOf('webhook_messages', { endpoint_id: id })).toEqual([]);
    const entries = await rowsOf('audit_log', { account_id: accountId, subject: id }).orderBy('id');
    const actor = expect.stringMatching(/^key key_/);
    const details = { events: ['vision.job.done'], host: expect.any(String) };
    expect(entries).toMatchObject([
      { action: 'webhooks register', details, actor },
      { action: 'webhooks remove', details: {}, actor },
    ]);
    for (const text of [listed.text, JSON.stringify(entries)]) expect(text).not.toContain(secret.slice(6));
  });

  // contract 10.6, 12.6
  test('of a caller that disconnects is removed; its repetition registers one, whose secret is not kept', async () => {
    const { api, key, accountId } = await service.newKey();
    const headers = { 'Idempotency-Key': 'registration' };
    const body = { url: 'https://shop.example/told', events: ['vision.job.done'] };
    const call = { method: 'POST', path: '/v3/webhooks', body, headers } as const;
    const held = holdMethod(PostgresCreditLedger.prototype, 'settle');
    const removed = endsOf([PostgresWebhookStore.prototype, 'remove']);
    const socket = await sendRaw(service.url, requestText(call, key));
    await held.waiting;
    socket.destroy();
    await removed.all();
    held.letGo();
    const { id, secret } = (await api.send<WebhookAnswer>('POST', call.path, call)).body;
    expect(await rowsOf('webhook_endpoints', { account_id: accountId }).pluck('id')).toEqual([id]);
    expect((await api.send<WebhookAnswer>('POST', call.path, call)).body).toMatchObject({ id, secret: null });
    const kept = await rowsOf('idempotent_calls', { account_id: accountId }).pluck('answer');
    expect(kept).toEqual([expect.not.stringContaining(secret ?? '')]);
  });

  // contract 9.4
  test('ends when its key is revoked or expires, and continues with the key that it was rotated to', async () => {
    const { accountId, id, keyId, path, data } = await told(['catalog.import.done']);
    const { key } = await service.resolve(KeyService).rotate(keyId, 0);
    const { api } = await service.newKey({ accountId });
    const shown = async () => (await api.send<{ data: object[] }>('GET', '/v3/webhooks')).body.data;
    expect(await shown()).toMatchObject([{ id, key_id: key.id, disabled_at: null }]);
    await importNothing();
    expect(await data(1)).toHaveLength(1);
    await rowsOf('api_keys', { id: key.id }).update({ expires_at: service.clock.now() });
    const other = await told(['catalog.import.done']);
    expect(await other.listed()).toMatchObject({ key_id: other.keyId, disabled_at: null });
    await service.revoke(other.keyId);
    await importNothing();
    expect([receiver.to(path).length, receiver.to(other.path).length]).toEqual([1, 0]);
    expect(await shown()).toMatchObject([{ id, disabled_at: service.clock.now().toISOString() }]);
  });
});

// contract 16.12, 16.15
describe('the end of a job', () => {
  test('is announced only to its account, once, in a signed message', async () => {
    const { api, path, secret } = await told(['vision.job.done']);
    const other = await told(['vision.job.done']);
    const id = await done(api);
    await send();
    const { headers, body } = at(await receiver.has(1, path), 0);
    await send();
    expect([receiver.to(path).length, receiver.to(other.path).length]).toEqual([1, 0]);
    expect(JSON.parse(body)).toEqual({
      type: 'vision.job.done',
      timestamp: service.clock.now().toISOString(),
      data: { id, total: 1, done: 1, failed: 0, cancelled: 0 },
    });
    // By the clock of the database: that of the test's service is fixed.
    const seconds = Number(headers['webhook-timestamp']);
    expect(Math.abs(Date.now() / 1000 - seconds)).toBeLessThan(60);
    const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
    const signed = `${headers['webhook-id']}.${seconds}.${body}`;
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'webhook-signature': `v1,${createHmac('sha256', key).update(signed).digest('base64')}`,
    });
  });

  test('is announced for a job without a usable photo, and for a cancelled one', async () => {
    const { api, data } = await told(['vision.job.done']);
    const unusable = await done(api, { base64: Buffer.from('no picture').toString('base64') });
    service.queue.photosWaiting = 1;
    const { id } = (await api.createJob({ entries: [photo, photo] })).body;
    for (const _time of [1, 2]) await api.job(id, 'DELETE');
    await send();
    const messages = await data(2);
    expect(messages).toHaveLength(2);
    // Simultaneous events are announced in any order.
    expect(messages).toContainEqual({ id: unusable, total: 1, done: 0, failed: 1, cancelled: 0 });
    expect(messages).toContainEqual({ id, total: 2, done: 0, failed: 0, cancelled: 2 });
  });
});

// contract 16.16
test('low credits are announced once, by the charge that takes the balance below, and never by a free call', async () => {
  const { api, path, accountId, data } = await told(['account.credits.low'], { credits_below: 80 }, 100);
  await Promise.all(Array.from({ length: 8 }, () => api.identify(photo)));
  await send();
  // Charges that are booked together take it below together.
  const below = [75, 70, 65, 60].map((credits) => ({ credits, credits_below: 80 }));
  expect(below).toContainEqual((await data(1))[0]);
  await api.identify(photo);
  await send();
  expect(receiver.to(path)).toHaveLength(1);
  await service.resolve(PORTS.CreditLedger).topUp(accountId, 30, null);
  for (const _call of [1, 2]) await api.identify(photo);
  await send();
  expect((await data(2))[1]).toEqual({ credits: 75, credits_below: 80 });
  const free = await told(['account.credits.low'], { credits_below: 100 }, 100);
  await service.sees();
  await free.api.identify(photo);
  await send();
  expect(receiver.to(free.path)).toEqual([]);
});

// contract 16.17
describe('an event that concerns all accounts', () => {
  test('a finished import is announced to every account that subscribed, a dry run to none', async () => {
    const [one, two] = [await told(['catalog.import.done']), await told(['catalog.import.done'])];
    const none = await told(['model.drift']);
    await importNothing(true);
    await importNothing();
    for (const { data } of [one, two]) expect(await data(1)).toEqual([{ accepted: 0, rejected: 3 }]);
    expect(receiver.to(none.path)).toEqual([]);
  });

  describe('confidence that drifts', () => {
    const look = async () => {
      await service.resolve(DriftWatch).run();
      await send();
    };
    /** Answers of an account, all with a claimed confidence of 0.9, of which a share is right. */
    async function answers(account: string, count: number, right: number): Promise<void> {
      service.clock.advance(60_000);
      const { id, model } = await service.liveVersion();
      const now = service.clock.now();
      const rows = Array.from({ length: count }, (_, number) => ({
        ...{ account_id: account, endpoint: 'test', request_id: 'drift', id: `${now.getTime()}-${number}` },
        ...{ version_id: id, model, image_digests: ['x'], created_at: now, neighbours: '[]', timings: '{}' },
        rows: JSON.stringify([{ id: 'product_x', confidence: 0.9 }]),
        feedback: JSON.stringify({ right: number < right * count, correctId: null, comment: null, at: '' }),
      }));
      await rowsOf('predictions').insert(rows);
    }
    beforeEach(async () => {
      await rowsOf('predictions').delete();
      await rowsOf('housekeeping').whereLike('task', 'model.drift%').delete();
    });

    test('is announced to all, once a week, if it shows whichever account is left out', async () => {
      const { path, data } = await told(['model.drift']);
      await answers('one', 199, 0);
      await answers('two', 200, 0);
      await look();
      expect(receiver.to(path)).toEqual([]);
      await answers('three', 1, 1);
      await look();
      await look();
      const [drift] = await data(1);
      expect(drift).toEqual({ claimed: expect.closeTo(0.9), right: expect.closeTo(1 / 400), answers: 400 });
      service.clock.advance(7 * 86_400_000);
      await look();
      expect(await data(2)).toHaveLength(2);
      await answers('one', 1_800, 1);
      await answers('two', 1_800, 1);
      service.clock.advance(7 * 86_400_000);
      await look();
      expect(receiver.to(path)).toHaveLength(2);
    });

    test.each<[string, number[]]>([
      ['it is the only one', []],
      ['many others are content', [1_000, 100]],
    ])('is told to an account alone by whose feedback alone it shows: %s', async (_what, others) => {
      const [itself, stranger] = [await told(['model.drift']), await told(['model.drift'])];
      await answers(itself.accountId, 1_000, 0);
      for (const [at, count] of others.entries()) await answers(`other ${at}`, count, 0.9);
      await look();
      expect(await itself.data(1)).toMatchObject([{ right: 0, answers: 1_000 }]);
      expect(receiver.to(stranger.path)).toEqual([]);
    });
  });
});

// contract 16.13
describe('a message', () => {
  test('is sent again with growing pauses until it arrives, under the same id', async () => {
    const { api, path, listed } = await told(['vision.job.done']);
    receiver.answers(() => 500);
    await done(api);
    for (const [tries, pause] of [2_000, 4_000, 8_000].entries()) {
      await send();
      await receiver.has(tries + 1, path);
      while ((await listed())?.failures !== tries + 1);
      service.clock.advance(pause - 1);
      await send();
      expect(receiver.to(path)).toHaveLength(tries + 1);
      service.clock.advance(1);
    }
    expect(await listed()).toMatchObject({ last_failure: 'The address answered with HTTP status 500.' });
    receiver.answers(() => 200);
    await send();
    await receiver.has(4, path);
    while ((await listed())?.failures !== 0);
    service.clock.advance(86_400_000);
    await send();
    expect([receiver.to(path).length, idsAt(path).size]).toEqual([4, 1]);
  });

  test('is given up after a day, and the next one is sent', async () => {
    const { api, id, data } = await told(['vision.job.done']);
    receiver.answers(() => 503);
    await done(api);
    let hours = 0;
    for (; (await rowsOf('webhook_messages', { endpoint_id: id })).length > 0; hours += 1) {
      await send();
      service.clock.advance(3_600_000);
    }
    expect([24, 25, 26]).toContain(hours);
    receiver.answers(() => 200);
    const next = await done(api);
    await send();
    expect((await data(1)).at(-1)).toMatchObject({ id: next });
  });

  // contract 16.11
  test('ends with a 410 for good, and follows no redirect', async () => {
    const { api, path, listed } = await told(['vision.job.done']);
    receiver.answers(() => [307, { location: `http://${receiver.address}${path}/elsewhere` }]);
    await done(api);
    await send();
    while ((await listed())?.failures !== 1);
    expect(await listed()).toMatchObject({ last_failure: 'The address answered with HTTP status 307.' });
    expect(receiver.to(`${path}/elsewhere`)).toEqual([]);
    receiver.answers(() => 410);
    service.clock.advance(3_600_000);
    await send();
    while ((await listed())?.disabled_at === null);
    receiver.answers(() => 200);
    await done(api);
    service.clock.advance(3_600_000);
    await send();
    expect(receiver.to(path)).toHaveLength(2);
  });
});

// contract 16.14
test('an address that hangs gets one message at a time, and keeps none from others', async () => {
  const [slow, quick] = [await told(['vision.job.done']), await told(['vision.job.done'])];
  const held = gate();
  receiver.answers(async ({ path }) => {
    if (path === slow.path) await held.opened;
    return 204;
  });
  for (const _job of [1, 2]) await done(slow.api);
  const hanging = send();
  await receiver.has(1, slow.path);
  await done(quick.api);
  await send();
  await receiver.has(1, quick.path);
  expect(receiver.to(slow.path)).toHaveLength(1);
  held.open();
  await hanging;
  await send();
  await receiver.has(2, slow.path);
  expect(idsAt(slow.path).size).toBe(2);
});
