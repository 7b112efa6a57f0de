import type { IRouter, RequestHandler } from 'express';
import { methodNotAllowed } from '../../models/errors';
import './locals';

/** The handlers of an address by method; GET answers HEAD as well. */
interface Methods {
  readonly get?: readonly RequestHandler[];
  readonly post?: readonly RequestHandler[];
  readonly put?: readonly RequestHandler[];
  readonly delete?: readonly RequestHandler[];
}

const NAMES = ['get', 'post', 'put', 'delete'] as const;
const ALLOWED = { get: ['GET', 'HEAD'], post: ['POST'], put: ['PUT'], delete: ['DELETE'] } as const;

/**
 * Mounts one endpoint under each of its addresses. Any other method is a 405 with `Allow`, decided before the key is
 * looked at, since it says something about the address only.
 */
export function mountRoute(router: IRouter, paths: readonly string[], methods: Methods): void {
  const allowed = NAMES.flatMap((name) => (methods[name] ? ALLOWED[name] : []));
  for (const path of paths) {
    const route = router.route(path);
    route.all((_req, res, next) => {
      res.locals.route = path;
      next();
    });
    for (const name of NAMES) {
      const handlers = methods[name];
      if (handlers) route[name](...handlers);
    }
    route.all(() => {
      throw methodNotAllowed(allowed);
    });
  }
}
