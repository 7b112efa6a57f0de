import { DelayedError, type Job, WaitingError } from 'bullmq';
import { AppError } from '../../models/errors';
import { ModelRefused } from '../embedder/manifest';
import type { ImageIndex } from '../index-images';
import { BullMqConsumer } from './bullmq-consumer';
import type { BullMqOptions } from './bullmq-producer';
import {
  failureAnswer,
  INDEX_QUEUE,
  type IndexAnswer,
  type IndexJob,
  indexAnswerWith,
  parseIndexJob,
} from './job';

/**
 * The pictures of one job wait for one another's downloads; those of a second one fill the gap. The jobs of a worker that
 * died go to another one within seconds, however often that happens.
 */
const SETTINGS = { concurrency: 2, maxStalledCount: 5, lockDuration: 10_000, stalledInterval: 5_000 };

/** A worker that does not have the model leaves the work to those that do, and does not take it back at once. */
const LEFT_TO_OTHERS_MS = 2_000;

/** The answering side of the index queue on Redis. */
export class BullMqIndexWorker {
  readonly #consumer: BullMqConsumer<IndexJob, IndexAnswer>;

  constructor(
    private readonly index: ImageIndex,
    private readonly options: BullMqOptions,
  ) {
    this.#consumer = new BullMqConsumer(
      INDEX_QUEUE,
      (job, token, signal) => this.#answer(job, token, signal),
      SETTINGS,
      options,
    );
  }

  /** Resolves when jobs are taken. */
  ready(): Promise<void> {
    return this.#consumer.ready();
  }

  /** Stops between two images and puts the jobs in work back into the queue. */
  close(): Promise<void> {
    return this.#consumer.close(0);
  }

  async #answer(
    job: Job<IndexJob, IndexAnswer>,
    token?: string,
    signal: AbortSignal = new AbortController().signal,
  ): Promise<IndexAnswer> {
    const started = performance.now();
    const log = (outcome: object): void => {
      const elapsedMs = Math.round(performance.now() - started);
      this.options.logger.info({ jobId: job.id, ...outcome, elapsedMs }, 'catalog images');
    };
    try {
      const { versionId, images } = parseIndexJob(job.data);
      const { embedded, failed } = await this.index.index(versionId, images, signal);
      log({ embedded, failed });
      return indexAnswerWith({ embedded, failed });
    } catch (failure) {
      // Another try would not bring back a version that is gone: it is an answer, and the rest is thrown.
      if (failure instanceof AppError && failure.code === 'not_found') {
        log({ failure: failure.code });
        return failureAnswer(failure);
      }
      if (failure instanceof ModelRefused && !signal.aborted) {
        this.options.logger.warn(
          { jobId: job.id, reason: failure.message },
          'catalog images are left to others',
        );
        await job.moveToDelayed(Date.now() + LEFT_TO_OTHERS_MS, token);
        throw new DelayedError();
      }
      if (!signal.aborted) throw failure;
      await job.moveToWait(token);
      throw new WaitingError();
    }
  }
}
