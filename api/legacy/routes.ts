import type { IRouter, Request, RequestHandler } from 'express';
import { legacyVisionPrice } from '../../models/access/credits';
import type { ApiServices, ApiSettings } from '../api-services';
import { callOf } from '../http/call';
import { setCreditHeaders } from '../http/credit-headers';
import type { Gates } from '../http/gates';
import { mountRoute } from '../http/mount-route';
import { publicAddress } from '../http/public-address';
import { PATHS } from '../paths';
import type { PhotoIdentifier } from '../vision/identify-photo';
import { takePhoto } from '../vision/take-photo';
import { presentLegacyMatch, presentLegacyPage } from './presenter';
import { type LegacyParameters, legacyIdentifyBody, toLegacyQuery } from './schema';

/** The APIs of older integrations (interface.md 4.4-4.6): their wire forms around the same services. */
export function mountLegacy(
  router: IRouter,
  gates: Gates,
  services: ApiServices,
  settings: ApiSettings,
  identifyPhoto: PhotoIdentifier,
): void {
  mountRoute(router, PATHS.listProductsV1, {
    get: [...gates.key('v1'), listProducts(services, settings, 'v1.products', (req) => req.query)],
  });
  mountRoute(router, PATHS.listProductsV2, {
    post: [...gates.json('v2'), listProducts(services, settings, 'v2.products', (req) => req.body)],
  });
  mountRoute(router, PATHS.identifyV2, {
    post: [...gates.photo('v2'), identify(settings, identifyPhoto)],
  });
}

function listProducts(
  { catalog }: ApiServices,
  settings: ApiSettings,
  endpoint: string,
  parametersOf: (req: Request) => LegacyParameters,
): RequestHandler {
  return async (req, res) => {
    const [taxonomy, facetFields] = await Promise.all([catalog.taxonomy(), catalog.facetFields()]);
    const known = { taxonomy, facetFields, pageSizeMax: settings.pageSizeMax };
    const { query, search } = toLegacyQuery(parametersOf(req), known);
    const billed = await catalog.search(callOf(req, res, endpoint), query, {
      pricing: true,
      categoryRule: 'unknown-is-empty',
    });
    setCreditHeaders(res, billed);
    res.json(presentLegacyPage(billed.value, search, publicAddress(req, settings.publicUrl)));
  };
}

function identify(settings: ApiSettings, identifyPhoto: PhotoIdentifier): RequestHandler {
  return async (req, res) => {
    const { image } = takePhoto(req, res, legacyIdentifyBody);
    const price = legacyVisionPrice();
    const { value } = await identifyPhoto(req, res, 'v2.vision', image, { pricing: true, price });
    const address = publicAddress(req, settings.publicUrl);
    res.json({
      success: true,
      results: value.items.map((match) => presentLegacyMatch(match, address)),
      processingTime: value.totalMs,
      predictionId: value.predictionId,
    });
  };
}
