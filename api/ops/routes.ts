import type { IRouter } from 'express';
import type { ApiSettings } from '../api-services';
import { mountRoute } from '../middleware/mount-route';
import { PATHS } from '../paths';
import { showHealth, showReadiness } from './health';
import type { Metrics } from './metrics';
import { showOpenApi } from './openapi';

/** What operators and tools read; no key, and answered also while the process starts or stops. */
export function mountOperations(router: IRouter, settings: ApiSettings, metrics: Metrics): void {
  mountRoute(router, PATHS.health, { get: [showHealth] });
  mountRoute(router, PATHS.readiness, { get: [showReadiness(settings)] });
  mountRoute(router, PATHS.metrics, { get: [metrics.show] });
  mountRoute(router, PATHS.openApi, { get: [showOpenApi(settings)] });
}
