import type { z } from 'zod';
import { TEXT_PIECE } from '../../models/ports';
import { type EntryState, jobStatus, type VisionJob } from '../../models/vision/jobs/vision-job';
import { type EntryPresenter, type VisionJobService } from '../../models/vision/jobs/vision-job-service';
import type { ApiServices, ApiSettings } from '../api-services';
import { byPathId, free, type Routes } from '../middleware/charged-answer';
import { classifyFailure, errorBody } from '../middleware/error-handler';
import { addressBehind, fileSigner, type LinkRenewal, linkRenewal, publicAddress } from '../middleware/links';
import { countTestCalls } from '../middleware/rate-limit';
import { StreamedJson } from '../middleware/send-answer';
import { readVisionBody } from '../wire/photos';
import type { jobAnswer } from './answers';
import { presentIdentification, viewOf } from './presenter';
import { signalDeprecation } from './schema';
import { jobBody, toIdentification } from './vision-schema';

/** Identifications that are answered later (contract 16). */
export function jobRoutes(services: ApiServices, settings: ApiSettings) {
  const { jobs } = services;
  const renewLinks = linkRenewal(services);
  const presented = async (job: Promise<VisionJob>) => presentJob(await job, jobs, renewLinks);
  return {
    createJob: async (req, res) => {
      const { body, extracted } = readVisionBody(req, jobBody, (given) => signalDeprecation(res, given));
      const entries = body.entries.map((each, at) => toIdentification(each, extracted, `entries.${at}.`));
      const includes = [...new Set(body.includes)];
      const address = publicAddress(req, settings);
      const baseUrl = address('/').slice(0, -1);
      const { bodyDigest } = res.locals;
      // The call itself is already counted: it stands for the first entry.
      await countTestCalls(services, res, entries.length - 1, settings.limits);
      res.status(202);
      return free(async (call) => {
        const job = await jobs.create(call, { entries, includes, baseUrl, bodyDigest });
        res.location(address(`/v3/vision/jobs/${job.id}`));
        return presentJob(job, jobs, renewLinks);
      });
    },
    getJob: byPathId((id, { caller }) => presented(jobs.show(caller, id))),
    cancelJob: byPathId((id, { caller }) => presented(jobs.cancel(caller, id))),
  } satisfies Partial<Routes>;
}

/** The answers of entries, as those of calls. @param imageBaseUrl base of the image addresses, if images have their own */
export const entryPresenter = (
  services: Pick<ApiServices, 'signer' | 'clock'>,
  imageBaseUrl: string | undefined,
): EntryPresenter => ({
  answer: (found, creditsUsed, { includes, baseUrl }) => {
    const links = { address: addressBehind(baseUrl, imageBaseUrl), sign: fileSigner(services) };
    return { success: true, ...presentIdentification(found, creditsUsed, viewOf(includes, links)) };
  },
  refusal: (failure, requestId) => {
    const error = classifyFailure(failure);
    return { status: error.status, body: errorBody(error, requestId) };
  },
});

/** A job (contract 16.2). Its answers are read as the caller reads them, with freshly signed links. */
function presentJob(job: VisionJob, jobs: Pick<VisionJobService, 'answers'>, renewLinks: LinkRenewal) {
  const batches = batchesOf(job.entries);
  const states = job.entries.map(({ state, predictionId }) => ({
    state,
    prediction_id: predictionId,
    answer: null,
  }));
  const text = async function* (): AsyncGenerator<string> {
    yield `${JSON.stringify(headOf(job)).slice(0, -1)},"data":[`;
    for (const { from, until } of batches) {
      const answers = await jobs.answers(job, from, until);
      for (const [at, state] of states.slice(from, until).entries()) {
        const answer = answers[at] ?? null;
        yield `${from + at === 0 ? '' : ','}${JSON.stringify(state).slice(0, -'null}'.length)}`;
        yield answer === null ? 'null' : renewLinks(answer);
        yield '}';
      }
    }
    yield ']}';
  };
  const kept = { ...headOf(job), data: states };
  return new StreamedJson(text(), Math.max(...batches.map(({ bytes }) => bytes)), kept);
}

function headOf({ id, createdAt, entries }: VisionJob): Omit<z.input<typeof jobAnswer>, 'data'> {
  const inState = (wanted: EntryState) => entries.filter(({ state }) => state === wanted).length;
  return {
    success: true,
    id,
    status: jobStatus(entries),
    created_at: createdAt.toISOString(),
    total: entries.length,
    done: inState('done'),
    failed: inState('failed'),
    cancelled: inState('cancelled'),
    credits_used: entries.reduce((sum, { creditsUsed }) => sum + creditsUsed, 0),
  };
}

/** Entries whose answers are read at once; a large answer is read alone. */
function batchesOf(entries: VisionJob['entries']) {
  const batches: { from: number; until: number; bytes: number }[] = [];
  for (const [position, { answerBytes }] of entries.entries()) {
    const last = batches.at(-1);
    if (last && last.bytes + answerBytes <= TEXT_PIECE) {
      last.until = position + 1;
      last.bytes += answerBytes;
    } else batches.push({ from: position, until: position + 1, bytes: answerBytes });
  }
  return batches;
}
