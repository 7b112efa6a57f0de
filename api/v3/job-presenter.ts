import type { z } from 'zod';
import type { EntryPresenter } from '../../models/vision/jobs/entry-presenter';
import { jobStatus } from '../../models/vision/jobs/job-states';
import type { VisionJob } from '../../models/vision/jobs/vision-job';
import type { ApiServices } from '../api-services';
import { classifyFailure, errorBody } from '../middleware/error-handler';
import { addressBehind, fileSigner, type LinkRenewal } from '../middleware/links';
import type { jobAnswer } from './answers';
import { presentIdentification, viewOf } from './presenter';

type PresentedJob = z.input<typeof jobAnswer>;

/**
 * The answers of entries, as those of calls.
 *
 * @param imageBaseUrl base of the addresses of images, where it is not that of all others
 */
export const entryPresenter = (
  services: Pick<ApiServices, 'signer' | 'clock'>,
  imageBaseUrl: string | undefined,
): EntryPresenter => ({
  answer: (found, creditsUsed, { includes, baseUrl }) =>
    presentIdentification(
      found,
      creditsUsed,
      viewOf(includes, { address: addressBehind(baseUrl, imageBaseUrl), sign: fileSigner(services) }),
    ),
  refusal: (failure, requestId) => {
    const error = classifyFailure(failure);
    return { status: error.status, body: errorBody(error, requestId) };
  },
});

/** A job (contract 16.2), with links that are signed for whoever asks now. */
export function presentJob({ id, createdAt, entries }: VisionJob, renewLinks: LinkRenewal): PresentedJob {
  const data = entries.map(({ state, predictionId, answer }) => ({
    state,
    prediction_id: predictionId,
    answer: renewLinks(answer) as PresentedJob['data'][number]['answer'],
  }));
  const inState = (wanted: string) => entries.filter(({ state }) => state === wanted).length;
  return {
    success: true,
    id,
    status: jobStatus(entries),
    created_at: createdAt.toISOString(),
    total: entries.length,
    done: inState('done'),
    failed: inState('failed'),
    cancelled: inState('cancelled'),
    credits_used: data.reduce(
      (sum, { answer }) => sum + (answer && 'credits_used' in answer ? answer.credits_used : 0),
      0,
    ),
    data,
  };
}
