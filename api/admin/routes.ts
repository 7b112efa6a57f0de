import type { IRouter, RequestHandler } from 'express';
import type { ApiServices } from '../api-services';
import type { EndpointMiddleware } from '../middleware/endpoint-middleware';
import { idempotent } from '../middleware/idempotency';
import { mountRoute } from '../middleware/mount-route';
import { PATHS } from '../paths';
import { createAccount, creditAccount, keepPhotos, listAccounts, showAccount, showUsage } from './accounts';
import { showAuditLog } from './audit';
import { createKey, listKeys, revokeKey, rotateKey } from './keys';
import { type AdminRoute, idOf } from './request';

/** A credit takes a statement or two; one that has not answered so long died with its process. */
const PATIENCE = { waitMs: 10_000, leaseMs: 30_000 };

/** The operators' API (contract 17). Routes have the services of their request, whose changes are noted as its own. */
export function mountAdmin(router: IRouter, middleware: EndpointMiddleware, services: ApiServices): void {
  const answer =
    (route: AdminRoute): RequestHandler =>
    async (req, res) => {
      const admin = services.admin(res.locals.requestId);
      res.json(await route(req, { ...admin, audit: services.audit, clock: services.clock }, res));
    };
  const reads = (route: AdminRoute) => [...middleware.operator(), answer(route)];
  const takes = (route: AdminRoute) => [...middleware.operatorNote(), answer(route)];
  mountRoute(router, PATHS.listAccounts, { get: reads(listAccounts), post: takes(createAccount) });
  mountRoute(router, PATHS.showAccount, { get: reads(showAccount) });
  mountRoute(router, PATHS.creditAccount, {
    post: [...middleware.operatorNote(), ...creditedOnce(services), answer(creditAccount)],
  });
  mountRoute(router, PATHS.keepPhotos, { post: takes(keepPhotos) });
  mountRoute(router, PATHS.showUsage, { get: reads(showUsage) });
  mountRoute(router, PATHS.listKeys, { get: reads(listKeys), post: takes(createKey) });
  mountRoute(router, PATHS.rotateKey, { post: takes(rotateKey) });
  mountRoute(router, PATHS.revokeKey, { delete: reads(revokeKey) });
  mountRoute(router, PATHS.showAuditLog, { get: reads(showAuditLog) });
}

/** A credit that names itself is done once; its names are none that a caller of the account can take (contract 17.7). */
function creditedOnce({ accounts, admin, idempotency, clock }: ApiServices): RequestHandler[] {
  return [
    async (req, res, next) => {
      await admin(res.locals.requestId).accounts.show(idOf(req));
      next();
    },
    idempotent(
      idempotency,
      accounts,
      clock,
      PATIENCE,
      (kept) => kept,
      (key, req) => ({ accountId: idOf(req), key: `admin ${key}` }),
    ),
  ];
}
