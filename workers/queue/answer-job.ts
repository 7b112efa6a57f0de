import { AppError, timeout, unavailable } from '../../models/errors';
import type { ImageIndex } from '../index-images';
import type { PhotoPipeline } from '../pipeline';
import {
  answerWith,
  failureAnswer,
  type IndexAnswer,
  indexAnswerWith,
  parseIndexJob,
  parseVisionJob,
  type VisionAnswer,
} from './job';

/**
 * What a worker returns for a photo. A failure that another try would not mend is an answer too; the rest is thrown,
 * for BullMQ to try again. A photo for which nobody waits any more is dropped.
 */
export function answerPhoto(data: unknown, pipeline: PhotoPipeline, now: number): Promise<VisionAnswer> {
  return asAnswer(
    async () => {
      const job = parseVisionJob(data);
      if (now >= job.deadlineAt) throw timeout(job.deadlineAt - job.askedAt);
      // It was answered, and a Redis that came back from before knows the photo's end and not its answer.
      if (job.jpeg === '') throw unavailable('The queue lost the photo.', 1);
      const jpeg = Buffer.from(job.jpeg, 'base64');
      const queueMs = Math.max(0, now - job.askedAt);
      const { limit, trace } = job;
      return answerWith(await pipeline.neighbours({ jpeg, limit, queueMs, trace }));
    },
    () => true,
  );
}

/** What a worker returns for images of the catalog. Only a version that is gone is past mending; the rest is thrown. */
export function answerImages(data: unknown, index: ImageIndex, signal: AbortSignal): Promise<IndexAnswer> {
  return asAnswer(
    async () => {
      const { versionId, images } = parseIndexJob(data);
      return indexAnswerWith(await index.index(versionId, images, signal));
    },
    ({ code }) => code === 'not_found',
  );
}

async function asAnswer<Answer>(
  work: () => Promise<Answer>,
  isAnswer: (failure: AppError) => boolean,
): Promise<Answer | ReturnType<typeof failureAnswer>> {
  try {
    return await work();
  } catch (failure) {
    if (failure instanceof AppError && isAnswer(failure)) return failureAnswer(failure);
    throw failure;
  }
}
