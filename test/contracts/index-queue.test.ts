import { randomUUID } from 'node:crypto';
import { notFound } from '../../models/errors';
import type { CatalogImage } from '../../models/indexing/embedding-version';
import type { IndexQueue } from '../../models/ports';
import { ModelRefused } from '../../workers/embedder/model-folder';
import type { ImageIndex, IndexOutcome } from '../../workers/index-images';
import { BullMqIndexQueue, BullMqIndexWorker } from '../../workers/queue/bullmq-index-queue';
import { BullMqProducer } from '../../workers/queue/bullmq-producer';
import { InProcessIndexQueue } from '../../workers/queue/in-process-queue';
import { INDEX_QUEUE, indexJobOf } from '../../workers/queue/job';
import { silent } from '../support/log-sink';
import { deleteKeys, failureOf, gate } from './queue-support';

/** The indexer as a test needs it; remembers what it was given. */
class FakeIndex implements ImageIndex {
  readonly given: number[] = [];
  readonly started = gate();
  behave: (images: readonly CatalogImage[], signal?: AbortSignal) => Promise<IndexOutcome> = async (
    images,
  ) => ({
    embedded: images.length,
    failed: 0,
  });

  index(versionId: number, images: readonly CatalogImage[], signal?: AbortSignal): Promise<IndexOutcome> {
    expect(versionId).toBe(7);
    this.given.push(...images.map(({ id }) => id));
    this.started.open();
    return this.behave(images, signal);
  }
}

type Adapter = (index: FakeIndex) => Promise<{ queue: IndexQueue; close(): Promise<void> }>;

const redisUrl = process.env['TEST_REDIS_URL'];

const inProcess: Adapter = async (index) => {
  const queue = new InProcessIndexQueue(index);
  return { queue, close: () => queue.close() };
};

const bullMq =
  (url: string): Adapter =>
  async (index) => {
    const options = { redisUrl: url, prefix: `test-${randomUUID()}`, logger: silent };
    const queue = new BullMqIndexQueue(options);
    const worker = new BullMqIndexWorker(index, options);
    await Promise.all([queue.ready(), worker.ready()]);
    const close = async () => {
      await queue.close();
      await worker.close();
      await deleteKeys(url, options.prefix);
    };
    return { queue, close };
  };

const adapters: [string, Adapter][] = [['in-process', inProcess]];
if (redisUrl) adapters.push(['BullMQ', bullMq(redisUrl)]);

const imagesUpTo = (count: number): CatalogImage[] =>
  Array.from({ length: count }, (_, id) => ({ id, address: `/images/${id}.jpg` }));

/** Runs until it is told to stop. */
const untilStopped = (_images: readonly CatalogImage[], signal?: AbortSignal) =>
  new Promise<IndexOutcome>((_resolve, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
  });

describe.each(adapters)('index queue, %s', (_name, adapter) => {
  let index: FakeIndex;
  let queue: IndexQueue;
  let close: () => Promise<void>;
  beforeEach(async () => {
    index = new FakeIndex();
    ({ queue, close } = await adapter(index));
  });
  afterEach(() => close());

  test('embeds every image once and counts what became of them', async () => {
    index.behave = async (images) => ({ embedded: images.length - 1, failed: 1 });
    const outcome = await queue.embed(7, imagesUpTo(1_000));
    const jobs = Math.ceil(1_000 / 32);
    expect(outcome).toEqual({ embedded: 1_000 - jobs, failed: jobs });
    expect(index.given.toSorted((left, right) => left - right)).toEqual(
      imagesUpTo(1_000).map(({ id }) => id),
    );
  });

  test('has nothing to do for no images', async () => {
    await expect(queue.embed(7, [])).resolves.toEqual({ embedded: 0, failed: 0 });
    expect(index.given).toEqual([]);
  });

  test('fails when the version is gone', async () => {
    index.behave = async () => {
      throw notFound('There is no embedding version 7.');
    };
    await expect(queue.embed(7, imagesUpTo(2))).rejects.toMatchObject({ code: 'not_found' });
    expect(index.given).toEqual([0, 1]);
  });

  test('tries again after a fault that passes', async () => {
    index.behave = async (images) => {
      if (index.given.length === images.length) throw new Error('passing');
      return { embedded: images.length, failed: 0 };
    };
    await expect(queue.embed(7, imagesUpTo(2))).resolves.toEqual({ embedded: 2, failed: 0 });
  });

  test('fails when a fault stays, and never counts what was not done', async () => {
    index.behave = async () => {
      throw new Error('the store is away');
    };
    await expect(queue.embed(7, imagesUpTo(2))).rejects.toMatchObject({ code: 'internal_error' });
  });

  test('sends those who wait away when it is closed', async () => {
    index.behave = untilStopped;
    const asked = [queue.embed(7, imagesUpTo(40)), queue.embed(7, imagesUpTo(1))].map(failureOf);
    await index.started.opened;
    await close();
    for (const failure of await Promise.all(asked)) expect(failure).toMatchObject({ code: 'unavailable' });
  });
});

const withRedis = redisUrl ? describe : describe.skip;
withRedis('index queue, BullMQ, with several workers', () => {
  const options = { redisUrl: redisUrl ?? '', prefix: `test-${randomUUID()}`, logger: silent };
  afterEach(() => deleteKeys(options.redisUrl, options.prefix));

  test('a worker that is closed gives its job to another one', async () => {
    const queue = new BullMqIndexQueue(options);
    const [leaving, staying] = [new FakeIndex(), new FakeIndex()];
    leaving.behave = untilStopped;
    const first = new BullMqIndexWorker(leaving, options);
    await Promise.all([queue.ready(), first.ready()]);
    const asked = queue.embed(7, imagesUpTo(3));
    await leaving.started.opened;
    await first.close();
    const second = new BullMqIndexWorker(staying, options);
    await expect(asked).resolves.toEqual({ embedded: 3, failed: 0 });
    expect(staying.given).toEqual([0, 1, 2]);
    await queue.close();
    await second.close();
  });

  test('a worker that does not have the model leaves the work to those that do', async () => {
    const queue = new BullMqIndexQueue(options);
    const [without, having] = [new FakeIndex(), new FakeIndex()];
    without.behave = () => Promise.reject(new ModelRefused('eye@2.0.0', 'it is not installed here'));
    const workers = [new BullMqIndexWorker(without, options)];
    await Promise.all([queue.ready(), workers[0]?.ready()]);
    const asked = queue.embed(7, imagesUpTo(200));
    await without.started.opened;
    workers.push(new BullMqIndexWorker(having, options));
    await expect(asked).resolves.toEqual({ embedded: 200, failed: 0 });
    await queue.close();
    await Promise.all(workers.map((worker) => worker.close()));
  }, 60_000);

  // contract 14.18
  test('work whose pause was set by a clock that was ahead goes on once it is looked for', async () => {
    const producer = new BullMqProducer(INDEX_QUEUE, options);
    const worker = new BullMqIndexWorker(new FakeIndex(), options);
    await Promise.all([producer.ready(), worker.ready()]);
    const { added, answer } = producer.ask('job', indexJobOf(7, imagesUpTo(3)), { delay: 86_400_000 });
    await added;
    expect(await producer.look('job')).toBe('unfinished');
    await expect(answer).resolves.toMatchObject({ ok: true });
    await producer.close();
    await worker.close();
  });
});
