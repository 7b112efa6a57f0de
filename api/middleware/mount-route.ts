import type { IRouter, RequestHandler } from 'express';
import { methodNotAllowed } from '../../models/errors';
import './locals';

/** The handlers of an address by method; GET answers HEAD as well. */
interface Methods {
  readonly get?: readonly RequestHandler[];
  readonly post?: readonly RequestHandler[];
  readonly delete?: readonly RequestHandler[];
}

/**
 * Mounts one endpoint under each of its addresses. Any other method is a 405 with `Allow`, decided before the key is
 * looked at, since it says something about the address only.
 */
export function mountRoute(router: IRouter, paths: readonly string[], methods: Methods): void {
  const allowed = [
    ...(methods.get ? ['GET', 'HEAD'] : []),
    ...(methods.post ? ['POST'] : []),
    ...(methods.delete ? ['DELETE'] : []),
  ];
  for (const path of paths) {
    const route = router.route(path);
    route.all((_req, res, next) => {
      res.locals.route = path;
      next();
    });
    if (methods.get) route.get(...methods.get);
    if (methods.post) route.post(...methods.post);
    if (methods.delete) route.delete(...methods.delete);
    route.all(() => {
      throw methodNotAllowed(allowed);
    });
  }
}
