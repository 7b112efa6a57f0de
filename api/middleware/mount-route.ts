import type { IRouter, RequestHandler } from 'express';
import { methodNotAllowed } from '../../models/errors';

const ALLOWED = { get: ['GET', 'HEAD'], post: ['POST'], put: ['PUT'], delete: ['DELETE'] } as const;
type Method = keyof typeof ALLOWED;

/**
 * Mounts one endpoint under each of its addresses, by method; GET answers HEAD as well. Any other method is a 405 with
 * `Allow`, decided before the key is looked at, since it says something about the address only.
 */
export function mountRoute(
  router: IRouter,
  paths: readonly string[],
  handlers: Readonly<Partial<Record<Method, RequestHandler>>>,
): void {
  const methods = Object.entries(handlers) as [Method, RequestHandler][];
  const allowed = methods.flatMap(([method]) => ALLOWED[method]);
  for (const path of paths) {
    const route = router.route(path);
    route.all((_req, res, next) => {
      res.locals.route = path;
      res.locals.methods = allowed;
      res.locals.endpoint = paths[0] ?? path;
      next();
    });
    for (const [method, handler] of methods) route[method](handler);
    route.all(() => {
      throw methodNotAllowed(allowed);
    });
  }
}
