import type { IRouter } from 'express';
import type { CallContext } from '../../models/access/billing';
import type { VisionJob } from '../../models/vision/jobs/vision-job';
import type { ApiServices, ApiSettings } from '../api-services';
import { free, type Route } from '../middleware/charged-answer';
import type { Endpoints } from '../middleware/endpoints';
import { type LinkRenewal, linkRenewal, publicAddress } from '../middleware/links';
import { mountRoute } from '../middleware/mount-route';
import { countTestCalls } from '../middleware/rate-limit';
import { idOf } from '../middleware/request-address';
import { PATHS } from '../paths';
import { takeBody } from '../wire/photos';
import { presentJob } from './job-presenter';
import { signalDeprecation } from './schema';
import { jobBody, toIdentification } from './vision-schema';

const ENDPOINT = 'v3.vision.jobs';
const SCOPE = 'vision:identify';

/** Identifications that are answered later (contract 16). */
export function mountJobs(
  router: IRouter,
  { read, once }: Endpoints,
  services: ApiServices,
  settings: ApiSettings,
): void {
  const { jobs } = services;
  const renewLinks = linkRenewal(services);
  const about =
    (work: (call: CallContext, id: string) => Promise<VisionJob>): Route =>
    (req) => {
      const id = idOf(req);
      return free(async (call) => presentJob(await work(call, id), jobs, renewLinks));
    };
  mountRoute(router, PATHS.createJob, {
    post: once(ENDPOINT, SCOPE, 'job', createJob(services, settings, renewLinks)),
  });
  mountRoute(router, PATHS.getJob, {
    get: read(
      ENDPOINT,
      SCOPE,
      {},
      about(({ caller }, id) => jobs.show(caller, id)),
    ),
    delete: once(
      ENDPOINT,
      SCOPE,
      'none',
      about(({ caller }, id) => jobs.cancel(caller, id)),
    ),
  });
}

function createJob(services: ApiServices, settings: ApiSettings, renewLinks: LinkRenewal): Route {
  const { jobs } = services;
  return async (req, res) => {
    const { body, cut } = takeBody(req, jobBody, (given) => signalDeprecation(res, given));
    const entries = body.entries.map((each, at) => toIdentification(each, cut, `entries.${at}.`));
    const includes = [...new Set(body.includes)];
    const address = publicAddress(req, settings);
    const baseUrl = address('/').slice(0, -1);
    const { bodyDigest } = res.locals;
    // The call itself is counted: it stands for the first entry.
    await countTestCalls(services, res, entries.length - 1, settings.limits);
    res.status(202);
    return free(async (call) => {
      const job = await jobs.create(call, { entries, includes, baseUrl, bodyDigest });
      res.location(address(`/v3/vision/jobs/${job.id}`));
      return presentJob(job, jobs, renewLinks);
    });
  };
}
