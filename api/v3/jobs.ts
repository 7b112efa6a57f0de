import type { VisionJob } from '../../models/vision/jobs/vision-job';
import type { ApiServices, ApiSettings } from '../api-services';
import { byPathId, free, type Routes } from '../middleware/charged-answer';
import { linkRenewal, publicAddress } from '../middleware/links';
import { countTestCalls } from '../middleware/rate-limit';
import { readVisionBody } from '../wire/photos';
import { presentJob } from './job-presenter';
import { signalDeprecation } from './schema';
import { jobBody, toIdentification } from './vision-schema';

/** Identifications that are answered later (contract 16). */
export function jobRoutes(services: ApiServices, settings: ApiSettings) {
  const { jobs } = services;
  const renewLinks = linkRenewal(services);
  const presented = async (job: Promise<VisionJob>) => presentJob(await job, jobs, renewLinks);
  return {
    createJob: async (req, res) => {
      const { body, cut } = readVisionBody(req, jobBody, (given) => signalDeprecation(res, given));
      const entries = body.entries.map((each, at) => toIdentification(each, cut, `entries.${at}.`));
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
