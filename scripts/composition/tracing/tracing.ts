import type { RequestListener } from 'node:http';
import { z } from 'zod';
import type { Token } from '../../../models/ports';
import type { PhotoPipeline } from '../../../workers/pipeline';

/** Traces calls across processes by wrapping ports and the HTTP listener; other code knows only the `trace` of a photo. */
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

const address = z.url({ protocol: /^https?$/, error: 'must be a URL with http: or https:' });
const protocol = z.enum(['http/protobuf', 'http/json']);
const PAIRS = 'must be name=value,…, percent-encoded';
/** A value may end with `=`, as base64 does. */
const headers = z.string().regex(/^(\s*[^=,%\s]+\s*=([^,%]|%[0-9a-f]{2})*(,|$))+$/i, PAIRS);
const attributes = z.string().regex(/^(\s*[^=,%\s]+\s*=([^=,%]|%[0-9a-f]{2})*(,|$))+$/i, PAIRS);

/** OpenTelemetry's names and defaults, checked at the start; its exporter and resource read them again. No traces without exporter or address. */
export const TRACE_SETTINGS = {
  OTEL_SDK_DISABLED: z
    .string()
    .transform((text) => text.toLowerCase() === 'true')
    .default(false),
  OTEL_TRACES_EXPORTER: z.enum(['otlp', 'none']).optional(),
  OTEL_EXPORTER_OTLP_ENDPOINT: address.optional(),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: address.optional(),
  OTEL_EXPORTER_OTLP_PROTOCOL: protocol.default('http/protobuf'),
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: protocol.optional(),
  OTEL_EXPORTER_OTLP_HEADERS: headers.optional(),
  OTEL_EXPORTER_OTLP_TRACES_HEADERS: headers.optional(),
  OTEL_EXPORTER_OTLP_TIMEOUT: z
    .string()
    .regex(/^[1-9]\d{0,6}$/, 'must be a whole number of milliseconds')
    .optional(),
  OTEL_SERVICE_NAME: z.string().optional(),
  OTEL_RESOURCE_ATTRIBUTES: attributes.optional(),
  OTEL_TRACES_SAMPLER: z
    .templateLiteral(
      [z.enum(['', 'parentbased_']), z.enum(['always_on', 'always_off', 'traceidratio'])],
      'must be always_on, always_off or traceidratio, or one of them after parentbased_',
    )
    .default('parentbased_always_on'),
  OTEL_TRACES_SAMPLER_ARG: z.coerce.number('must be a number from 0 to 1').min(0).max(1).default(1),
} as const;

const settings = z.object(TRACE_SETTINGS);

export type TraceSettings = Readonly<z.infer<typeof settings>>;
