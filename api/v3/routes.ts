import type { IRouter, Request, RequestHandler } from 'express';
import { visionPrice } from '../../models/access/credits';
import { SUGGESTIONS_MAX } from '../../models/catalog/suggestion';
import { SIMILAR_MAX } from '../../models/vision/candidates';
import type { ApiServices, ApiSettings } from '../api-services';
import type { AnswerCharged } from '../middleware/charged-answer';
import type { EndpointMiddleware } from '../middleware/endpoint-middleware';
import { mountRoute } from '../middleware/mount-route';
import { pageAsked } from '../middleware/page-memory';
import { refuseBrokenText } from '../middleware/parse-json-object';
import { pathParameter } from '../middleware/path-parameter';
import { publicAddress } from '../middleware/public-address';
import { mapped } from '../middleware/send-rows';
import { validate } from '../middleware/validate';
import { PATHS } from '../paths';
import type { PhotoIdentifier } from '../vision/identify-photo';
import { takePhotos } from '../vision/take-photos';
import {
  presentEnvelope,
  presentFeedback,
  presentIdentification,
  presentItem,
  presentItems,
  presentSimilar,
  presentSuggestions,
  wholePage,
} from './presenter';
import {
  catalogQueryBody,
  effectiveModules,
  feedbackBody,
  ITEMS_MAX,
  identifyBody,
  itemsBody,
  modulesOfQuery,
  similarQuery,
  suggestBody,
  toCatalogQuery,
  toFilter,
  usesDeprecatedIds,
} from './schema';
import { showOwnAccount } from './show-account';

/** The current API with its `/api/v3` aliases (contract 4.1, 9.3). */
export function mountV3(
  router: IRouter,
  middleware: EndpointMiddleware,
  services: ApiServices,
  settings: ApiSettings,
  identifyPhoto: PhotoIdentifier,
  answer: AnswerCharged,
): void {
  mountRoute(router, PATHS.queryCatalog, {
    post: [
      ...middleware.json('v3', ({ body }) =>
        pageAsked(body.page_size, [body.includes].flat().includes('pricing'), settings.pageSizeMax),
      ),
      queryCatalog(services, settings, answer),
    ],
  });
  mountRoute(router, PATHS.showItem, {
    get: [...middleware.page('v3', () => ({ rows: 1, priced: true })), showItem(services, settings, answer)],
  });
  mountRoute(router, PATHS.showSimilar, {
    get: [
      ...middleware.page('v3', ({ query }) => similarAsked(query)),
      showSimilar(services, settings, answer),
    ],
  });
  mountRoute(router, PATHS.showItems, {
    post: [
      ...middleware.json('v3', ({ body }) =>
        pageAsked([body.ids].flat().length, [body.includes].flat().includes('pricing'), ITEMS_MAX),
      ),
      showItems(services, settings, answer),
    ],
  });
  mountRoute(router, PATHS.showOwnAccount, {
    get: [...middleware.free('v3'), showOwnAccount(services, settings.limits, answer)],
  });
  mountRoute(router, PATHS.suggest, {
    post: [...middleware.note('v3', 'catalog:read'), suggest(services, answer)],
  });
  mountRoute(router, PATHS.identify, {
    post: [...middleware.photo('v3'), identify(settings, identifyPhoto, answer)],
  });
  mountRoute(router, PATHS.correct, {
    post: [...middleware.note('v3', null), correct(services, answer)],
  });
}

function queryCatalog(
  { catalog }: ApiServices,
  settings: ApiSettings,
  answer: AnswerCharged,
): RequestHandler {
  return async (req, res) => {
    if (usesDeprecatedIds(req.body)) res.setHeader('Deprecation', 'true');
    const body = validate(catalogQueryBody, req.body);
    const modules = effectiveModules(body.includes);
    const query = toCatalogQuery(body, settings.pageSizeMax);
    const view = { modules, address: publicAddress(req, settings) };
    await answer(req, res, 'v3.catalog.query', async (call) => {
      const { value, price } = await catalog.search(call, query, {
        pricing: modules.includes('pricing'),
        categoryRule: 'refuse-unknown',
      });
      const { rows, ...page } = value;
      const data = mapped(rows, (row) => presentItem(row, view));
      return {
        value: presentEnvelope({ ...page, data, results: rows.length, creditsUsed: price, modules }),
        price,
      };
    });
  };
}

