import type { IRouter } from 'express';
import type { ApiSettings } from '../api-services';
import { mountRoute } from '../http/mount-route';
import { showHealth, showReadiness } from './health';
import type { Metrics } from './metrics';
import { showOpenApi } from './openapi';

/** What operators and tools read; no key, and answered also while the process starts or stops. */
export function mountOperations(router: IRouter, settings: ApiSettings, metrics: Metrics): void {
  mountRoute(router, ['/healthz'], { get: [showHealth] });
  mountRoute(router, ['/readyz'], { get: [showReadiness(settings.readiness, settings.lifecycle)] });
  mountRoute(router, ['/metrics'], { get: [metrics.show] });
  mountRoute(router, ['/openapi.json'], { get: [showOpenApi(settings)] });
}
