import type { Request } from 'express';
import { legacyVisionPrice } from '../../models/access/credits';
import { badRequest } from '../../models/errors';
import { MATCHES_MAX } from '../../models/vision/matches';
import type { ApiServices, ApiSettings } from '../api-services';
import { callerOf } from '../middleware/call';
import type { Routes } from '../middleware/charged-answer';
import { linksOf } from '../middleware/links';
import type { Metrics } from '../ops/metrics';
import { photosOf, readVisionBody } from '../wire/photos';
import { presentLegacyIdentification, presentLegacyPage } from './presenter';
import { type LegacyParameters, legacyIdentifyBody, toLegacyQuery } from './schema';

/** The APIs of older integrations (contract 8.1): their wire forms around the same services. */
export const legacyRoutes = (services: ApiServices, settings: ApiSettings, metrics: Metrics) =>
  ({
    searchProductsV1: listProducts(services, settings, ({ query }) => {
      // A row kind that is given twice is invalid, and must not become the default.
      if (!Array.isArray(query['attribute'])) return query;
      throw badRequest('attribute: is given more than once.', { field: 'attribute' });
    }),
    searchProductsV2: listProducts(services, settings, (req) => req.body),
    identifyV2: (req, res) => {
      const { body, extracted } = readVisionBody(req, legacyIdentifyBody);
      const photos = photosOf(body, extracted);
      const links = linksOf(req, services, settings);
      const options = { category: null, filters: [], pricing: true, explain: false, minConfidence: null };
      const request = { photos, ...options, price: legacyVisionPrice() };
      return {
        photos: photos.length,
        page: { rows: MATCHES_MAX, priced: true },
        make: async (call) => {
          const found = await services.vision.identify(call, request);
          metrics.reportIdentification(res, found.value);
          return { ...found, value: presentLegacyIdentification(found.value, links) };
        },
      };
    },
  }) satisfies Partial<Routes>;

function listProducts(
  services: ApiServices,
  settings: ApiSettings,
  parametersOf: (req: Request) => LegacyParameters,
): Routes['searchProductsV1'] {
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
