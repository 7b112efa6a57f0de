import { createHmac } from 'node:crypto';
import type { Knex } from 'knex';
import { openImport } from '../../db/catalog/import/open-import';
import { PostgresWebhookStore } from '../../db/webhooks/webhook-store';
import { KeyService } from '../../models/access/key-service';
import { importRecords } from '../../models/catalog/import/import-service';
import { DriftWatch } from '../../models/feedback/drift-watch';
import { type CreditLedger, type EmbeddingRepository, PORTS } from '../../models/ports';
import type { ReceivedMessage } from '../support/local-server';
import { dataOf, idOf, useWebhooks } from '../support/photo-jobs';

/** contract 16.10 to 16.17: callers who are told what happens, and messages whose address does not take them. */
const { service, receiver, photo, rowsOf, told, send, done } = useWebhooks();

/** An import of no records, told as any other. */
const importNothing = async (dryRun: boolean): Promise<void> => {
  const store = await openImport(service.resolve<Knex>(PORTS.Knex), dryRun);
  const nothing = () => undefined;
  await importRecords({
    source: { file: async () => null },
    store,
    pictures: { storeAll: async (batch) => batch },
    rejects: { count: 3, add: nothing, settle: async () => undefined },
    progress: { begin: nothing, reach: nothing, end: nothing, note: nothing },
    clock: service.clock,
    transactionMs: 500,
  }).finally(() => store.close());
};

// contract 16.10
describe('a webhook', () => {
  test('is registered with a secret that is shown once, listed and removed', async () => {
    const { api, id, secret } = await told(['vision.job.done', 'vision.job.done']);
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const listed = await api.send<{ data: object[] }>('GET', '/v3/webhooks');
    expect(listed.body.data).toMatchObject([{ id, events: ['vision.job.done'], failures: 0 }]);
    expect(listed.text).not.toContain('whsec_');
    for (const status of [200, 404])
      expect((await api.send('DELETE', `/v3/webhooks/${id}`)).status).toBe(status);
    await done(api);
    expect(await rowsOf('webhook_messages', { endpoint_id: id })).toEqual([]);
  });

  // contract 16.10, 14.8
  test('is in the audit log with its key, and without its secret', async () => {
    const { api, id, accountId, secret } = await told(['model.drift']);
    await api.send('DELETE', `/v3/webhooks/${id}`);
    const entries = await rowsOf('audit_log', { account_id: accountId, subject: id }).orderBy('id');
    expect(entries).toMatchObject([
      { action: 'webhooks register', details: { events: ['model.drift'], host: expect.any(String) } },
      { action: 'webhooks remove', details: {} },
    ]);
    expect(JSON.stringify(entries)).not.toContain(secret);
    expect(entries.map(({ actor }) => actor)).toEqual(Array(2).fill(expect.stringMatching(/^key key_/)));
  });

  // contract 16.10
  test('ends with the key that registered it, and is shown so', async () => {
    const { accountId, id, keyId, path, listed } = await told(['catalog.import.done']);
    const other = (await service.newKey({ accountId })).api;
    const shown = async () => (await other.send<{ data: object[] }>('GET', '/v3/webhooks')).body.data;
    expect(await listed()).toMatchObject({ id, key_id: keyId, disabled_at: null });
    await importNothing(false);
    await service.revoke(keyId);
    await importNothing(false);
    await send();
    expect(receiver.to(path)).toEqual([]);
    expect(await shown()).toMatchObject([{ id, disabled_at: expect.stringMatching(/^\d{4}-/) }]);
  });

  // contract 16.10, 9.4
  test('ends when its key expires, and goes on with the key that took its place', async () => {
    const { accountId, id, keyId, path } = await told(['catalog.import.done']);
    const keys = service.resolve<KeyService>(KeyService as never);
    const { key } = await keys.rotate(keyId, 0);
    const { api } = await service.newKey({ accountId });
    const listed = async () => (await api.send<{ data: object[] }>('GET', '/v3/webhooks')).body.data;
    expect(await listed()).toMatchObject([{ id, key_id: key.id, disabled_at: null }]);
    await importNothing(false);
    await send();
    await receiver.has(1, path);
    await rowsOf('api_keys', { id: key.id }).update({ expires_at: service.clock.now() });
    await importNothing(false);
    await send();
    expect(receiver.to(path)).toHaveLength(1);
    expect(await listed()).toMatchObject([{ id, disabled_at: service.clock.now().toISOString() }]);
  });
});

