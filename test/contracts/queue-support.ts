import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { EVERYTHING, type SearchScope } from '../../models/catalog/catalog-query';
import type { Clock, NeighbourRequest, VisionQueue } from '../../models/ports';
import { jpegOf, type Neighbourhood } from '../../models/vision/neighbours';
import { processEnvironment } from '../../scripts/config';
import type { PhotoPipeline, Photos } from '../../workers/pipeline';
import { BullMqVisionQueue } from '../../workers/queue/bullmq-queue';
import { BullMqVisionWorker } from '../../workers/queue/bullmq-worker';
import { InProcessVisionQueue } from '../../workers/queue/in-process-queue';
import { silent } from '../support/log-sink';

/** A clock that moves only when it is told to. */
export class HandClock implements Clock {
  #now = Date.UTC(2026, 0, 1);

  now(): Date {
    return new Date(this.#now);
  }

  advance(ms: number): void {
    this.#now += ms;
  }
}

/** The pipeline as a test needs it: what it does with each photo is the test's choice. */
export class FakePipeline implements PhotoPipeline {
  readonly viewSize = null;
  readonly seen: number[] = [];
  readonly scopes: SearchScope[] = [];
  #waiters: { count: number; resolve: () => void }[] = [];

  /** Replaced by tests; answers with the number of the photo. */
  behave: (photo: number) => Promise<Neighbourhood> = async (photo) => neighbourhood(photo);

  async neighbours({ images: [image], scope }: Photos): Promise<Neighbourhood> {
    const photo = image ? (await jpegOf(image)).readUInt32BE(0) : 0;
    this.seen.push(photo);
    this.scopes.push(scope);
    for (const waiter of this.#waiters) if (this.seen.length >= waiter.count) waiter.resolve();
    return this.behave(photo);
  }

  /** Resolves when the pipeline was given so many photos. */
  given(count: number): Promise<void> {
    if (this.seen.length >= count) return Promise.resolve();
    return new Promise((resolve) => this.#waiters.push({ count, resolve }));
  }
}

/** An answer that belongs to one photo only. */
export const neighbourhood = (photo: number): Neighbourhood => ({
  version: { id: 1, model: 'tiny@1.0.0', calibration: null },
  neighbours: [{ imageId: photo, products: [`product_${photo}`], distance: 0.25, byView: [0.25, 0.5] }],
  timings: { queueMs: 0, embedMs: 1, neighboursMs: 1 },
});

/** A request for photo number `photo`, from an account of its own. */
export function requestFor(photo: number, deadlineAt: number, signal?: AbortSignal): NeighbourRequest {
  const jpeg = Buffer.alloc(4);
  jpeg.writeUInt32BE(photo);
  const jobId = randomUUID();
  const image = { jpeg, width: 1, height: 1, digest: '' };
  return {
    jobId,
    requestId: `request-${photo}`,
    accountId: jobId,
    images: [image],
    scope: EVERYTHING,
    limit: 10,
    deadlineAt,
    ...(signal && { signal }),
  };
}

/** A door that is shut until a test opens it. */
export function gate(): { opened: Promise<void>; open: () => void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

/** Asks again, without sleeping, until the answer is as wanted. */
export async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise(setImmediate);
}

/** The failure of a promise that must fail. */
export async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => {
      throw new Error('expected a failure');
    },
    (failure: unknown) => failure,
  );
}

/** Deletes everything below a prefix. */
export async function deleteKeys(redisUrl: string, prefix: string): Promise<void> {
  const redis = new Redis(redisUrl);
  const keys = await redis.keys(`${prefix}:*`);
  if (keys.length > 0) await redis.del(keys);
  redis.disconnect();
}

/** The Redis that tests may use. */
const REDIS_URL = processEnvironment()['TEST_REDIS_URL'];

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

/** Every way to queue photos that there is here. */
export const ADAPTERS: readonly [name: string, adapter: Adapter][] = [
  ['in-process', inProcess],
  ...(REDIS_URL ? [['BullMQ', bullMq(REDIS_URL)] as [string, Adapter]] : []),
];
