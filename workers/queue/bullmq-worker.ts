import { type Job, type Processor, Worker, type WorkerOptions } from 'bullmq';
import type { Redis } from 'ioredis';
import { AppError, timeout, unavailable } from '../../models/errors';
import type { CatalogNeighbour } from '../../models/vision/neighbours';
import type { PhotoPipeline, Photos } from '../pipeline';
import { attachmentKey, type BullMqOptions } from './bullmq-producer';
import * as jobs from './job';
import { race } from './race';
import { disconnected, patientConnection } from './redis-connection';

export interface BullMqVisionWorkerOptions extends BullMqOptions {
  /** Photos in work at the same time; see `visionConcurrency`. */
  readonly concurrency: number;
  /** How long `close` lets photos finish before it leaves them to another worker. */
  readonly closeTimeoutMs: number;
}

/** A dead worker is noticed after this, while another one can still answer in time. */
const LOCK_MS = 5_000;

/** A photo that takes longer is abandoned. */
const LONGEST_MS = 60_000;

/** Settings that differ between queues. */
type ConsumerSettings = Pick<
  WorkerOptions,
  'concurrency' | 'lockDuration' | 'stalledInterval' | 'maxStalledCount'
>;

/** Time within which jobs must stop after their signal. */
const STOP_TIMEOUT_MS = 2_000;

/** The consumer of a BullMQ queue; reconnects for ever, and closes even while Redis is unreachable. */
export abstract class BullMqConsumer<Data, Answer> {
  readonly #stop = new AbortController();
  readonly #worker: Worker<Data, Answer>;
  readonly #graceMs: number;

