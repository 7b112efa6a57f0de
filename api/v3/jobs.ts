import type { IRouter, RequestHandler } from 'express';
import type { CallContext } from '../../models/access/billing';
import type { VisionJob } from '../../models/vision/jobs/vision-job';
import type { ApiServices, ApiSettings } from '../api-services';
import type { AnswerCharged } from '../middleware/charged-answer';
import type { EndpointMiddleware } from '../middleware/endpoint-middleware';
import { mountRoute } from '../middleware/mount-route';
import { refuseBrokenText } from '../middleware/parse-json-object';
import { pathParameter } from '../middleware/path-parameter';
import { publicAddress } from '../middleware/public-address';
import { linkRenewal } from '../middleware/renew-links';
import { PATHS } from '../paths';
import { photosOf, takeBody } from '../vision/take-photos';
import { presentJob } from './job-presenter';
import { effectiveModules, jobBody, toFilter } from './schema';

/** Identifications that are answered later (contract 16). */
export function mountJobs(
  router: IRouter,
  middleware: EndpointMiddleware,
  services: ApiServices,
  settings: ApiSettings,
  answer: AnswerCharged,
): void {
  const { jobs, signer, clock } = services;
  const renewLinks = linkRenewal(signer, clock);
  const about = (work: (call: CallContext, id: string) => Promise<VisionJob>): RequestHandler => {
    return async (req, res) => {
      const id = pathParameter(req, 'id');
      refuseBrokenText(id, 'id');
      await answer(req, res, 'v3.vision.jobs', async (call) => ({
        value: presentJob(await work(call, id), renewLinks),
        price: 0,
      }));
    };
  };
  mountRoute(router, PATHS.createJob, {
    post: [...middleware.job('v3'), createJob(services, settings, answer)],
  });
  mountRoute(router, PATHS.showJob, {
    get: [...middleware.jobAnswer('v3'), about(({ caller }, id) => jobs.show(caller.accountId, id))],
    delete: [...middleware.jobAnswer('v3'), about(({ caller }, id) => jobs.cancel(caller.accountId, id))],
  });
}

function createJob(
  { jobs, signer, clock }: ApiServices,
  settings: ApiSettings,
  answer: AnswerCharged,
): RequestHandler {
  const renewLinks = linkRenewal(signer, clock);
  return async (req, res) => {
    const { body, cut } = takeBody(req, res, jobBody);
    const entries = body.entries.map((each, position) => {
      const { photos, parameters } = photosOf(each, cut, `entries.${position}.`);
      const { category_id: category = null, filters, explain } = parameters;
      return { photos, category, filters: filters.map(toFilter), explain };
    });
    const includes = effectiveModules(body.includes);
    const baseUrl = publicAddress(req, settings)('/').slice(0, -1);
    res.status(202);
    await answer(req, res, 'v3.vision.jobs', async (call) => {
      const { bodyDigest } = res.locals;
      const job = await jobs.create(call, { entries, includes, baseUrl, bodyDigest });
      return { value: presentJob(job, renewLinks), price: 0 };
    });
  };
}
