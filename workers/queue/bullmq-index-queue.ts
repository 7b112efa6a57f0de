import { randomUUID } from 'node:crypto';
import { DelayedError, type Job, type JobsOptions, WaitingError } from 'bullmq';
import { AppError, unavailable } from '../../models/errors';
import type { CatalogImage } from '../../models/indexing/embedding-version';
import type { IndexQueue } from '../../models/ports';
import { ModelRefused } from '../embedder/model-folder';
import type { ImageIndex, IndexOutcome } from '../index-images';
import { type BullMqOptions, BullMqProducer } from './bullmq-producer';
import { BullMqConsumer } from './bullmq-worker';
import * as jobs from './job';
import { race } from './race';

const JOB: JobsOptions = {
  attempts: 3,
  backoff: { type: 'exponential', delay: 250 },
  removeOnComplete: { age: 600, count: 1_000 },
  removeOnFail: { age: 86_400, count: 1_000 },
};

/** Jobs of one call in Redis at the same time: enough for a few hosts, whatever the size of the catalog. */
const JOBS_AT_ONCE = 16;

/** How often an unanswered job is looked up, in case the event of its end was lost. */
const LOOK_EVERY_MS = 15_000;

export class BullMqIndexQueue extends BullMqProducer implements IndexQueue {
  readonly isShared = true;

  constructor(options: BullMqOptions) {
    super(jobs.INDEX_QUEUE, options);
  }

  /** Waits for the workers without a limit. @throws unavailable without a queue, internalError for a job that failed permanently */
  embed(versionId: number, images: readonly CatalogImage[]): Promise<IndexOutcome> {
    return jobs.embedInJobs(images, JOBS_AT_ONCE, (part) => this.#embed(versionId, part));
  }

  async #embed(versionId: number, images: readonly CatalogImage[]): Promise<IndexOutcome> {
    const jobId = randomUUID();
    const job: jobs.IndexJob = { v: jobs.PAYLOAD_VERSION, versionId, images };
    try {
      const { answer } = await this.ask(jobId, job, JOB);
      for (;;) {
        const waited = await race(answer, LOOK_EVERY_MS);
        if (waited.kind === 'answered') return jobs.indexOutcomeOf(waited.value);
        // While Redis is unreachable, job and answer wait there.
        const state = await this.stateOf(jobId).catch(() => 'unfinished');
        if (state === 'gone') throw unavailable('The queue lost the work on catalog images.', 1);
      }
    } finally {
      this.forget(jobId);
    }
  }
}

/** The second job uses the time in which the first downloads pictures. Jobs of a dead worker are taken over within seconds. */
const SETTINGS = { concurrency: 2, maxStalledCount: 5, lockDuration: 10_000, stalledInterval: 5_000 };

/** A worker without the model returns the job for this long, for others that have it. */
const MODEL_MISSING_MS = 2_000;

/** The consumer of the index queue on Redis. When it closes, jobs stop between two images and return to the queue. */
export class BullMqIndexWorker extends BullMqConsumer<jobs.IndexJob, jobs.IndexAnswer> {
  constructor(
    private readonly index: ImageIndex,
    private readonly options: BullMqOptions,
  ) {
    super(jobs.INDEX_QUEUE, SETTINGS, options);
  }

  protected async answer(
    job: Job<jobs.IndexJob, jobs.IndexAnswer>,
    token?: string,
    signal: AbortSignal = new AbortController().signal,
  ): Promise<jobs.IndexAnswer> {
    const started = performance.now();
    const log = (outcome: object): void => {
      const elapsedMs = Math.round(performance.now() - started);
      this.options.logger.info({ jobId: job.id, ...outcome, elapsedMs }, 'catalog images');
    };
    try {
      jobs.assertReadable(job.data);
      const { versionId, images } = job.data;
      const { embedded, failed } = await this.index.index(versionId, images, signal);
      log({ embedded, failed });
      return { ok: true, value: { embedded, failed } };
    } catch (failure) {
      // A deleted version is an answer, as retrying is useless; everything else is thrown.
      if (failure instanceof AppError && failure.code === 'not_found') {
        log({ failure: failure.code });
        return jobs.failureAnswer(failure);
      }
      if (failure instanceof ModelRefused && !signal.aborted) {
        this.options.logger.warn(
          { jobId: job.id, reason: failure.message },
          'catalog images are left to others',
        );
        await job.moveToDelayed(Date.now() + MODEL_MISSING_MS, token);
        throw new DelayedError();
      }
      if (!signal.aborted) throw failure;
      await job.moveToWait(token);
      throw new WaitingError();
    }
  }
}
