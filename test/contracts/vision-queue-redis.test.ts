import { randomUUID } from 'node:crypto';
import { BullMqVisionQueue } from '../../workers/queue/bullmq-queue';
import { BullMqVisionWorker } from '../../workers/queue/bullmq-worker';
import {
  deleteKeys,
  FakePipeline,
  failureOf,
  gate,
  HandClock,
  neighbourhood,
  requestFor,
  silent,
  until,
} from './queue-support';
import { openServerProxy } from './server-proxy';

const HOUR = 3_600_000;

const redisUrl = process.env['TEST_REDIS_URL'];
const withRedis = redisUrl ? describe : describe.skip;
withRedis('vision queue, BullMQ, while Redis goes away', () => {
  const clock = new HandClock();
  const inAnHour = (): number => clock.now().getTime() + HOUR;

  async function openBehindProxy(pipeline: FakePipeline) {
    const direct = redisUrl ?? '';
    const proxy = await openServerProxy(direct);
    const prefix = `test-${randomUUID()}`;
    const options = { prefix, clock, logger: silent };
    const queue = new BullMqVisionQueue({ ...options, redisUrl: proxy.url, waitingMax: 10 });
    const worker = new BullMqVisionWorker(pipeline, {
      ...options,
      redisUrl: direct,
      concurrency: 1,
      closeTimeoutMs: 1_000,
    });
    await Promise.all([queue.ready(), worker.ready()]);
    const close = async () => {
      await queue.close();
      await worker.close();
      await proxy.cut();
      await deleteKeys(direct, prefix);
    };
    return { queue, proxy, prefix, close };
  }

  /** Workers that answer once they are let. */
  function holding() {
    const pipeline = new FakePipeline();
    const held = gate();
    pipeline.behave = async (photo) => {
      await held.opened;
      return neighbourhood(photo);
    };
    return { pipeline, held };
  }

  test('refuses with unavailable at once, and answers again when Redis is back', async () => {
    const { queue, proxy, close } = await openBehindProxy(new FakePipeline());
    await queue.ping();
    await proxy.cut();
    await expect(queue.neighbours(requestFor(1, inAnHour()))).rejects.toMatchObject({ code: 'unavailable' });
    await expect(queue.ping()).rejects.toMatchObject({ code: 'unavailable' });
    await proxy.mend();
    const answers = () =>
      queue.ping().then(
        () => true,
        () => false,
      );
    await until(async () => (await answers()) && (await answers()));
    await expect(queue.neighbours(requestFor(2, inAnHour()))).resolves.toMatchObject({
      neighbours: [{ imageId: 2 }],
    });
    await close();
  });

  test('finds the answer that was given while the connection was broken', async () => {
    const { pipeline, held: answered } = holding();
    const { queue, proxy, close } = await openBehindProxy(pipeline);
    const asked = queue.neighbours(requestFor(1, inAnHour()));
    await pipeline.given(1);
    await proxy.cut();
    answered.open();
    await proxy.mend();
    await expect(asked).resolves.toMatchObject({ neighbours: [{ imageId: 1 }] });
    await close();
  });

  test('sends away who waits for a photo that Redis lost, as soon as Redis is back', async () => {
    const { pipeline, held: never } = holding();
    const { queue, proxy, prefix, close } = await openBehindProxy(pipeline);
    const asked = failureOf(queue.neighbours(requestFor(1, inAnHour())));
    await pipeline.given(1);
    await proxy.cut();
    await deleteKeys(redisUrl ?? '', prefix);
    await proxy.mend();
    expect(await asked).toMatchObject({ status: 503, code: 'unavailable' });
    never.open();
    await close();
  });

  test('fails with unavailable at the deadline when Redis is still away', async () => {
    const { pipeline, held: never } = holding();
    const { queue, proxy, close } = await openBehindProxy(pipeline);
    const asked = failureOf(queue.neighbours(requestFor(1, clock.now().getTime() + 500)));
    await pipeline.given(1);
    await proxy.cut();
    expect(await asked).toMatchObject({ code: 'unavailable' });
    never.open();
    await proxy.mend();
    await close();
  });

  test('is not ready while there is no Redis, and closes all the same', async () => {
    const proxy = await openServerProxy(redisUrl ?? '');
    await proxy.cut();
    const queue = new BullMqVisionQueue({
      redisUrl: proxy.url,
      prefix: 'test',
      clock,
      logger: silent,
      waitingMax: 10,
    });
    await expect(queue.neighbours(requestFor(1, inAnHour()))).rejects.toMatchObject({ code: 'unavailable' });
    await queue.close();
  });
});
