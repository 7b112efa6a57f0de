import type { IRouter, RequestHandler } from 'express';
import type { ApiSettings } from '../api-services';
import { publicAddress } from '../middleware/links';
import { mountRoute } from '../middleware/mount-route';
import { PATHS } from '../paths';
import { showHealth, showReadiness } from './health';
import type { Metrics } from './metrics';
import { buildOpenApi } from './openapi/document';

/** What operators and tools read; no key, and answered also while the process starts or stops. */
export function mountOperations(router: IRouter, settings: ApiSettings, metrics: Metrics): void {
  mountRoute(router, PATHS.checkHealth, { get: showHealth });
  mountRoute(router, PATHS.checkReadiness, { get: showReadiness(settings) });
  mountRoute(router, PATHS.getMetrics, { get: metrics.show });
  mountRoute(router, PATHS.getOpenApi, { get: showOpenApi(settings) });
}

/** The description of the API for tools, with the address that it was asked at (or the public one) as its server. */
function showOpenApi(settings: ApiSettings): RequestHandler {
  const document = buildOpenApi({
    records: settings.recordSchemas,
    admin: settings.adminToken !== undefined,
  });
  return (req, res) => {
    const url = publicAddress(req, settings)('/').replace(/\/$/, '');
    res.set('Cache-Control', 'no-cache').json({ ...document, servers: [{ url }] });
  };
}
