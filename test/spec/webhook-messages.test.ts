import { PostgresWebhookStore } from '../../db/webhooks/webhook-store';
import { type ReceivedMessage, WebhookReceiver } from '../support/local-server';
import { dataOf, idOf, useWebhooks } from '../support/photo-jobs';

/** What becomes of a message whose address does not take it. */
const { service, receiver, rowsOf, told, send, done } = useWebhooks();
const canary = new WebhookReceiver();
let inside: string;
beforeAll(async () => {
  inside = await canary.listen();
});
afterAll(() => canary.close());

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
    const left = () => rowsOf('webhook_messages').where({ endpoint_id: id });
    await done(api);
    let hours = 0;
    for (; (await left()).length > 0; hours += 1) {
      await send();
      service.clock.advance(3_600_000);
    }
    expect(hours).toBeGreaterThanOrEqual(24);
    expect(hours).toBeLessThan(27);
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
  test('is not led inside by a redirect', async () => {
    const { api, path, listed } = await told(['vision.job.done']);
    receiver.answers(() => [307, { location: `http://${inside}/` }]);
    await done(api);
    await send();
    await receiver.has(1, path);
    while ((await listed())?.failures !== 1);
    expect(await listed()).toMatchObject({ last_failure: 'The address answered with HTTP status 307.' });
    expect(canary.received).toEqual([]);
  });
});

// contract 16.14
test('an address that hangs gets one message at a time, and keeps none from others', async () => {
  const slow = await told(['vision.job.done']);
  const quick = await told(['vision.job.done']);
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
