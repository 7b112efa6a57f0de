import type { IRouter, RequestHandler } from 'express';
import { methodNotAllowed } from '../../models/errors';
import type { Endpoint } from '../endpoints';

const ALLOWED = { get: ['GET', 'HEAD'], post: ['POST'], put: ['PUT'], delete: ['DELETE'] } as const;

type Handlers = Partial<Record<Endpoint['method'], RequestHandler>>;

/** Mounts endpoints under each of their addresses; those of one address together. @param around the middleware of a route */
export function mountEndpoints<Id extends string, Kind extends Endpoint, Route>(
  router: IRouter,
  endpoints: Readonly<Record<Id, Kind>>,
  routes: Readonly<Record<Id, Route>>,
  around: (endpoint: Kind, route: Route) => RequestHandler,
): void {
  const byAddress = new Map<string, { readonly paths: readonly string[]; readonly handlers: Handlers }>();
  for (const id in endpoints) {
    const { method, paths } = endpoints[id];
    const address = byAddress.get(paths[0]) ?? { paths, handlers: {} };
    if (String(address.paths) !== String(paths)) throw new Error(`${id} has other aliases than its address`);
    address.handlers[method] = around(endpoints[id], routes[id]);
    byAddress.set(paths[0], address);
  }
  for (const { paths, handlers } of byAddress.values()) mountRoute(router, paths, handlers);
}

/** Answers each of these addresses, by method; GET answers HEAD too. Any other method is a 405, regardless of the key. */
export function mountRoute(router: IRouter, paths: readonly string[], handlers: Handlers): void {
  const methods = (Object.keys(ALLOWED) as Endpoint['method'][]).filter((method) => handlers[method]);
  const allowed = methods.flatMap((method) => ALLOWED[method]);
  for (const path of paths) {
    const route = router.route(path);
    route.all((_req, res, next) => {
      res.locals.route = path;
      res.locals.methods = allowed;
      res.locals.endpoint = paths[0] ?? path;
      next();
    });
    for (const method of methods) route[method](handlers[method] ?? []);
    route.all(() => {
      throw methodNotAllowed(allowed);
    });
  }
}
