import { randomUUID } from 'node:crypto';
import type { VisionQueue } from '../../models/ports';
import { processEnvironment } from '../../scripts/config';
import { BullMqVisionQueue } from '../../workers/queue/bullmq-queue';
import { BullMqVisionWorker } from '../../workers/queue/bullmq-worker';
import { InProcessVisionQueue } from '../../workers/queue/in-process-queue';
import { deleteKeys, type FakePipeline, type HandClock, silent } from './queue-support';

/** What a queue is opened with. */
export interface QueueSetup {
  readonly pipeline: FakePipeline;
  readonly clock: HandClock;
  readonly concurrency: number;
  readonly waitingMax: number;
}

/** A queue and its workers. */
export interface OpenedQueue {
  readonly queue: VisionQueue & { oldestWaitingMs(): Promise<number> };
  close(): Promise<void>;
}

type Adapter = (setup: QueueSetup) => Promise<OpenedQueue>;

const inProcess: Adapter = async ({ pipeline, ...limits }) => {
  const queue = new InProcessVisionQueue(pipeline, { ...limits, logger: silent });
  return { queue, close: () => queue.close() };
};

const bullMq =
  (url: string): Adapter =>
  async ({ pipeline, clock, concurrency, waitingMax }) => {
    const prefix = `test-${randomUUID()}`;
    const options = { redisUrl: url, prefix, clock, logger: silent };
    const queue = new BullMqVisionQueue({ ...options, waitingMax });
    const worker = new BullMqVisionWorker(pipeline, { ...options, concurrency, closeTimeoutMs: 1_000 });
    await Promise.all([queue.ready(), worker.ready()]);
    const close = async () => {
      await queue.close();
      await worker.close();
      await deleteKeys(url, prefix);
    };
    return { queue, close };
  };

const { TEST_REDIS_URL } = processEnvironment();

/** Every way to queue photos that there is here. */
export const ADAPTERS: readonly [name: string, adapter: Adapter][] = [
  ['in-process', inProcess],
  ...(TEST_REDIS_URL ? [['BullMQ', bullMq(TEST_REDIS_URL)] as [string, Adapter]] : []),
];
