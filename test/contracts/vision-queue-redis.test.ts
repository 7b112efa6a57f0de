import { randomUUID } from 'node:crypto';
import { Queue } from 'bullmq';
import { BullMqVisionQueue } from '../../workers/queue/bullmq-queue';
import { BullMqVisionWorker } from '../../workers/queue/bullmq-worker';
import { VISION_QUEUE } from '../../workers/queue/job';
import { silent } from '../support/log-sink';
import {
  deleteKeys,
  FakePipeline,
  failureOf,
  gate,
  HandClock,
  neighbourhood,
  requestFor,
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

  const answers = (queue: BullMqVisionQueue) =>
    queue.ping().then(
      () => true,
      () => false,
    );

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
    await until(async () => (await answers(queue)) && (await answers(queue)));
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

  test('answers a photo of another release as a fault of ours', async () => {
    const { prefix, close } = await openBehindProxy(new FakePipeline());
    const jobs = new Queue(VISION_QUEUE, { connection: { url: redisUrl ?? '' }, prefix });
    const { id = '' } = await jobs.add('photo', { v: 1 });
    await until(async () => (await jobs.getJobState(id)) === 'completed');
    expect((await jobs.getJob(id))?.returnvalue).toMatchObject({
      ...{ ok: false, error: { code: 'internal_error' } },
    });
    await jobs.close();
    await close();
  });

  // contract 14.4
  test('is not ready while Redis answers and refuses to be written', async () => {
    const refusals = [
      "READONLY You can't write against a read only replica.",
      'MISCONF Redis is configured to save RDB snapshots, but it is currently unable to persist to disk.',
      "OOM command not allowed when used memory > 'maxmemory'.",
      'LOADING Redis is loading the dataset in memory',
      "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
      'NOREPLICAS Not enough good replicas to write.',
      'CLUSTERDOWN Hash slot not served',
      'BUSY Redis is busy running a script.',
    ];
    const { queue, proxy, close } = await openBehindProxy(new FakePipeline());
    for (const message of refusals) {
      proxy.refuse('set', message);
      const failure = { status: 503, message: 'The queue takes no work now.', cause: { message } };
      expect(await failureOf(queue.ping())).toMatchObject(failure);
      proxy.refuse('set', null);
      await until(() => answers(queue));
    }
    await close();
  });

  test('leaves a server that can only be read for the one that the address leads to then', async () => {
    const { queue, proxy, close } = await openBehindProxy(new FakePipeline());
    const before = proxy.connections();
    proxy.refuse(
      'set',
      "READONLY You can't write against a read only replica. script: f_1, on @user_script:1.",
    );
    await failureOf(queue.ping());
    await until(async () => proxy.connections() > before);
    await close();
  });

  // contract 14.16
  test('refuses photos at once when the last worker has gone, and takes them when one is there', async () => {
    const direct = redisUrl ?? '';
    const options = { redisUrl: direct, prefix: `test-${randomUUID()}`, clock, logger: silent };
    const queue = new BullMqVisionQueue({ ...options, waitingMax: 10 });
    await queue.ready();
    const photo = () => queue.neighbours(requestFor(1, inAnHour()));
    const caller = { accountId: 'account_1', deadlineAt: inAnHour() };
    const noWorker = { status: 503, message: expect.stringMatching(/^No worker is running/) };
    await expect(queue.admit(caller)).rejects.toMatchObject(noWorker);
    await expect(photo()).rejects.toMatchObject(noWorker);
    const worker = new BullMqVisionWorker(new FakePipeline(), {
      ...options,
      concurrency: 1,
      closeTimeoutMs: 1_000,
    });
    await worker.ready();
    await until(async () => (await queue.workers()) === 1);
    await expect(photo()).resolves.toMatchObject({ neighbours: [{ imageId: 1 }] });
    await worker.close();
    await until(async () => (await queue.workers()) === 0);
    await expect(photo()).rejects.toMatchObject(noWorker);
    await queue.close();
    await deleteKeys(direct, options.prefix);
  });

  test('does not take Redis for one without workers where it does not tell who is connected', async () => {
    const { queue, proxy, close } = await openBehindProxy(new FakePipeline());
    proxy.refuse('client', "NOPERM User loupe has no permissions to run the 'client|list' command");
    expect(await queue.workers()).toBeNull();
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