  constructor(
    name: string,
    settings: ConsumerSettings,
    { redisUrl, prefix, logger, closeTimeoutMs = 0 }: BullMqOptions & { readonly closeTimeoutMs?: number },
  ) {
    this.#graceMs = closeTimeoutMs;
    const connection = patientConnection(redisUrl, this.#stop.signal);
    // BullMQ passes a signal only to functions of three parameters.
    const processor: Processor<Data, Answer> = (job, token, signal) => this.answer(job, token, signal);
    this.#worker = new Worker(name, processor, { ...settings, connection, prefix });
    // Not before the answer is stored: until then another worker may have to take over. If it fails the bytes expire.
    this.#worker.on('completed', ({ id = '' }) => {
      const dropped = this.#redis().then((redis) => redis.unlink(attachmentKey(this.#worker, id)));
      dropped.catch(() => undefined);
    });
    // During an outage every attempt to reconnect has the same error.
    let lastError = '';
    this.#worker.on('error', ({ message }) => {
      if (message !== lastError) logger.warn({ queue: name, failure: message }, 'queue worker');
      lastError = message;
    });
    this.#worker.on('active', () => {
      lastError = '';
    });
  }

  protected abstract answer(...job: Parameters<Processor<Data, Answer>>): Promise<Answer>;

  /** Resolves when jobs are taken. */
  async ready(): Promise<void> {
    await this.#worker.waitUntilReady();
  }

  /** The bytes that came with a job, null when they are gone, and in how many milliseconds Redis deletes them. */
  protected async attachment(jobId: string) {
    const key = attachmentKey(this.#worker, jobId);
    const redis = await this.#redis();
    const [bytes, keptMs] = await Promise.all([redis.getBuffer(key), redis.pttl(key)]);
    return { bytes, keptMs };
  }

  async #redis(): Promise<Redis> {
    // BullMQ makes it of the options of `patientConnection`, with ioredis.
    return (await this.#worker.getBackend().connection.client) as unknown as Redis;
  }

  /** Takes no more jobs; those in work have `closeTimeoutMs` to finish before they are left to another worker. */
  async close(): Promise<void> {
    this.#stop.abort();
    await this.#closeBrokenConnections();
    const closing = this.#worker.close();
    if ((await race(closing, this.#graceMs)).kind !== 'late') return;
    this.#worker.cancelAllJobs('the worker is stopping');
    await race(closing, STOP_TIMEOUT_MS);
  }

  /** BullMQ would wait for the end of a connection that is already broken. */
  async #closeBrokenConnections(): Promise<void> {
    const { connection, blockingConnection } = this.#worker.getBackend();
    const clients = await Promise.allSettled([connection.client, blockingConnection?.client]);
    for (const client of clients) {
      if (client.status === 'fulfilled' && client.value && client.value.status !== 'ready') {
        await disconnected(client.value);
      }
    }
  }
}

export class BullMqVisionWorker extends BullMqConsumer<jobs.VisionJob, jobs.VisionAnswer> {
  constructor(
    private readonly pipeline: PhotoPipeline,
    private readonly options: BullMqVisionWorkerOptions,
  ) {
    const lock = { lockDuration: LOCK_MS, stalledInterval: LOCK_MS / 2, maxStalledCount: 1 };
    super(jobs.VISION_QUEUE, { concurrency: options.concurrency, ...lock }, options);
  }

  protected async answer(
    job: Job<jobs.VisionJob, jobs.VisionAnswer>,
    _token?: string,
    signal?: AbortSignal,
  ): Promise<jobs.VisionAnswer> {
    const started = performance.now();
    const waited = await race(this.#outcomeOf(job), LONGEST_MS, signal);
    if (waited.kind !== 'answered') throw new Error(`the photo is given up: ${waited.kind}`);
    const answer = waited.value;
    const outcome = answer.ok ? 'ok' : answer.error.code;
    const elapsedMs = Math.round(performance.now() - started);
    const { requestId, trace } = job.data;
    // The id of a trace is between the version and the place in it.
    const traced = trace ? { trace_id: trace.traceparent.split('-')[1] } : {};
    this.options.logger.info({ requestId, jobId: job.id, outcome, elapsedMs, ...traced }, 'photo');
    return answer;
  }

  /** Our own failures are answers too; all others are thrown, for BullMQ to retry. A photo past its deadline is dropped. */
  async #outcomeOf({ id = '', data }: Job<jobs.VisionJob, jobs.VisionAnswer>): Promise<jobs.VisionAnswer> {
    try {
      jobs.assertReadable(data);
      const limitMs = data.deadlineAt - data.askedAt;
      const { bytes, keptMs } = await this.attachment(id);
      const images = photosOf(data, bytes);
      // By the clock of Redis: that of the caller's process may differ from ours.
      const leftMs = keptMs - jobs.BYTES_SLACK_MS;
      if (leftMs <= 0) throw timeout(limitMs);
      const found = await this.pipeline.neighbours({
        ...data,
        images,
        queueMs: Math.max(0, limitMs - leftMs),
      });
      const { neighbours, rivals } = found;
      const rounded = { ...found, neighbours: neighbours.map(toSixDecimals) };
      return { ok: true, value: rivals ? { ...rounded, rivals: rivals.map(toSixDecimals) } : rounded };
    } catch (failure) {
      if (failure instanceof AppError) return jobs.failureAnswer(failure);
      throw failure;
    }
  }
}

/** @throws unavailable where the bytes of the photos are gone */
function photosOf({ images }: jobs.VisionJob, attachment: Buffer | null): Photos['images'] {
  const length = images.reduce((sum, { bytes }) => sum + bytes, 0);
  // A Redis restored to an earlier state may have lost the answer, and the bytes are deleted.
  if (attachment?.length !== length) throw unavailable('The queue lost the photo.', 1);
  let at = 0;
  return images.map(({ bytes, digest, size }) => {
    at += bytes;
    const part = attachment.subarray(at - bytes, at);
    return size ? { ...size, pixels: part, digest } : { jpeg: part, digest };
  });
}

/** So that the answer for one photo takes five kilobytes, and for five photos eighty. */
const toSixDecimals = ({ imageId, products, distance, byView }: CatalogNeighbour): CatalogNeighbour => {
  const rounded = (each: number): number => Number(each.toFixed(6));
  const neighbour = { imageId, products, distance: rounded(distance) };
  return byView ? { byView: byView.map(rounded), ...neighbour } : neighbour;
};