function showItem({ catalog }: ApiServices, settings: ApiSettings, answer: AnswerCharged): RequestHandler {
  return async (req, res) => {
    const modules = modulesOfQuery(req.query['includes']);
    const id = pathParameter(req, 'id');
    refuseBrokenText(id, 'id');
    const view = { modules, address: publicAddress(req, settings) };
    await answer(req, res, 'v3.catalog.item', async (call) => {
      const { value, price } = await catalog.item(call, id, { pricing: modules.includes('pricing') });
      const { item, resolvedTaxonomy } = value;
      const data = [presentItem(item, view)];
      const page = { data, ...wholePage(data) };
      return { value: presentEnvelope({ ...page, creditsUsed: price, modules, resolvedTaxonomy }), price };
    });
  };
}

/** The page of unvalidated parameters. */
const similarAsked = (query: Request['query']) =>
  pageAsked(query['size'] ?? SIMILAR_MAX, String(query['includes']).includes('pricing'), SIMILAR_MAX);

function showSimilar({ similar }: ApiServices, settings: ApiSettings, answer: AnswerCharged): RequestHandler {
  return async (req, res) => {
    const { modules, category, size } = similarQuery(req.query);
    const id = pathParameter(req, 'id');
    refuseBrokenText(id, 'id');
    const view = { modules, address: publicAddress(req, settings) };
    await answer(req, res, 'v3.catalog.similar', async (call) => {
      const request = { id, category, size, pricing: modules.includes('pricing') };
      const { value, price } = await similar.similar(call, request);
      const { items, resolvedTaxonomy } = value;
      const data = mapped(items, (row) => presentSimilar(row, view));
      return {
        value: presentEnvelope({ ...wholePage(items), data, creditsUsed: price, modules, resolvedTaxonomy }),
        price,
      };
    });
  };
}

function showItems({ catalog }: ApiServices, settings: ApiSettings, answer: AnswerCharged): RequestHandler {
  return async (req, res) => {
    const { ids, includes } = validate(itemsBody, req.body);
    const modules = effectiveModules(includes);
    const view = { modules, address: publicAddress(req, settings) };
    await answer(req, res, 'v3.catalog.items', async (call) => {
      const { value, price } = await catalog.items(call, ids, { pricing: modules.includes('pricing') });
      const { items, notFound, resolvedTaxonomy } = value;
      const data = mapped(items, (row) => presentItem(row, view));
      const page = { ...wholePage(items), data, creditsUsed: price, modules, resolvedTaxonomy };
      return { value: presentItems(page, notFound), price };
    });
  };
}

function suggest({ suggestions }: ApiServices, answer: AnswerCharged): RequestHandler {
  return async (req, res) => {
    const { query, category_id: category = null, size } = validate(suggestBody, req.body);
    const asked = { query, category, size: Math.min(size, SUGGESTIONS_MAX) };
    await answer(req, res, 'v3.catalog.suggest', async (call) => {
      const found = await suggestions.suggest(call, asked);
      return { value: presentSuggestions(found), price: 0 };
    });
  };
}

function identify(
  settings: ApiSettings,
  identifyPhoto: PhotoIdentifier,
  answer: AnswerCharged,
): RequestHandler {
  return async (req, res) => {
    const { photos, parameters } = takePhotos(req, res, identifyBody);
    const { category_id: category = null, filters, explain, includes } = parameters;
    const modules = effectiveModules(includes);
    const pricing = modules.includes('pricing');
    const price = visionPrice({ pricing, photos: photos.length });
    const request = { photos, category, filters: filters.map(toFilter), pricing, explain, price };
    const view = { modules, address: publicAddress(req, settings) };
    await answer(req, res, 'v3.vision.identify', async (call) => {
      const { value, price: worth } = await identifyPhoto(call, res, request);
      return { value: presentIdentification(value, worth, view), price: worth };
    });
  };
}

function correct({ feedback }: ApiServices, answer: AnswerCharged): RequestHandler {
  return async (req, res) => {
    const { correct_id: correctId, comment = null } = validate(feedbackBody, req.body);
    const id = pathParameter(req, 'id');
    refuseBrokenText(id, 'id');
    await answer(req, res, 'v3.vision.feedback', async ({ caller }) => {
      const kept = await feedback.correct(caller.accountId, id, { correctId, comment });
      return { value: presentFeedback(id, kept), price: 0 };
    });
  };
}
