import type { IRouter } from 'express';
import type { ApiServices, ApiSettings } from '../api-services';
import type { Gate } from '../middleware/call';
import type { Endpoints } from '../middleware/endpoints';
import { idempotent } from '../middleware/idempotency';
import { answerMade } from '../middleware/links';
import { mountRoute } from '../middleware/mount-route';
import { idOf } from '../middleware/request-address';
import { PATHS } from '../paths';
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

/** A credit takes a statement or two; one that has not answered so long died with its process. */
const CREDIT_LEASE_MS = 30_000;

/** The operators' API (contract 17). Routes have the services of their request, whose changes are noted as its own. */
export function mountAdmin(
  router: IRouter,
  { operator, operatorNote }: Endpoints,
  services: ApiServices,
  settings: ApiSettings,
): void {
  const { audit, clock } = services;
  const answer =
    (route: AdminRoute): Gate =>
    async (req, res) => {
      const admin = services.admin(res.locals.requestId);
      res.json(await route(req, { ...admin, audit, clock }, res));
    };
  const reads = (route: AdminRoute) => operator(answer(route));
  const takes = (route: AdminRoute) => operatorNote(answer(route));
  const makes = (route: MakingRoute) =>
    takes(async (req, admin, res) => {
      const { path, body } = await route(req, admin);
      answerMade(req, res, settings, path);
      return body;
    });
  /** A credit that names itself is done once; its names are none that a caller of the account can take (contract 17.7). */
  const credits = operatorNote(
    (req, res) => services.admin(res.locals.requestId).accounts.show(idOf(req)),
    idempotent(
      services,
      CREDIT_LEASE_MS,
      (kept) => kept,
      (key, req) => ({ accountId: idOf(req), key: `admin ${key}` }),
    ),
    answer(creditAccount),
  );
  mountRoute(router, PATHS.listAccounts, { get: reads(listAccounts), post: makes(createAccount) });
  mountRoute(router, PATHS.getAccount, { get: reads(showAccount) });
  mountRoute(router, PATHS.creditAccount, { post: credits });
  mountRoute(router, PATHS.keepPhotos, { post: takes(keepPhotos) });
  mountRoute(router, PATHS.getUsage, { get: reads(showUsage) });
  mountRoute(router, PATHS.listKeys, { get: reads(listKeys), post: makes(createKey) });
  mountRoute(router, PATHS.rotateKey, { post: makes(rotateKey) });
  mountRoute(router, PATHS.revokeKey, { delete: reads(revokeKey) });
  mountRoute(router, PATHS.getAuditLog, { get: reads(showAuditLog) });
}
