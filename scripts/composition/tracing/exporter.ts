import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  type Sampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace';
import type { Logger } from '../../../models/ports';
import type { TraceSettings } from './settings';
import { SteadyExporter } from './steady-exporter';

/** Sends spans to a collector in the encoding of the settings. */
export function exporterTo(url: string, settings: TraceSettings, logger: Logger): SpanExporter {
  const options = {
    url,
    headers: { ...settings.OTEL_EXPORTER_OTLP_HEADERS, ...settings.OTEL_EXPORTER_OTLP_TRACES_HEADERS },
    timeoutMillis: settings.OTEL_EXPORTER_OTLP_TIMEOUT,
  };
  const protocol = settings.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL ?? settings.OTEL_EXPORTER_OTLP_PROTOCOL;
  const exporter = protocol === 'http/json' ? new JsonExporter(options) : new ProtobufExporter(options);
  return new SteadyExporter(exporter, logger);
}

/** Which traces are kept: by default all, unless the caller has decided. */
export function samplerOf({ OTEL_TRACES_SAMPLER, OTEL_TRACES_SAMPLER_ARG }: TraceSettings): Sampler {
  const ratio = () => new TraceIdRatioBasedSampler(OTEL_TRACES_SAMPLER_ARG);
  switch (OTEL_TRACES_SAMPLER) {
    case 'always_on':
      return new AlwaysOnSampler();
    case 'always_off':
      return new AlwaysOffSampler();
    case 'traceidratio':
      return ratio();
    case 'parentbased_always_on':
      return new ParentBasedSampler({ root: new AlwaysOnSampler() });
    case 'parentbased_always_off':
      return new ParentBasedSampler({ root: new AlwaysOffSampler() });
    case 'parentbased_traceidratio':
      return new ParentBasedSampler({ root: ratio() });
  }
}
