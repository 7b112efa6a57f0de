import type { Job } from 'bullmq';
import { AppError, timeout, unavailable } from '../../models/errors';
import type { Clock, TraceContext } from '../../models/ports';
import type { PhotoPipeline } from '../pipeline';
import { BullMqConsumer } from './bullmq-consumer';
import type { BullMqOptions } from './bullmq-producer';
import {
  answerWith,
  failureAnswer,
  parseVisionJob,
  VISION_QUEUE,
  type VisionAnswer,
  type VisionJob,
} from './job';
import { race } from './race';

export interface BullMqVisionWorkerOptions extends BullMqOptions {
  readonly clock: Clock;
  /** Photos in work at the same time; see `visionConcurrency`. */
  readonly concurrency: number;
  /** How long `close` lets photos finish before it leaves them to another worker. */
  readonly closeTimeoutMs: number;
}

/** A worker that died is noticed after this, while there is still time for another one to answer. */
const LOCK_MS = 5_000;

/** No photo takes this long; what does is given up. */
const LONGEST_MS = 60_000;

/** The answering side of the vision queue on Redis. */
export class BullMqVisionWorker {
  readonly #consumer: BullMqConsumer<VisionJob, VisionAnswer>;

  constructor(
    private readonly pipeline: PhotoPipeline,
    private readonly options: BullMqVisionWorkerOptions,
  ) {
    const settings = {
      concurrency: options.concurrency,
      lockDuration: LOCK_MS,
      stalledInterval: LOCK_MS / 2,
      maxStalledCount: 1,
    };
    this.#consumer = new BullMqConsumer(
      VISION_QUEUE,
      (job, _token, signal) => this.#answer(job, signal),
      settings,
      options,
      forgetPhoto,
    );
  }

  /** Resolves when photos are taken. */
  ready(): Promise<void> {
    return this.#consumer.ready();
  }

  /** Takes no more photos, finishes those in work, and leaves what takes too long to another worker. */
  close(): Promise<void> {
    return this.#consumer.close(this.options.closeTimeoutMs);
  }

  async #answer(job: Job<VisionJob, VisionAnswer>, signal?: AbortSignal): Promise<VisionAnswer> {
    const { clock, logger } = this.options;
    const started = performance.now();
    const answering = answerPhoto(job.data, this.pipeline, clock.now().getTime());
    const waited = await race(answering, LONGEST_MS, signal);
    if (waited.kind !== 'answered') throw new Error(`the photo is given up: ${waited.kind}`);
    const answer = waited.value;
    const outcome = answer.ok ? 'ok' : answer.error.code;
    const elapsedMs = Math.round(performance.now() - started);
    const { requestId, trace } = job.data;
    logger.info({ requestId, jobId: job.id, outcome, elapsedMs, ...traceField(trace) }, 'photo');
    return answer;
  }
}

/**
 * What a worker returns for a photo. A failure of ours is an answer too; the rest is thrown, for BullMQ to try again. A
 * photo for which nobody waits any more is dropped.
 */
export async function answerPhoto(
  data: unknown,
  pipeline: PhotoPipeline,
  now: number,
): Promise<VisionAnswer> {
  try {
    const { askedAt, deadlineAt, images, limit, scope, trace } = parseVisionJob(data);
    if (now >= deadlineAt) throw timeout(deadlineAt - askedAt);
    // It was answered, and a Redis that came back from before knows the photo's end and not its answer.
    if (images.length === 0) throw unavailable('The queue lost the photo.', 1);
    const queueMs = Math.max(0, now - askedAt);
    return answerWith(
      await pipeline.neighbours({
        images: images.map(({ jpeg, digest }) => ({ jpeg: Buffer.from(jpeg, 'base64'), digest })),
        limit,
        scope,
        queueMs,
        trace,
      }),
    );
  } catch (failure) {
    if (failure instanceof AppError) return failureAnswer(failure);
    throw failure;
  }
}

/** The id of a trace stands between the version and the place in it. */
const traceField = (trace?: TraceContext): object =>
  trace ? { trace_id: trace.traceparent.split('-')[1] } : {};

/** Only the result is kept; and not before it is stored, since until then another worker may have to take over. */
function forgetPhoto(job: Job<VisionJob, VisionAnswer>): void {
  job.updateData({ ...job.data, images: [] }).catch(() => undefined);
}