// contract 16.12, 16.15
describe('the end of a job', () => {
  test('is told to its account alone, once, in a signed message', async () => {
    const { api, path, secret } = await told(['vision.job.done']);
    const other = await told(['vision.job.done']);
    const id = await done(api);
    await send();
    const [message] = await receiver.has(1, path);
    await send();
    expect([receiver.to(path).length, receiver.to(other.path).length]).toEqual([1, 0]);
    const { headers, body } = message as ReceivedMessage;
    expect(JSON.parse(body)).toEqual({
      type: 'vision.job.done',
      timestamp: service.clock.now().toISOString(),
      data: { id, total: 1, done: 1, failed: 0, cancelled: 0 },
    });
    const seconds = Math.floor(service.clock.now().getTime() / 1000);
    const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
    const signed = `${headers['webhook-id']}.${seconds}.${body}`;
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'webhook-timestamp': String(seconds),
      'webhook-signature': `v1,${createHmac('sha256', key).update(signed).digest('base64')}`,
    });
  });

  test('is told of a job none of whose photos can be used, and of one that is cancelled', async () => {
    const { api, path } = await told(['vision.job.done']);
    const unusable = await done(api, { base64: Buffer.from('no picture').toString('base64') });
    service.queue.isWaitedFor(1);
    const { id } = (await api.createJob({ entries: [photo, photo] })).body;
    await api.job(id, 'DELETE');
    await api.job(id, 'DELETE');
    await send();
    const messages = (await receiver.has(2, path)).map(dataOf);
    expect(messages).toHaveLength(2);
    // What happens at the same time is told in any order.
    expect(messages).toContainEqual({ id: unusable, total: 1, done: 0, failed: 1, cancelled: 0 });
    expect(messages).toContainEqual({ id, total: 2, done: 0, failed: 0, cancelled: 2 });
  });
});

// contract 16.16
describe('low credits', () => {
  test('are told once, by the charge that takes the balance below, of all that run at the same time', async () => {
    const { api, path, accountId } = await told(['account.credits.low'], { credits_below: 80 }, 100);
    await Promise.all(Array.from({ length: 8 }, () => api.identify(photo)));
    await send();
    const [message] = await receiver.has(1, path);
    // Those that are booked together take it below together.
    expect([75, 70, 65, 60].map((credits) => ({ credits, credits_below: 80 }))).toContainEqual(
      dataOf(message as ReceivedMessage),
    );
    await api.identify(photo);
    await send();
    expect(receiver.to(path)).toHaveLength(1);
    await service.resolve<CreditLedger>(PORTS.CreditLedger).topUp(accountId, 30, null);
    // 80, and 75.
    for (const _call of [1, 2]) await api.identify(photo);
    await send();
    expect((await receiver.has(2, path)).map(dataOf)[1]).toEqual({ credits: 75, credits_below: 80 });
  });

  test('are told to nobody by a call that is free', async () => {
    const { api, path } = await told(['account.credits.low'], { credits_below: 100 }, 100);
    await service.sees();
    await api.identify(photo);
    await send();
    expect(receiver.to(path)).toEqual([]);
  });
});

