import { DelayedError, type Job, WaitingError } from 'bullmq';
import { ModelRefused } from '../embedder/manifest';
import type { ImageIndex } from '../index-images';
import { answerImages } from './answer-job';
import { BullMqConsumer } from './bullmq-consumer';
import type { BullMqOptions } from './bullmq-producer';
import { INDEX_QUEUE, type IndexAnswer, type IndexJob } from './job';

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
    try {
      const answer = await answerImages(job.data, this.index, signal);
      const outcome = answer.ok
        ? { embedded: answer.embedded, failed: answer.failed }
        : { failure: answer.error.code };
      const elapsedMs = Math.round(performance.now() - started);
      this.options.logger.info({ jobId: job.id, ...outcome, elapsedMs }, 'catalog images');
      return answer;
    } catch (failure) {
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
