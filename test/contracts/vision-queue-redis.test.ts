import { Queue } from 'bullmq';
import { BullMqVisionQueue } from '../../workers/queue/bullmq-queue';
import { BullMqVisionWorker } from '../../workers/queue/bullmq-worker';
import { VISION_QUEUE } from '../../workers/queue/job';
import { HandClock } from '../support/hand-clock';
import { silent } from '../support/log-sink';
import * as queues from './queue-support';
import { openServerProxy, type ServerProxy } from './server-proxy';

const READ_ONLY = "READONLY You can't write against a read only replica.";

queues.withRedis('vision queue, BullMQ, while Redis goes away', () => {
  const clock = new HandClock();
  const deadline = (ms = 3_600_000) => clock.at + ms;
  let pipeline: queues.FakePipeline;
  let proxy: ServerProxy;
  let opened: Awaited<ReturnType<typeof queues.openBullMq>>;
  let queue: BullMqVisionQueue;
  const ask = (photo: number, deadlineAt = deadline()) =>
    queue.neighbours(queues.requestFor(photo, deadlineAt));
  const answers = () =>
    queue.ping().then(
      () => true,
      () => false,
    );

  beforeEach(async () => {
    pipeline = new queues.FakePipeline();
    proxy = await openServerProxy(queues.REDIS_URL);
    opened = await queues.openBullMq({ pipeline, clock, concurrency: 1, waitingMax: 10 }, proxy.url);
    ({ queue } = opened);
  });
  afterEach(async () => {
    await opened.close();
    await proxy.cut();
  });

  test.each([
    ['is away', () => proxy.cut(), () => proxy.mend()],
    ['loses its connections in silence', () => proxy.drop(), () => undefined],
  ])('refuses with unavailable while Redis %s, and answers again after it', async (_what, lose, mend) => {
    await queue.ping();
    await lose();
    await expect(ask(1)).rejects.toMatchObject(queues.UNAVAILABLE);
    await expect(queue.ping()).rejects.toMatchObject(queues.UNAVAILABLE);
    await mend();
    await queues.until(async () => (await answers()) && (await answers()));
    await expect(ask(2)).resolves.toMatchObject({ neighbours: [{ imageId: 2 }] });
  });

  test('finds the answer that was given while the connection was broken', async () => {
    const held = pipeline.hold();
    const asked = ask(1);
    await pipeline.given(1);
    await proxy.cut();
    held.open();
    await proxy.mend();
    await expect(asked).resolves.toMatchObject({ neighbours: [{ imageId: 1 }] });
  });

  test('turns away callers waiting for a photo that Redis lost, as soon as Redis is back', async () => {
    const held = pipeline.hold();
    const asked = queues.failureOf(ask(1));
    await pipeline.given(1);
    await proxy.cut();
    await queues.deleteKeys(opened.prefix);
    await proxy.mend();
    expect(await asked).toMatchObject(queues.UNAVAILABLE);
    held.open();
  });

  test('fails with unavailable at the deadline when Redis is still away, and the photo is not worked on later', async () => {
    const held = pipeline.hold();
    void ask(1).catch(() => undefined);
    await pipeline.given(1);
    const asked = queues.failureOf(ask(2, deadline(500)));
    await queues.until(async () => (await queue.depth()).waiting === 1);
    await proxy.cut();
    expect(await asked).toMatchObject(queues.UNAVAILABLE);
    held.open();
    await proxy.mend();
    await queues.until(answers);
    await ask(3);
    expect(pipeline.seen).toEqual([1, 3]);
  });

  // contract 14.18
  test.each([-1, 1])('answers photos of a process whose clock is a day away (%d)', async (days) => {
    clock.advance(days * 86_400_000);
    await expect(ask(1)).resolves.toMatchObject({ version: { id: 1 } });
  });

  test('refuses a photo from another release, to be sent again', async () => {
    const jobs = new Queue(VISION_QUEUE, { connection: { url: queues.REDIS_URL }, prefix: opened.prefix });
    const { id = '' } = await jobs.add('photo', { v: 1 });
    await queues.until(async () => (await jobs.getJobState(id)) === 'completed');
    const { returnvalue } = (await jobs.getJob(id)) ?? {};
    expect(returnvalue).toMatchObject({
      ok: false,
      error: { ...queues.UNAVAILABLE, headers: { 'Retry-After': '5' } },
    });
    await jobs.close();
  });

  // contract 14.4
  test('is not ready while Redis answers but refuses writes', async () => {
    const refusals = [
      READ_ONLY,
      'MISCONF Redis is configured to save RDB snapshots, but it is currently unable to persist to disk.',
      "OOM command not allowed when used memory > 'maxmemory'.",
      'LOADING Redis is loading the dataset in memory',
      "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
      'NOREPLICAS Not enough good replicas to write.',
      'CLUSTERDOWN Hash slot not served',
      'BUSY Redis is busy running a script.',
    ];
    for (const message of refusals) {
      proxy.refuse('set', message);
      const refusal = { status: 503, message: 'The queue takes no work now.', cause: { message } };
      await expect(queue.ping()).rejects.toMatchObject(refusal);
      proxy.refuse('set', null);
      await queues.until(answers);
    }
  });

  test('leaves a read-only server for the one that the address then leads to', async () => {
    const before = proxy.connections();
    proxy.refuse('set', `${READ_ONLY} script: f_1, on @user_script:1.`);
    await queues.failureOf(queue.ping());
    await queues.until(async () => proxy.connections() > before);
  });

  // contract 14.16
  test('refuses photos at once when the last worker has gone, and accepts them when there is one', async () => {
    const noWorker = { status: 503, message: expect.stringMatching(/^No worker is running/) };
    await opened.worker.close();
    await queues.until(async () => (await queue.workers()) === 0);
    const caller = { accountId: 'account_1', deadlineAt: deadline() };
    await expect(queue.admit(caller, 0)).rejects.toMatchObject(noWorker);
    await expect(ask(1)).rejects.toMatchObject(noWorker);
    const options = { redisUrl: queues.REDIS_URL, prefix: opened.prefix, clock, logger: silent };
    const worker = new BullMqVisionWorker(pipeline, { ...options, concurrency: 1, closeTimeoutMs: 1_000 });
    await worker.ready();
    await queues.until(async () => (await queue.workers()) === 1);
    await expect(ask(2)).resolves.toMatchObject({ neighbours: [{ imageId: 2 }] });
    await worker.close();
  });

  test('does not assume that there are no workers if Redis does not tell who is connected', async () => {
    proxy.refuse('client', "NOPERM User loupe has no permissions to run the 'client|list' command");
    expect(await queue.workers()).toBeNull();
  });

  test('is not ready while there is no Redis, and still closes', async () => {
    const away = await openServerProxy(queues.REDIS_URL);
    await away.cut();
    const options = { redisUrl: away.url, prefix: 'test', clock, logger: silent, waitingMax: 10 };
    const started = new BullMqVisionQueue(options);
    await expect(started.neighbours(queues.requestFor(1, deadline()))).rejects.toMatchObject(
      queues.UNAVAILABLE,
    );
    await started.close();
  });
});
