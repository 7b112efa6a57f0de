import type { IRouter, Request, RequestHandler } from 'express';
import { legacyVisionPrice } from '../../models/access/credits';
import type { ApiServices, ApiSettings } from '../api-services';
import { callerOf } from '../middleware/call';
import type { AnswerCharged } from '../middleware/charged-answer';
import type { EndpointMiddleware } from '../middleware/endpoint-middleware';
import { mountRoute } from '../middleware/mount-route';
import { pageAsked } from '../middleware/page-memory';
import { publicAddress } from '../middleware/public-address';
import { PATHS } from '../paths';
import type { PhotoIdentifier } from '../vision/identify-photo';
import { takePhotos } from '../vision/take-photos';
import { presentLegacyMatch, presentLegacyPage } from './presenter';
import { type LegacyParameters, legacyIdentifyBody, toLegacyQuery } from './schema';

/** The APIs of older integrations (contract 8.1): their wire forms around the same services. */
export function mountLegacy(
  router: IRouter,
  middleware: EndpointMiddleware,
  services: ApiServices,
  settings: ApiSettings,
  identifyPhoto: PhotoIdentifier,
  answer: AnswerCharged,
): void {
  const listed = (endpoint: string, parametersOf: (req: Request) => LegacyParameters) =>
    listProducts(services, settings, answer, endpoint, parametersOf);
  mountRoute(router, PATHS.listProductsV1, {
    get: [
      ...middleware.page('v1', ({ query }) => pageAsked(query['page_size'], true, settings.pageSizeMax)),
      listed('v1.products', (req) => req.query),
    ],
  });
  mountRoute(router, PATHS.listProductsV2, {
    post: [
      ...middleware.json('v2', ({ body }) => pageAsked(body.page_size, true, settings.pageSizeMax)),
      listed('v2.products', (req) => req.body),
    ],
  });
  mountRoute(router, PATHS.identifyV2, {
    post: [...middleware.photo('v2'), identify(settings, identifyPhoto, answer)],
  });
}

function listProducts(
  { catalog }: ApiServices,
  settings: ApiSettings,
  answer: AnswerCharged,
  endpoint: string,
  parametersOf: (req: Request) => LegacyParameters,
): RequestHandler {
  return async (req, res) => {
    const caller = callerOf(res);
    const [taxonomy, facetFields] = await Promise.all([
      catalog.taxonomy(caller),
      catalog.facetFields(caller),
    ]);
    const known = { taxonomy, facetFields, pageSizeMax: settings.pageSizeMax };
    const { query, search } = toLegacyQuery(parametersOf(req), known);
    const address = publicAddress(req, settings);
    await answer(req, res, endpoint, async (call) => {
      const options = { pricing: true, categoryRule: 'unknown-is-empty' } as const;
      const { value, price } = await catalog.search(call, query, options);
      return { value: presentLegacyPage(value, search, address), price };
    });
  };
}

function identify(
  settings: ApiSettings,
  identifyPhoto: PhotoIdentifier,
  answer: AnswerCharged,
): RequestHandler {
  return async (req, res) => {
    const { photos } = takePhotos(req, res, legacyIdentifyBody);
    const address = publicAddress(req, settings);
    await answer(req, res, 'v2.vision', async (call) => {
      const request = { photos, category: null, filters: [], pricing: true, explain: false };
      const { value, price } = await identifyPhoto(call, res, { ...request, price: legacyVisionPrice() });
      const body = {
        success: true,
        results: value.items.map((match) => presentLegacyMatch(match, address)),
        processingTime: value.totalMs,
        predictionId: value.predictionId,
      };
      return { value: body, price };
    });
  };
}
