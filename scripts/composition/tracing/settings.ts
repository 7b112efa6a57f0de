import { z } from 'zod';
import { listed } from '../setting-types';

const address = z
  .string()
  .refine(
    (text) => URL.canParse(text) && ['http:', 'https:'].includes(new URL(text).protocol),
    'must be a URL with http: or https:',
  );

/** `name=value,…` with percent-encoded values, as headers and attributes of OpenTelemetry are written. */
const pairs = z.string().transform((text, context) => {
  const entries = listed(text).map(
    (pair) => [pair.slice(0, Math.max(0, pair.indexOf('='))).trim(), decoded(pair)] as const,
  );
  if (entries.every(([name, value]) => name !== '' && value !== null)) {
    return Object.fromEntries(entries.map(([name, value]) => [name, value ?? '']));
  }
  context.addIssue({ code: 'custom', message: 'must be name=value,…' });
  return z.NEVER;
});

function decoded(pair: string): string | null {
  try {
    return decodeURIComponent(pair.slice(pair.indexOf('=') + 1).trim());
  } catch {
    return null;
  }
}

const protocol = z.enum(['http/protobuf', 'http/json']);

/** Standard names and defaults of OpenTelemetry; nothing is traced unless an exporter or its address is given. */
export const TRACE_SETTINGS = {
  OTEL_SDK_DISABLED: z
    .string()
    .transform((text) => text.trim().toLowerCase() === 'true')
    .default(false),
  OTEL_TRACES_EXPORTER: z.enum(['otlp', 'none']).optional(),
  OTEL_EXPORTER_OTLP_ENDPOINT: address.optional(),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: address.optional(),
  OTEL_EXPORTER_OTLP_PROTOCOL: protocol.default('http/protobuf'),
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: protocol.optional(),
  OTEL_EXPORTER_OTLP_HEADERS: pairs.default({}),
  OTEL_EXPORTER_OTLP_TRACES_HEADERS: pairs.default({}),
  OTEL_EXPORTER_OTLP_TIMEOUT: z
    .string()
    .regex(/^[1-9]\d{0,6}$/, 'must be a whole number of milliseconds')
    .transform(Number)
    .default(10_000),
  OTEL_SERVICE_NAME: z.string().default('loupe'),
  OTEL_RESOURCE_ATTRIBUTES: pairs.default({}),
  OTEL_TRACES_SAMPLER: z
    .enum([
      'always_on',
      'always_off',
      'traceidratio',
      'parentbased_always_on',
      'parentbased_always_off',
      'parentbased_traceidratio',
    ])
    .default('parentbased_always_on'),
  OTEL_TRACES_SAMPLER_ARG: z
    .string()
    .transform(Number)
    .pipe(z.number({ message: 'must be a number from 0 to 1' }).min(0).max(1))
    .default(1),
} as const;

const shape = z.object(TRACE_SETTINGS);

/** The part of the settings that tracing reads. */
export type TraceSettings = Readonly<z.infer<typeof shape>>;

/** Where spans go; null while nothing is traced. */
export function tracesEndpoint(settings: TraceSettings): string | null {
  if (settings.OTEL_SDK_DISABLED || settings.OTEL_TRACES_EXPORTER === 'none') return null;
  if (settings.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT) return settings.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT;
  const base =
    settings.OTEL_EXPORTER_OTLP_ENDPOINT ??
    (settings.OTEL_TRACES_EXPORTER === 'otlp' ? DEFAULT_ENDPOINT : null);
  return base === null ? null : `${base.replace(/\/+$/, '')}/v1/traces`;
}

/** Of a collector on the same machine, as OpenTelemetry has it. */
const DEFAULT_ENDPOINT = 'http://localhost:4318';
