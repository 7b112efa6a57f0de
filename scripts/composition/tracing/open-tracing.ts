import type { Logger } from '../../../models/ports';
import type { TraceSettings, Tracing } from './tracing';

export const NO_TRACING: Tracing = {
  requests: (listener) => listener,
  port: (_token, adapter) => adapter,
  photos: (pipeline) => pipeline,
  logFields: () => ({}),
  close: async () => undefined,
};

/** Loads OpenTelemetry, which takes some 14 MB, only when spans are exported. */
export function openTracing(given: TraceSettings, logger: Logger): Tracing {
  const { OTEL_SDK_DISABLED, OTEL_TRACES_EXPORTER } = given;
  const goal =
    OTEL_TRACES_EXPORTER ?? given.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? given.OTEL_EXPORTER_OTLP_ENDPOINT;
  if (OTEL_SDK_DISABLED || goal === undefined || goal === 'none') return NO_TRACING;
  const { OpenTelemetry }: typeof import('./open-telemetry') = require('./open-telemetry');
  return new OpenTelemetry(given, logger);
}
