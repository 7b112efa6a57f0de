import type { RequestListener } from 'node:http';
import { z } from 'zod';
import type { Logger, Token } from '../../../models/ports';
import type { PhotoPipeline } from '../../../workers/pipeline';

/** Follows a call through processes, by wrapping their edges and ports; the code between knows only the `trace` of a photo. */
export interface Tracing {
  /** Each request is a trace, or continues its caller's (W3C `traceparent`). */
  requests(listener: RequestListener): RequestListener;
  /** The adapter of a port, with a span around each of its calls that takes time. */
  port<Port extends object>(token: Token<Port>, adapter: Port): Port;
  photos(pipeline: PhotoPipeline): PhotoPipeline;
  logFields(): object;
  /** Sends what has not been sent yet; gives up after a few seconds. */
  close(): Promise<void>;
}

export const NO_TRACING: Tracing = {
  requests: (listener) => listener,
  port: (_token, adapter) => adapter,
  photos: (pipeline) => pipeline,
  logFields: () => ({}),
  close: async () => undefined,
};

const address = z.url({ protocol: /^https?$/, error: 'must be a URL with http: or https:' });

/** OpenTelemetry's names; its exporter and resource read these and others themselves. */
export const TRACE_SETTINGS = {
  OTEL_SDK_DISABLED: z
    .string()
    .transform((text) => text.toLowerCase() === 'true')
    .default(false),
  OTEL_TRACES_EXPORTER: z.enum(['otlp', 'none']).optional(),
  OTEL_EXPORTER_OTLP_ENDPOINT: address.optional(),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: address.optional(),
  OTEL_EXPORTER_OTLP_PROTOCOL: z.enum(['http/protobuf', 'http/json']).default('http/protobuf'),
  OTEL_TRACES_SAMPLER_ARG: z.coerce.number('must be a number from 0 to 1').min(0).max(1).default(1),
} as const;

const settings = z.object(TRACE_SETTINGS);

export type TraceSettings = Readonly<z.infer<typeof settings>>;

/** Loads OpenTelemetry, which takes some 14 MB, only when spans are exported. */
export function openTracing(given: TraceSettings, logger: Logger): Tracing {
  const { OTEL_SDK_DISABLED, OTEL_TRACES_EXPORTER } = given;
  const goal =
    OTEL_TRACES_EXPORTER ?? given.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? given.OTEL_EXPORTER_OTLP_ENDPOINT;
  if (OTEL_SDK_DISABLED || goal === undefined || goal === 'none') return NO_TRACING;
  const { OpenTelemetry }: typeof import('./open-telemetry') = require('./open-telemetry');
  return new OpenTelemetry(given, logger);
}
