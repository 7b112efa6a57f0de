import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { NO_FILTER } from '../../models/catalog/catalog-query';
import type { NeighbourRequest, VisionQueue } from '../../models/ports';
import type { Neighbourhood } from '../../models/vision/neighbours';
import { processEnvironment } from '../../scripts/config';
import type { PhotoPipeline, Photos } from '../../workers/pipeline';
import { BullMqVisionQueue } from '../../workers/queue/bullmq-queue';
import { BullMqVisionWorker } from '../../workers/queue/bullmq-worker';
import { InProcessVisionQueue } from '../../workers/queue/in-process-queue';
import { gate } from '../support/gate';
import type { HandClock } from '../support/hand-clock';
import { silent } from '../support/log-sink';

export const UNAVAILABLE = { status: 503, code: 'unavailable' };
export const REDIS_URL = processEnvironment()['TEST_REDIS_URL'] ?? '';
export const withRedis = REDIS_URL ? describe : describe.skip;

export class FakePipeline implements PhotoPipeline {
  readonly seen: number[] = [];
  readonly asked: Pick<Photos, 'images' | 'scope' | 'liveStamp'>[] = [];

  /** Replaced by tests; answers with the number of the photo. */
  behave: (photo: number) => Promise<Neighbourhood> = async (photo) => neighbourhood(photo);

  async neighbours({ images, scope, liveStamp }: Photos): Promise<Neighbourhood> {
    const [image = { jpeg: Buffer.alloc(4) }] = images;
    const photo = ('pixels' in image ? image.pixels : image.jpeg).readUInt32BE(0);
    this.seen.push(photo);
    this.asked.push({ images, scope, liveStamp });
    return this.behave(photo);
  }

  hold() {
    const held = gate();
    this.behave = async (photo) => {
      await held.opened;
      return neighbourhood(photo);
    };
    return held;
  }

  given(count: number): Promise<void> {
    return until(async () => this.seen.length >= count);
  }
}

export const neighbourhood = (photo: number): Neighbourhood => ({
  version: { id: 1, model: 'tiny@1.0.0', calibration: null },
  neighbours: [{ imageId: photo, products: [`product_${photo}`], distance: 0.25, byView: [0.25, 0.5] }],
  rivals: [{ imageId: 0, products: ['product_0'], distance: 0.125, byView: [0.125, 0.5] }],
  timings: { queueMs: 0, embedMs: 1, neighboursMs: 1 },
});

/** A request for photo number `photo`, from an account of its own. */
export function requestFor(photo: number, deadlineAt: number, signal?: AbortSignal): NeighbourRequest {
  const jpeg = Buffer.alloc(4);
  jpeg.writeUInt32BE(photo);
  const jobId = randomUUID();
  return {
    ...{ jobId, requestId: `request-${photo}`, accountId: jobId, scope: NO_FILTER, deadlineAt },
    liveStamp: null,
    images: [{ jpeg, width: 1, height: 1, digest: '' }],
    ...(signal && { signal }),
  };
}

/** Polls without sleeping until the condition holds. */
export async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise(setImmediate);
}

export const failureOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => Promise.reject(new Error('expected a failure')),
    (failure: unknown) => failure,
  );

export async function deleteKeys(prefix: string): Promise<void> {
  const redis = new Redis(REDIS_URL);
  const keys = await redis.keys(`${prefix}:*`);
  if (keys.length > 0) await redis.del(keys);
  redis.disconnect();
}

export interface QueueSetup {
  readonly pipeline: FakePipeline;
  readonly clock: HandClock;
  readonly concurrency: number;
  readonly waitingMax: number;
}

export interface OpenedQueue {
  readonly queue: VisionQueue & { oldestWaitingMs(): Promise<number> };
  close(): Promise<void>;
}

type Adapter = (setup: QueueSetup) => Promise<OpenedQueue>;

const inProcess: Adapter = async ({ pipeline, ...limits }) => {
  const queue = new InProcessVisionQueue(pipeline, { ...limits, logger: silent });
  return { queue, close: () => queue.close() };
};

export async function closeQueues(prefix: string, ...open: readonly { close(): Promise<unknown> }[]) {
  for (const each of open) await each.close();
  await deleteKeys(prefix);
}

/** @param redisUrl by which the queue reaches Redis, if different from its worker's */
export async function openBullMq(
  { pipeline, clock, concurrency, waitingMax }: QueueSetup,
  redisUrl = REDIS_URL,
) {
  const prefix = `test-${randomUUID()}`;
  const options = { prefix, clock, logger: silent };
  const queue = new BullMqVisionQueue({ ...options, redisUrl, waitingMax });
  const limits = { concurrency, closeTimeoutMs: 1_000 };
  const worker = new BullMqVisionWorker(pipeline, { ...options, ...limits, redisUrl: REDIS_URL });
  await Promise.all([queue.ready(), worker.ready()]);
  return { queue, worker, prefix, close: () => closeQueues(prefix, queue, worker) };
}

export const ADAPTERS: readonly [name: string, adapter: Adapter][] = [
  ['in-process', inProcess],
  ...(REDIS_URL ? [['BullMQ', (setup: QueueSetup) => openBullMq(setup)] as [string, Adapter]] : []),
];