// contract 16.17
describe('what concerns all', () => {
  test('an import that is done is told to every account that wants to know, a dry run to none', async () => {
    const [one, two] = [await told(['catalog.import.done']), await told(['catalog.import.done'])];
    const none = await told(['model.drift']);
    await importNothing(true);
    await importNothing(false);
    await send();
    for (const { path } of [one, two])
      expect((await receiver.has(1, path)).map(dataOf)).toEqual([{ accepted: 0, rejected: 3 }]);
    expect(receiver.to(none.path)).toEqual([]);
  });

  // contract 16.17
  describe('confidence that drifts', () => {
    const look = async () => {
      await service.resolve<DriftWatch>(DriftWatch as never).look();
      await send();
    };
    /** Answers of an account, all claimed with 0.9, of which a share is right. */
    async function answers(account: string, count: number, right: number): Promise<void> {
      service.clock.advance(60_000);
      const live = await service.resolve<EmbeddingRepository>(PORTS.EmbeddingRepository).live();
      const now = service.clock.now();
      const rows = Array.from({ length: count }, (_, at) => ({
        ...{ account_id: account, endpoint: 'test', request_id: 'drift', id: `${now.getTime()}-${at}` },
        ...{ version_id: live?.id, model: live?.model, image_digests: ['x'] },
        ...{ created_at: now, neighbours: '[]', timings: '{}' },
        rows: JSON.stringify([{ id: 'product_x', confidence: 0.9 }]),
        feedback: JSON.stringify({ right: at < right * count, correctId: null, comment: null, at: '' }),
      }));
      await rowsOf('predictions').insert(rows);
    }
    beforeEach(async () => {
      await rowsOf('predictions').delete();
      await rowsOf('housekeeping').whereLike('task', 'model.drift%').delete();
    });

    test('is told to all, once a week, where it shows whichever account is left out', async () => {
      const { path } = await told(['model.drift']);
      await answers('one', 199, 0);
      await answers('two', 200, 0);
      await look();
      expect(receiver.to(path)).toEqual([]);
      await answers('three', 1, 1);
      await look();
      await look();
      const [message] = await receiver.has(1, path);
      expect(dataOf(message as ReceivedMessage)).toEqual({
        claimed: expect.closeTo(0.9),
        right: expect.closeTo(1 / 400),
        answers: 400,
      });
      service.clock.advance(7 * 86_400_000);
      await look();
      await receiver.has(2, path);
      await answers('one', 1_800, 1);
      await answers('two', 1_800, 1);
      service.clock.advance(7 * 86_400_000);
      await look();
      expect(receiver.to(path)).toHaveLength(2);
    });

    test.each([
      ['it is the only one', []],
      ['others give less', [['other', 150, 0.9]]],
      ['others give as much', [['other', 1_000, 0.9]]],
      ['others who are many are content', Array.from({ length: 5 }, (_, at) => [`other${at}`, 100, 0.9])],
    ] as [string, [string, number, number][]][])(
      'is told to an account alone by whose feedback alone it shows: %s',
      async (_what, others) => {
        const [itself, stranger] = [await told(['model.drift']), await told(['model.drift'])];
        await answers(itself.accountId, 1_000, 0);
        for (const other of others) await answers(...other);
        await look();
        const [message] = await receiver.has(1, itself.path);
        expect(dataOf(message as ReceivedMessage)).toMatchObject({ right: 0, answers: 1_000 });
        expect(receiver.to(stranger.path)).toEqual([]);
      },
    );
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
    const messages = await receiver.has(4, path);
    expect(new Set(messages.map(idOf)).size).toBe(1);
    while ((await listed())?.failures !== 0);
    service.clock.advance(86_400_000);
    await send();
    expect(receiver.to(path)).toHaveLength(4);
  });

  test('is given up after a day, and the next one is sent', async () => {
    const { api, path, id } = await told(['vision.job.done']);
    receiver.answers(() => 503);
    const left = () => rowsOf('webhook_messages', { endpoint_id: id });
    await done(api);
    let hours = 0;
    for (; (await left()).length > 0; hours += 1) {
      await send();
      service.clock.advance(3_600_000);
    }
    expect([24, 25, 26]).toContain(hours);
    receiver.answers(() => 200);
    const next = await done(api);
    await send();
    expect(dataOf(receiver.to(path).at(-1) as ReceivedMessage)).toMatchObject({ id: next });
  });

  test('whose process dies before it can note its arrival is sent again, under the same id', async () => {
    const { api, path } = await told(['vision.job.done']);
    const noted = jest.spyOn(PostgresWebhookStore.prototype, 'delivered');
    noted.mockRejectedValueOnce(new Error('killed'));
    await done(api);
    while (noted.mock.calls.length === 0) await send().catch(() => undefined);
    await send();
    expect(receiver.to(path)).toHaveLength(1);
    service.clock.advance(30_000);
    await send();
    const messages = await receiver.has(2, path);
    noted.mockRestore();
    expect(new Set(messages.map(idOf)).size).toBe(1);
  });

  test('ends with a 410 for good', async () => {
    const { api, path, listed } = await told(['vision.job.done']);
    receiver.answers(() => 410);
    await done(api);
    await send();
    await receiver.has(1, path);
    while ((await listed())?.disabled_at === null);
    receiver.answers(() => 200);
    await done(api);
    service.clock.advance(3_600_000);
    await send();
    expect(receiver.to(path)).toHaveLength(1);
  });

  // contract 16.11
  test('does not follow a redirect', async () => {
    const { api, path, listed } = await told(['vision.job.done']);
    receiver.answers(() => [307, { location: `http://${receiver.address}${path}/elsewhere` }]);
    await done(api);
    await send();
    await receiver.has(1, path);
    while ((await listed())?.failures !== 1);
    expect(await listed()).toMatchObject({ last_failure: 'The address answered with HTTP status 307.' });
    expect(receiver.to(`${path}/elsewhere`)).toEqual([]);
  });
});

// contract 16.14
test('an address that hangs gets one message at a time, and keeps none from others', async () => {
  const [slow, quick] = [await told(['vision.job.done']), await told(['vision.job.done'])];
  let letGo = (): void => undefined;
  const held = new Promise<number>((resolve) => {
    letGo = () => resolve(204);
  });
  receiver.answers(({ path }) => (path === slow.path ? held : 204));
  await done(slow.api);
  await done(slow.api);
  const hanging = send();
  await receiver.has(1, slow.path);
  await done(quick.api);
  await send();
  await receiver.has(1, quick.path);
  expect(receiver.to(slow.path)).toHaveLength(1);
  letGo();
  await hanging;
  await send();
  expect(new Set((await receiver.has(2, slow.path)).map(idOf)).size).toBe(2);
});
