import type { IRouter, Request } from 'express';
import type { z } from 'zod';
import { legacyVisionPrice } from '../../models/access/credits';
import { badRequest } from '../../models/errors';
import type { ApiServices, ApiSettings } from '../api-services';
import { callerOf } from '../middleware/call';
import type { Route } from '../middleware/charged-answer';
import type { Endpoints } from '../middleware/endpoints';
import { linksOf } from '../middleware/links';
import { mountRoute } from '../middleware/mount-route';
import { PATHS } from '../paths';
import { photosOf, takeBody } from '../wire/photos';
import { tellStages, type VisionObserver } from '../wire/vision-stages';
import type { legacyVisionAnswer } from './answers';
import { presentLegacyMatch, presentLegacyPage } from './presenter';
import { type LegacyParameters, legacyIdentifyBody, toLegacyQuery } from './schema';

/** The APIs of older integrations (contract 8.1): their wire forms around the same services. */
export function mountLegacy(
  router: IRouter,
  { read, once, photo }: Endpoints,
  services: ApiServices,
  settings: ApiSettings,
  metrics: VisionObserver,
): void {
  mountRoute(router, PATHS.searchProductsV1, {
    get: read('v1.products', 'catalog:read', 'any', listProducts(services, settings, queryParameters)),
  });
  mountRoute(router, PATHS.searchProductsV2, {
    post: once(
      'v2.products',
      'catalog:read',
      'json',
      listProducts(services, settings, (req) => req.body),
    ),
  });
  mountRoute(router, PATHS.identifyV2, { post: photo('v2.vision', identify(services, settings, metrics)) });
}

/** Those of v1: a kind of rows that is given twice is no kind, and must not become the default. */
function queryParameters({ query }: Request): LegacyParameters {
  if (!Array.isArray(query['attribute'])) return query;
  throw badRequest('attribute: is given more than once.', { field: 'attribute' });
}

function listProducts(
  services: ApiServices,
  settings: ApiSettings,
  parametersOf: (req: Request) => LegacyParameters,
): Route {
  return async (req, res) => {
    const { catalog } = services;
    const caller = callerOf(res);
    const [taxonomy, facetFields] = await Promise.all([
      catalog.taxonomy(caller),
      catalog.facetFields(caller),
    ]);
    const known = { taxonomy, facetFields, pageSizeMax: settings.pageSizeMax };
    const query = toLegacyQuery(parametersOf(req), known);
    const links = linksOf(req, services, settings);
    return {
      page: { rows: query.pageSize, priced: true },
      make: async (call) => {
        const options = { pricing: true, categoryRule: 'unknown-is-empty' } as const;
        const { value, price } = await catalog.search(call, query, options);
        return { value: presentLegacyPage(value, query.text ?? '', links), price };
      },
    };
  };
}

function identify(services: ApiServices, settings: ApiSettings, metrics: VisionObserver): Route {
  return (req, res) => {
    const { body, cut } = takeBody(req, legacyIdentifyBody);
    const { photos } = photosOf(body, cut);
    const links = linksOf(req, services, settings);
    const options = { category: null, filters: [], pricing: true, explain: false, minConfidence: null };
    const request = { photos, ...options, price: legacyVisionPrice() };
    return {
      photos: photos.length,
      make: async (call) => {
        const { value, price: worth } = await services.vision.identify(call, request);
        tellStages(res, metrics, value);
        const answer: z.input<typeof legacyVisionAnswer> = {
          success: true,
          results: value.items.map((match) => presentLegacyMatch(match, links)),
          processingTime: value.totalMs,
          predictionId: value.predictionId,
        };
        return { value: answer, price: worth };
      },
    };
  };
}
