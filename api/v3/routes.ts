import type { IRouter, RequestHandler } from 'express';
import { visionPrice } from '../../models/access/credits';
import type { ApiServices, ApiSettings } from '../api-services';
import { callOf } from '../http/call';
import { setCreditHeaders } from '../http/credit-headers';
import type { Gates } from '../http/gates';
import { mountRoute } from '../http/mount-route';
import { refuseBrokenText } from '../http/parse-json-object';
import { pathParameter } from '../http/path-parameter';
import { publicAddress } from '../http/public-address';
import { validate } from '../http/validate';
import { PATHS } from '../paths';
import type { PhotoIdentifier } from '../vision/identify-photo';
import { takePhoto } from '../vision/take-photo';
import { presentEnvelope, presentItem } from './presenter';
import {
  catalogQueryBody,
  effectiveModules,
  identifyBody,
  modulesOfQuery,
  toCatalogQuery,
  usesDeprecatedIds,
} from './schema';

/** The current API with its `/api/v3` aliases (interface.md 4.1-4.3, 9). */
export function mountV3(
  router: IRouter,
  gates: Gates,
  services: ApiServices,
  settings: ApiSettings,
  identifyPhoto: PhotoIdentifier,
): void {
  mountRoute(router, PATHS.queryCatalog, {
    post: [...gates.json('v3'), queryCatalog(services, settings)],
  });
  mountRoute(router, PATHS.showItem, {
    get: [...gates.key('v3'), showItem(services, settings)],
  });
  mountRoute(router, PATHS.identify, {
    post: [...gates.photo('v3'), identify(settings, identifyPhoto)],
  });
}

function queryCatalog(services: ApiServices, settings: ApiSettings): RequestHandler {
  return async (req, res) => {
    if (usesDeprecatedIds(req.body)) res.setHeader('Deprecation', 'true');
    const body = validate(catalogQueryBody, req.body);
    const modules = effectiveModules(body.includes);
    const billed = await services.catalog.search(
      callOf(req, res, 'v3.catalog.query'),
      toCatalogQuery(body, settings.pageSizeMax),
      { pricing: modules.includes('pricing'), categoryRule: 'refuse-unknown' },
    );
    const view = { modules, address: publicAddress(req, settings.publicUrl) };
    setCreditHeaders(res, billed);
    const { rows, ...page } = billed.value;
    const data = rows.map((row) => presentItem(row, view));
    res.json(presentEnvelope({ ...page, data, creditsUsed: billed.creditsUsed, modules }));
  };
}

function showItem(services: ApiServices, settings: ApiSettings): RequestHandler {
  return async (req, res) => {
    const modules = modulesOfQuery(req.query['includes']);
    const id = pathParameter(req, 'id');
    refuseBrokenText(id, 'id');
    const call = callOf(req, res, 'v3.catalog.item');
    const billed = await services.catalog.item(call, id, { pricing: modules.includes('pricing') });
    const { item, resolvedTaxonomy } = billed.value;
    const data = [presentItem(item, { modules, address: publicAddress(req, settings.publicUrl) })];
    const answer = { data, total: 1, page: 0, totalPages: 1, modules, resolvedTaxonomy };
    setCreditHeaders(res, billed);
    res.json(presentEnvelope({ ...answer, creditsUsed: billed.creditsUsed }));
  };
}

function identify(settings: ApiSettings, identifyPhoto: PhotoIdentifier): RequestHandler {
  return async (req, res) => {
    const { image, parameters } = takePhoto(req, res, identifyBody);
    const modules = effectiveModules(parameters.includes);
    const pricing = modules.includes('pricing');
    const billed = await identifyPhoto(req, res, 'v3.vision.identify', image, {
      pricing,
      price: visionPrice({ pricing }),
    });
    const { items, resolvedTaxonomy } = billed.value;
    const view = { modules, address: publicAddress(req, settings.publicUrl) };
    const data = items.map(({ item, confidence }) => presentItem(item, view, confidence));
    const totalPages = data.length === 0 ? 0 : 1;
    const answer = { data, total: data.length, page: 0, totalPages, modules, resolvedTaxonomy };
    res.json(presentEnvelope({ ...answer, creditsUsed: billed.creditsUsed }));
  };
}
