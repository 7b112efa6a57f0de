import { randomUUID } from 'node:crypto';
import { notFound } from '../../models/errors';
import type { CatalogImage } from '../../models/indexing/embedding-version';
import type { IndexQueue } from '../../models/ports';
import { ModelRefused } from '../../workers/embedder/model-folder';
import type { ImageIndex, IndexOutcome } from '../../workers/index-images';
import { BullMqIndexQueue, BullMqIndexWorker } from '../../workers/queue/bullmq-index-queue';
import { BullMqProducer } from '../../workers/queue/bullmq-producer';
import { InProcessIndexQueue } from '../../workers/queue/in-process-queue';
import { INDEX_QUEUE, indexOutcomeOf, PAYLOAD_VERSION } from '../../workers/queue/job';
import { gate } from '../support/gate';
import { silent } from '../support/log-sink';
import { closeQueues, failureOf, REDIS_URL, withRedis } from './queue-support';

type Behaviour = (images: readonly CatalogImage[], signal?: AbortSignal) => Promise<IndexOutcome>;

class FakeIndex implements ImageIndex {
  readonly given: number[] = [];
  readonly started = gate();
  behave: Behaviour = async (images) => ({ embedded: images.length, failed: 0 });

  index(versionId: number, images: readonly CatalogImage[], signal?: AbortSignal): Promise<IndexOutcome> {
    expect(versionId).toBe(7);
    this.given.push(...images.map(({ id }) => id));
    this.started.open();
    return this.behave(images, signal);
  }
}

type Adapter = (index: FakeIndex) => Promise<{ queue: IndexQueue; close(): Promise<void> }>;

const inProcess: Adapter = async (index) => {
  const queue = new InProcessIndexQueue(index);
  return { queue, close: () => queue.close() };
};

const newOptions = () => ({ redisUrl: REDIS_URL, prefix: `test-${randomUUID()}`, logger: silent });

const bullMq: Adapter = async (index) => {
  const options = newOptions();
  const queue = new BullMqIndexQueue(options);
  const worker = new BullMqIndexWorker(index, options);
  await Promise.all([queue.ready(), worker.ready()]);
  return { queue, close: () => closeQueues(options.prefix, queue, worker) };
};

const imagesUpTo = (count: number): CatalogImage[] =>
  Array.from({ length: count }, (_, id) => ({ id, address: `/images/${id}.jpg` }));

const untilStopped: Behaviour = (_images, signal) =>
  new Promise((_resolve, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
  });

const adapters: [string, Adapter][] = [['in-process', inProcess]];
if (REDIS_URL) adapters.push(['BullMQ', bullMq]);

describe.each(adapters)('index queue, %s', (_name, adapter) => {
  let index: FakeIndex;
  let queue: IndexQueue;
  let close: () => Promise<void>;
  beforeEach(async () => {
    index = new FakeIndex();
    ({ queue, close } = await adapter(index));
  });
  afterEach(() => close());

  test('embeds every image once and counts the outcomes', async () => {
    index.behave = async (images) => ({ embedded: images.length - 1, failed: 1 });
    const jobs = Math.ceil(1_000 / 32);
    expect(await queue.embed(7, imagesUpTo(1_000))).toEqual({ embedded: 1_000 - jobs, failed: jobs });
    const given = index.given.toSorted((left, right) => left - right);
    expect(given).toEqual(imagesUpTo(1_000).map(({ id }) => id));
    expect(await queue.embed(7, [])).toEqual({ embedded: 0, failed: 0 });
  });

  test('retries after a transient fault', async () => {
    index.behave = async (images) => {
      if (index.given.length === images.length) throw new Error('passing');
      return { embedded: images.length, failed: 0 };
    };
    await expect(queue.embed(7, imagesUpTo(2))).resolves.toEqual({ embedded: 2, failed: 0 });
  });

  test.each([
    ['a fault stays', new Error('the store is away'), 'internal_error'],
    ['the version is gone', notFound('There is no embedding version 7.'), 'not_found'],
  ])('fails when %s, and never counts what was not done', async (_what, failure, code) => {
    index.behave = () => Promise.reject(failure);
    await expect(queue.embed(7, imagesUpTo(2))).rejects.toMatchObject({ code });
  });

  test('refuses waiting callers when it is closed', async () => {
    index.behave = untilStopped;
    const asked = [queue.embed(7, imagesUpTo(40)), queue.embed(7, imagesUpTo(1))].map(failureOf);
    await index.started.opened;
    await close();
    for (const failure of await Promise.all(asked)) expect(failure).toMatchObject({ code: 'unavailable' });
  });
});

test('an error of a later release keeps its code and its status', () => {
  const error = { status: 418, code: 'teapot', message: 'Short and stout.', extras: {}, headers: {} };
  const told = { status: 418, code: 'teapot', message: 'Short and stout.' };
  expect(() => indexOutcomeOf({ ok: false, error })).toThrow(expect.objectContaining(told));
});

withRedis('index queue, BullMQ, with several workers', () => {
  const options = newOptions();
  type Connected = { ready(): Promise<unknown>; close(): Promise<unknown> };
  const open: Connected[] = [];
  const ready = async <Opened extends Connected>(one: Opened) => {
    open.push(one);
    await one.ready();
    return one;
  };
  afterEach(() => closeQueues(options.prefix, ...open.splice(0)));

  test('a closed worker gives its job to another one', async () => {
    const queue = await ready(new BullMqIndexQueue(options));
    const [leaving, staying] = [new FakeIndex(), new FakeIndex()];
    leaving.behave = untilStopped;
    const first = await ready(new BullMqIndexWorker(leaving, options));
    const asked = queue.embed(7, imagesUpTo(3));
    await leaving.started.opened;
    await first.close();
    await ready(new BullMqIndexWorker(staying, options));
    await expect(asked).resolves.toEqual({ embedded: 3, failed: 0 });
    expect(staying.given).toEqual([0, 1, 2]);
  });

  test('a worker that does not have the model leaves the work to those that do', async () => {
    const queue = await ready(new BullMqIndexQueue(options));
    const [without, having] = [new FakeIndex(), new FakeIndex()];
    without.behave = () => Promise.reject(new ModelRefused('eye@2.0.0', 'it is not installed here'));
    await ready(new BullMqIndexWorker(without, options));
    const asked = queue.embed(7, imagesUpTo(200));
    await without.started.opened;
    await ready(new BullMqIndexWorker(having, options));
    await expect(asked).resolves.toEqual({ embedded: 200, failed: 0 });
  });

  // contract 14.18
  test('work whose pause was set by a clock that was ahead continues once it is looked for', async () => {
    const producer = await ready(new BullMqProducer(INDEX_QUEUE, options));
    await ready(new BullMqIndexWorker(new FakeIndex(), options));
    const job = { v: PAYLOAD_VERSION, versionId: 7, images: imagesUpTo(3) };
    const { answer } = await producer.ask('job', job, { delay: 86_400_000 });
    expect(await producer.stateOf('job')).toBe('unfinished');
    await expect(answer).resolves.toMatchObject({ ok: true });
  });
});
