import type { Request } from 'express';
import type { CallContext, Priced } from '../../models/access/billing';
import { visionPrice } from '../../models/access/credits';
import { type Module, SUGGESTIONS_MAX } from '../../models/catalog/catalog-query';
import { SIMILAR_MAX } from '../../models/vision/candidates';
import { MATCHES_MAX } from '../../models/vision/matches';
import type { ApiServices, ApiSettings, DefaultLimits } from '../api-services';
import { free, type Routes, type Work } from '../middleware/charged-answer';
import { linksOf } from '../middleware/links';
import { idOf } from '../middleware/request-address';
import { validate } from '../middleware/validate';
import type { Metrics } from '../ops/metrics';
import { periodOf, presentKey } from '../wire/accounts';
import { readVisionBody } from '../wire/photos';
import * as presenter from './presenter';
import {
  itemParameters,
  itemsBody,
  signalDeprecation,
  similarParameters,
  suggestBody,
  toCatalogQuery,
} from './schema';
import { feedbackBody, identifyBody, toIdentification } from './vision-schema';

/** Queries, items, photos, feedback and the own account in v3 (contract 4 to 7). */
export function coreRoutes(services: ApiServices, settings: ApiSettings, metrics: Metrics) {
  const { catalog, vision, similar, suggestions, feedback } = services;
  const answerRows = <Found, Body>(
    req: Request,
    includes: readonly Module[],
    rows: number,
    find: (call: CallContext, pricing: boolean) => Promise<Priced<Found>>,
    present: (found: Found, creditsUsed: number, view: presenter.View) => Body,
  ): Work<Body> => {
    const view = presenter.viewOf(includes, linksOf(req, services, settings));
    return {
      page: { rows, priced: view.pricing },
      make: async (call) => {
        const found = await find(call, view.pricing);
        return { ...found, value: present(found.value, found.price, view) };
      },
    };
  };

  return {
    queryCatalog: (req, res) => {
      signalDeprecation(res, req.body);
      const { query, includes } = toCatalogQuery(req.body, settings.pageSizeMax);
      const find = (call: CallContext, pricing: boolean) =>
        catalog.search(call, query, { pricing, categoryRule: 'refuse-unknown' });
      return answerRows(req, includes, query.pageSize, find, presenter.presentPage);
    },
    getItem: (req) => {
      const { includes } = validate(itemParameters, req.query);
      const id = idOf(req);
      const find = (call: CallContext, pricing: boolean) => catalog.item(call, id, { pricing });
      return answerRows(req, includes, 1, find, presenter.presentFound);
    },
    listSimilarItems: (req) => {
      const { includes, category_id: category = null, ...rest } = validate(similarParameters, req.query);
      const size = Math.min(rest.size, SIMILAR_MAX);
      const id = idOf(req);
      const find = (call: CallContext, pricing: boolean) =>
        similar.similar(call, { id, category, size, pricing });
      return answerRows(req, includes, size, find, presenter.presentSimilar);
    },
    getItems: (req) => {
      const { ids, includes } = validate(itemsBody, req.body);
      const find = (call: CallContext, pricing: boolean) => catalog.items(call, ids, { pricing });
      return answerRows(req, includes, ids.length, find, presenter.presentItems);
    },
    suggest: (req) => {
      const { query, category_id: category = null, size } = validate(suggestBody, req.body);
      const request = { query, category, size: Math.min(size, SUGGESTIONS_MAX) };
      return free(async (call) => presenter.presentSuggestions(await suggestions.suggest(call, request)));
    },
    identify: (req, res) => {
      const { body, extracted } = readVisionBody(req, identifyBody, (given) => signalDeprecation(res, given));
      const identification = toIdentification(body, extracted);
      const find = async (call: CallContext, pricing: boolean) => {
        const price = visionPrice(pricing, identification.photos);
        const found = await vision.identify(call, { ...identification, pricing, price });
        metrics.reportIdentification(res, found.value);
        return found;
      };
      return {
        ...answerRows(req, body.includes, MATCHES_MAX, find, presenter.presentIdentification),
        photos: identification.photos.length,
      };
    },
    sendFeedback: (req) => {
      const { correct_id: correctId, comment = null } = validate(feedbackBody, req.body);
      const id = idOf(req);
      return free(async ({ caller }) =>
        presenter.presentFeedback(id, await feedback.correct(caller, id, { correctId, comment })),
      );
    },
    getOwnAccount: showOwnAccount(services, settings.limits),
  } satisfies Partial<Routes>;
}

/** `GET /v3/account`: what a key may do, what is available to it, and what was charged (contract 9.7). */
function showOwnAccount(
  { statements, catalog, clock }: ApiServices,
  defaults: DefaultLimits,
): Routes['getOwnAccount'] {
  return (req) => {
    const period = periodOf(req.query, clock.now());
    return free(async ({ caller }) => {
      const [{ account, key, usage }, taxonomy] = await Promise.all([
        statements.statement(caller, period),
        catalog.taxonomy(caller),
      ]);
      return {
        account: { id: account.id, name: account.name, credits: account.credits },
        key: {
          ...presentKey(key),
          limits: {
            per_second: key.limits.perSecond ?? defaults.perSecond,
            per_minute: key.limits.perMinute ?? defaults.perMinute,
            concurrency: key.limits.concurrency ?? defaults.visionConcurrency,
            per_month: key.test ? defaults.testCallsPerMonth : 0,
          },
        },
        categories: taxonomy.categories.map((category) => ({
          id: category.id,
          name: category.name,
          nodes: taxonomy.allowedNodes(category),
        })),
        since: period.since.toISOString(),
        until: period.until.toISOString(),
        usage: [...usage],
        credits_used: 0,
      };
    });
  };
}
