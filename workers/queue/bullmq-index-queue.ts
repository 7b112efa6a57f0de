import { randomUUID } from 'node:crypto';
import type { JobsOptions } from 'bullmq';
import pMap from 'p-map';
import { unavailable } from '../../models/errors';
import type { CatalogImage } from '../../models/indexing/embedding-version';
import type { IndexQueue } from '../../models/ports';
import type { IndexOutcome } from '../index-images';
import { type BullMqOptions, BullMqProducer } from './bullmq-producer';
import { INDEX_JOB_IMAGES, INDEX_QUEUE, indexJobOf, indexOutcomeOf, slices } from './job';
import { race } from './race';

const JOB: JobsOptions = {
  attempts: 3,
  backoff: { type: 'exponential', delay: 250 },
  removeOnComplete: { age: 600, count: 1_000 },
  removeOnFail: { age: 86_400, count: 1_000 },
};

/** Jobs of one call in Redis at the same time: enough for a few hosts, whatever the size of the catalog. */
const JOBS_AT_ONCE = 16;

/** How often an unanswered job is looked up, in case word of its end was lost. */
const LOOK_EVERY_MS = 15_000;

/** The asking side of the index queue on Redis. */
export class BullMqIndexQueue implements IndexQueue {
  readonly isShared = true;
  readonly #caller: BullMqProducer;

  constructor(options: BullMqOptions) {
    this.#caller = new BullMqProducer(INDEX_QUEUE, options);
  }

  /** Resolves when work can be added; before that `embed` fails with `unavailable`. */
  ready(): Promise<void> {
    return this.#caller.ready();
  }

  /**
   * Waits for the workers, however long they take.
   *
   * @throws unavailable when the queue is away or closed, internalError when a job failed for good
   */
  async embed(versionId: number, images: readonly CatalogImage[]): Promise<IndexOutcome> {
    const embed = (slice: CatalogImage[]) => this.#embed(versionId, slice);
    const outcomes = await pMap(slices(images, INDEX_JOB_IMAGES), embed, { concurrency: JOBS_AT_ONCE });
    return outcomes.reduce(
      (total, { embedded, failed }) => ({
        embedded: total.embedded + embedded,
        failed: total.failed + failed,
      }),
      { embedded: 0, failed: 0 },
    );
  }

  close(): Promise<void> {
    return this.#caller.close();
  }

  async #embed(versionId: number, images: CatalogImage[]): Promise<IndexOutcome> {
    const jobId = randomUUID();
    const { added, answer } = this.#caller.ask(jobId, indexJobOf(versionId, images), JOB);
    try {
      await added;
      for (;;) {
        const waited = await race(answer, LOOK_EVERY_MS);
        if (waited.kind === 'answered') return indexOutcomeOf(waited.value);
        // While Redis is away the job waits there, and so does its answer.
        const state = await this.#caller.look(jobId).catch(() => 'unfinished');
        if (state === 'gone') throw unavailable('The queue lost the work on catalog images.', 1);
      }
    } finally {
      this.#caller.forget(jobId);
    }
  }
}
