import type { IRouter } from 'express';
import { visionPrice } from '../../models/access/credits';
import { SUGGESTIONS_MAX } from '../../models/catalog/suggestion';
import type { ApiServices, ApiSettings } from '../api-services';
import { free, type Route } from '../middleware/charged-answer';
import type { Endpoints } from '../middleware/endpoints';
import { linksOf } from '../middleware/links';
import { mountRoute } from '../middleware/mount-route';
import { idOf } from '../middleware/request-address';
import { validate } from '../middleware/validate';
import { PATHS } from '../paths';
import { PERIOD } from '../wire/period';
import { photosOf, takeBody } from '../wire/photos';
import { tellStages, type VisionObserver } from '../wire/vision-stages';
import {
  presentFeedback,
  presentFound,
  presentIdentification,
  presentItems,
  presentPage,
  presentSimilar,
  presentSuggestions,
  viewOf,
} from './presenter';
import {
  includesOfQuery,
  itemsBody,
  signalDeprecation,
  similarQuery,
  suggestBody,
  toCatalogQuery,
  toFilter,
} from './schema';
import { showOwnAccount } from './show-account';
import { feedbackBody, identifyBody } from './vision-schema';

const INCLUDES = { lists: ['includes'] };
const SIMILAR = { ...INCLUDES, single: ['category_id', 'size'] };

/** The current API with its `/api/v3` aliases (contract 4.1, 9.3). */
export function mountV3(
  router: IRouter,
  { read, once, photo }: Endpoints,
  services: ApiServices,
  settings: ApiSettings,
  metrics: VisionObserver,
): void {
  mountRoute(router, PATHS.queryCatalog, {
    post: once('v3.catalog.query', 'catalog:read', 'json', queryCatalog(services, settings)),
  });
  mountRoute(router, PATHS.getItem, {
    get: read('v3.catalog.item', 'catalog:read', INCLUDES, showItem(services, settings)),
  });
  mountRoute(router, PATHS.listSimilarItems, {
    get: read('v3.catalog.similar', 'catalog:read', SIMILAR, showSimilar(services, settings)),
  });
  mountRoute(router, PATHS.getItems, {
    post: once('v3.catalog.items', 'catalog:read', 'json', showItems(services, settings)),
  });
  mountRoute(router, PATHS.getOwnAccount, {
    get: read('v3.account', null, { single: PERIOD }, showOwnAccount(services, settings.limits)),
  });
  mountRoute(router, PATHS.suggest, {
    post: once('v3.catalog.suggest', 'catalog:read', 'json', suggest(services)),
  });
  mountRoute(router, PATHS.identify, {
    post: photo('v3.vision.identify', identify(services, settings, metrics)),
  });
  mountRoute(router, PATHS.sendFeedback, {
    post: once('v3.vision.feedback', null, 'json', correct(services)),
  });
}

function queryCatalog(services: ApiServices, settings: ApiSettings): Route {
  return (req, res) => {
    signalDeprecation(res, req.body);
    const { query, includes } = toCatalogQuery(req.body, settings.pageSizeMax);
    const view = viewOf(includes, linksOf(req, services, settings));
    const { pricing } = view;
    return {
      page: { rows: query.pageSize, priced: pricing },
      make: async (call) => {
        const options = { pricing, categoryRule: 'refuse-unknown' } as const;
        const { value, price } = await services.catalog.search(call, query, options);
        return { value: presentPage(value, price, view), price };
      },
    };
  };
}

function showItem(services: ApiServices, settings: ApiSettings): Route {
  return (req) => {
    const view = viewOf(includesOfQuery(req.query['includes']), linksOf(req, services, settings));
    const { pricing } = view;
    const id = idOf(req);
    return {
      page: { rows: 1, priced: pricing },
      make: async (call) => {
        const { value, price } = await services.catalog.item(call, id, { pricing });
        return { value: presentFound(value, price, view), price };
      },
    };
  };
}

function showSimilar(services: ApiServices, settings: ApiSettings): Route {
  return (req) => {
    const { includes, category, size } = similarQuery(req.query);
    const view = viewOf(includes, linksOf(req, services, settings));
    const { pricing } = view;
    const id = idOf(req);
    return {
      page: { rows: size, priced: pricing },
      make: async (call) => {
        const { value, price } = await services.similar.similar(call, { id, category, size, pricing });
        return { value: presentSimilar(value, price, view), price };
      },
    };
  };
}

function showItems(services: ApiServices, settings: ApiSettings): Route {
  return (req) => {
    const { ids, includes } = validate(itemsBody, req.body);
    const view = viewOf(includes, linksOf(req, services, settings));
    const { pricing } = view;
    return {
      page: { rows: ids.length, priced: pricing },
      make: async (call) => {
        const { value, price } = await services.catalog.items(call, ids, { pricing });
        return { value: presentItems(value, price, view), price };
      },
    };
  };
}

function suggest({ suggestions }: ApiServices): Route {
  return (req) => {
    const { query, category_id: category = null, size } = validate(suggestBody, req.body);
    const asked = { query, category, size: Math.min(size, SUGGESTIONS_MAX) };
    return free(async (call) => presentSuggestions(await suggestions.suggest(call, asked)));
  };
}

function identify(services: ApiServices, settings: ApiSettings, metrics: VisionObserver): Route {
  return (req, res) => {
    const body = takeBody(req, identifyBody, (given) => signalDeprecation(res, given));
    const { photos, parameters } = photosOf(body);
    const { category_id: category = null, filters, explain, min_confidence, includes } = parameters;
    const minConfidence = min_confidence ?? null;
    const view = viewOf(includes, linksOf(req, services, settings));
    const { pricing } = view;
    const price = visionPrice({ pricing, photos: photos.length });
    const request = {
      photos,
      category,
      filters: filters.map(toFilter),
      pricing,
      explain,
      minConfidence,
      price,
    };
    return {
      photos: photos.length,
      make: async (call) => {
        const { value, price: worth } = await services.vision.identify(call, request);
        tellStages(res, metrics, value);
        return { value: presentIdentification(value, worth, view), price: worth };
      },
    };
  };
}

function correct({ feedback }: ApiServices): Route {
  return (req) => {
    const { correct_id: correctId, comment = null } = validate(feedbackBody, req.body);
    const id = idOf(req);
    return free(async ({ caller }) => {
      const kept = await feedback.correct(caller, id, { correctId, comment });
      return presentFeedback(id, kept);
    });
  };
}
