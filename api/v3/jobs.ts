import type { IRouter } from 'express';
import type { CallContext } from '../../models/access/billing';
import { JOB_ENTRIES_MAX } from '../../models/vision/jobs/job-states';
import type { VisionJob } from '../../models/vision/jobs/vision-job';
import type { ApiServices, ApiSettings } from '../api-services';
import { free, type Route } from '../middleware/charged-answer';
import type { Endpoints } from '../middleware/endpoints';
import { type LinkRenewal, linkRenewal, publicAddress } from '../middleware/links';
import { mountRoute } from '../middleware/mount-route';
import { idOf } from '../middleware/request-address';
import { PATHS } from '../paths';
import { photosOf, takeBody } from '../wire/photos';
import { presentJob } from './job-presenter';
import { signalDeprecation, toFilter } from './schema';
import { jobBody } from './vision-schema';

const ENDPOINT = 'v3.vision.jobs';

/** Identifications that are answered later (contract 16). */
export function mountJobs(
  router: IRouter,
  { job, plain }: Endpoints,
  services: ApiServices,
  settings: ApiSettings,
): void {
  const { jobs } = services;
  const renewLinks = linkRenewal(services);
  const about = (work: (call: CallContext, id: string) => Promise<VisionJob>) =>
    plain(ENDPOINT, 'vision:identify', (req) => {
      const id = idOf(req);
      const page = { rows: JOB_ENTRIES_MAX, priced: true };
      return { page, ...free(async (call) => presentJob(await work(call, id), renewLinks)) };
    });
  mountRoute(router, PATHS.createJob, { post: job(ENDPOINT, createJob(services, settings, renewLinks)) });
  mountRoute(router, PATHS.getJob, {
    get: about(({ caller }, id) => jobs.show(caller.accountId, id)),
    delete: about(({ caller }, id) => jobs.cancel(caller.accountId, id)),
  });
}

function createJob({ jobs }: ApiServices, settings: ApiSettings, renewLinks: LinkRenewal): Route {
  return (req, res) => {
    const { body, cut } = takeBody(req, jobBody, (given) => signalDeprecation(res, given));
    const entries = body.entries.map((each, position) => {
      const { photos, parameters } = photosOf(each, cut, `entries.${position}.`);
      const { category_id: category = null, filters, explain } = parameters;
      return { photos, category, filters: filters.map(toFilter), explain };
    });
    const includes = [...new Set(body.includes)];
    const address = publicAddress(req, settings);
    const baseUrl = address('/').slice(0, -1);
    const { bodyDigest } = res.locals;
    res.status(202);
    return free(async (call) => {
      const job = await jobs.create(call, { entries, includes, baseUrl, bodyDigest });
      res.location(address(`/v3/vision/jobs/${job.id}`));
      return presentJob(job, renewLinks);
    });
  };
}
