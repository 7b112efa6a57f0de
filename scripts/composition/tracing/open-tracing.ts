import type { Logger } from '../../../models/ports';
import { type TraceSettings, tracesEndpoint } from './settings';
import { NO_TRACING, type Tracing } from './tracing';

/** Loads OpenTelemetry, which takes some 14 MB, only where spans have somewhere to go. */
export function openTracing(settings: TraceSettings, logger: Logger): Tracing {
  const endpoint = tracesEndpoint(settings);
  if (endpoint === null) return NO_TRACING;
  const { OpenTelemetry }: typeof import('./open-telemetry') = require('./open-telemetry');
  return new OpenTelemetry(endpoint, settings, logger);
}
