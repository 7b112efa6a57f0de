import type { IRouter } from 'express';
import type { ApiServices, ApiSettings } from '../api-services';
import type { AnswerMemory } from '../middleware/answer-memory';
import type { Gate } from '../middleware/call';
import type { Endpoints } from '../middleware/endpoints';
import { idempotent, refuseKey } from '../middleware/idempotency';
import { answerMade } from '../middleware/links';
import { mountRoute } from '../middleware/mount-route';
import { idOf } from '../middleware/request-address';
import { sendAnswer } from '../middleware/send-answer';
import { knownParameters } from '../middleware/validate';
import { PATHS } from '../paths';
import { PERIOD } from '../wire/period';
import {
  createAccount,
  creditAccount,
  keepPhotos,
  listAccounts,
  showAccount,
  showAuditLog,
  showUsage,
} from './accounts';
import { createKey, listKeys, revokeKey, rotateKey } from './keys';
import type { AdminRoute, MakingRoute } from './request';

/** Parameters of every list (contract 17.5). */
const LIST = ['limit', 'cursor'];

/** A credit takes a statement or two; one that has not answered so long died with its process. */
const CREDIT_LEASE_MS = 30_000;

/** The operators' API (contract 17). Routes have the services of their request, whose changes are noted as its own. */
export function mountAdmin(
  router: IRouter,
  { operator, operatorJson }: Endpoints,
  services: ApiServices,
  settings: ApiSettings,
  answers: AnswerMemory,
): void {
  const { audit, clock } = services;
  const answer =
    (route: AdminRoute): Gate =>
    async (req, res) => {
      const made = await answers.reserve(res, route.name);
      const admin = services.admin(res.locals.requestId);
      await sendAnswer(req, res, { ...(await route(req, { ...admin, audit, clock }, res)) }, made);
    };
  const reads = (route: AdminRoute, ...parameters: readonly string[]) =>
    operator(knownParameters(parameters), answer(route));
  const changes = (route: AdminRoute) => operator(refuseKey, answer(route));
  const takes = (route: AdminRoute) => operatorJson(refuseKey, answer(route));
  const makes = (route: MakingRoute) =>
    takes(async (req, admin, res) => {
      const { path, body } = await route(req, admin);
      answerMade(req, res, settings, path);
      return body;
    });
  /** A credit that names itself is done once; its names are none that a caller of the account can take (contract 17.7). */
  const credits = operatorJson(
    (req, res) => services.admin(res.locals.requestId).accounts.show(idOf(req)),
    idempotent(
      services,
      answers,
      CREDIT_LEASE_MS,
      (kept) => kept,
      (key, req) => ({ accountId: idOf(req), key: `admin ${key}` }),
    ),
    answer(creditAccount),
  );
  mountRoute(router, PATHS.listAccounts, { get: reads(listAccounts, ...LIST), post: makes(createAccount) });
  mountRoute(router, PATHS.getAccount, { get: reads(showAccount) });
  mountRoute(router, PATHS.creditAccount, { post: credits });
  mountRoute(router, PATHS.keepPhotos, { post: takes(keepPhotos) });
  mountRoute(router, PATHS.getUsage, { get: reads(showUsage, ...PERIOD) });
  mountRoute(router, PATHS.listKeys, { get: reads(listKeys, ...LIST), post: makes(createKey) });
  mountRoute(router, PATHS.rotateKey, { post: makes(rotateKey) });
  mountRoute(router, PATHS.revokeKey, { delete: changes(revokeKey) });
  mountRoute(router, PATHS.getAuditLog, { get: reads(showAuditLog, ...LIST, 'account') });
}
