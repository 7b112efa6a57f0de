import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import * as otel from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { setGlobalErrorHandler, W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import * as sdk from '@opentelemetry/sdk-trace';
import '../../../api/middleware/call';
import { AppError } from '../../../models/errors';
import type { Logger, Token } from '../../../models/ports';
import type { PhotoPipeline } from '../../../workers/pipeline';
import type { TraceSettings, Tracing } from './tracing';

/** Calls of ports that get a span, by the stage of the metrics that they belong to; those under `other` belong to none. */
const CALLS = {
  intake: ['ImageSource.fetch', 'ImagePreparer.prepare', 'ImagePreparer.decode'],
  queue: ['VisionQueue.neighbours'],
  embed: ['EmbedderRegistry.forVersion', 'Embedder.embed'],
  neighbours: ['NeighbourIndex.nearest'],
  rows: ['CatalogRepository.search', 'CatalogRepository.itemsById', 'CreditLedger.sell'],
  other: [
    ...['AccountRepository.callerByKeyHash', 'RateLimiter.consume', 'RateLimiter.acquire'],
    ...['IdempotencyStore.claim', 'PredictionRepository.save'],
    ...['CreditLedger.reserve', 'CreditLedger.settle'],
  ],
};
const STAGES = new Map(Object.entries(CALLS).flatMap(([stage, calls]) => calls.map((call) => [call, stage])));
const STAGE = 'loupe.stage';

/** Addresses that machines request every few seconds. */
const UNTRACED = new Set(['/healthz', '/readyz', '/metrics']);

const FLUSH_TIMEOUT_MS = 3_000;

const WARNING_MS = 600_000;

/** Longer values say nothing more, and callers choose their paths. */
const ATTRIBUTE_LENGTH_MAX = 512;

/** Traces by OpenTelemetry and OTLP; for one service per process, as contexts are global. */
export class OpenTelemetry implements Tracing {
  readonly #provider: sdk.TracerProvider;
  #warnedAt = Number.NEGATIVE_INFINITY;

  constructor(
    settings: TraceSettings,
    private readonly logger: Logger,
  ) {
    otel.context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    otel.propagation.setGlobalPropagator(new W3CTraceContextPropagator());
    setGlobalErrorHandler((failure) => this.#warn(failure));
    const protocol = settings.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL ?? settings.OTEL_EXPORTER_OTLP_PROTOCOL;
    const exporter = protocol === 'http/json' ? new JsonExporter() : new ProtobufExporter();
    const ours = { 'service.name': 'loupe', 'service.instance.id': `${hostname()}:${process.pid}` };
    this.#provider = new sdk.TracerProvider({
      resource: defaultResource()
        .merge(resourceFromAttributes(ours))
        .merge(detectResources({ detectors: [envDetector] })),
      sampler: samplerOf(settings),
      spanLimits: { attributeValueLengthLimit: ATTRIBUTE_LENGTH_MAX },
      spanProcessors: [new sdk.BatchSpanProcessor({ exporter })],
    });
  }

  requests(listener: RequestListener): RequestListener {
    return (req, res) => {
      const path = req.url?.split('?', 1)[0] ?? '';
      if (UNTRACED.has(path)) return listener(req, res);
      const caller = otel.propagation.extract(otel.ROOT_CONTEXT, req.headers);
      const attributes = { 'http.request.method': req.method, 'url.path': path };
      const options = { kind: otel.SpanKind.SERVER, attributes };
      const span = this.#tracer.startSpan(req.method ?? 'HTTP', options, caller);
      res.once('close', () => endOfRequest(span, req, res));
      const around = otel.trace.setSpan(caller, span);
      // The log line, written when the answer ends, belongs to the trace as well.
      for (const emitter of [req, res]) otel.context.bind(around, emitter);
      return otel.context.with(around, () => listener(req, res));
    };
  }

  port<Port extends object>(token: Token<Port>, adapter: Port): Port {
    return this.#traced(token.description ?? '', adapter);
  }

  photos(pipeline: PhotoPipeline): PhotoPipeline {
    return {
      neighbours: (photos) => {
        if (!photos.trace) return pipeline.neighbours(photos);
        return otel.context.with(otel.propagation.extract(otel.ROOT_CONTEXT, photos.trace), () => {
          const taken = Date.now();
          const waiting = { startTime: taken - photos.queueMs, attributes: { [STAGE]: 'queue' } };
          this.#tracer.startSpan('wait in queue', waiting).end(taken);
          return this.#within('answer photo', { kind: otel.SpanKind.CONSUMER }, () =>
            pipeline.neighbours(photos),
          );
        });
      },
    };
  }

  logFields(): object {
    const span = otel.trace.getActiveSpan()?.spanContext();
    return span ? { trace_id: span.traceId, span_id: span.spanId } : {};
  }

  async close(): Promise<void> {
    const flushed = this.#provider.shutdown().catch((failure: unknown) => this.#warn(failure));
    await Promise.race([flushed, delay(FLUSH_TIMEOUT_MS, undefined, { ref: false })]);
    otel.context.disable();
    otel.propagation.disable();
  }

  get #tracer() {
    return this.#provider.getTracer('loupe');
  }

  #traced<Adapter extends object>(name: string, adapter: Adapter): Adapter {
    return new Proxy(adapter, {
      get: (target, property) => {
        const method: unknown = Reflect.get(target, property, target);
        if (typeof method !== 'function') return method;
        const call = `${name}.${String(property)}`;
        const stage = STAGES.get(call);
        if (stage === undefined) return method.bind(target);
        const options = {
          kind: stage === 'queue' ? otel.SpanKind.PRODUCER : otel.SpanKind.INTERNAL,
          attributes: stage === 'other' ? {} : { [STAGE]: stage },
        };
        return (...parameters: object[]) => {
          // Work outside a trace, such as recurring tasks, begins none.
          if (!otel.trace.getActiveSpan()) return Reflect.apply(method, target, parameters);
          return this.#within(call, options, async () => {
            const given = stage === 'queue' ? carrying(parameters) : parameters;
            const answer = await Reflect.apply(method, target, given);
            return call === 'EmbedderRegistry.forVersion' ? this.#traced('Embedder', answer) : answer;
          });
        };
      },
    });
  }

  #within<Result>(name: string, options: otel.SpanOptions, work: () => Promise<Result>): Promise<Result> {
    return this.#tracer.startActiveSpan(name, options, async (span) => {
      try {
        return await work();
      } catch (failure) {
        recordFailure(span, failure);
        throw failure;
      } finally {
        span.end();
      }
    });
  }

  #warn(failure: unknown): void {
    if (Date.now() - this.#warnedAt < WARNING_MS) return;
    this.#warnedAt = Date.now();
    this.logger.warn({ failure: String(failure) }, 'traces do not arrive and are dropped');
  }
}

/** The parameters of a call, its request with the trace for the process that does the work. */
function carrying([request, ...others]: object[]): object[] {
  const carrier = {};
  otel.propagation.inject(otel.context.active(), carrier);
  return [{ ...request, trace: carrier }, ...others];
}

function samplerOf({ OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: ratio }: TraceSettings) {
  const share = name.endsWith('traceidratio') ? ratio : Number(name.endsWith('always_on'));
  const root = new sdk.TraceIdRatioBasedSampler(share);
  return name.startsWith('parentbased_') ? new sdk.ParentBasedSampler({ root }) : root;
}

/** The answer was sent, or the caller hung up. */
function endOfRequest(
  span: otel.Span,
  req: IncomingMessage,
  res: ServerResponse & { locals?: Partial<Express.Locals> },
): void {
  const { route, requestId } = res.locals ?? {};
  const { statusCode: status, writableFinished } = res;
  if (route !== undefined) span.updateName(`${req.method} ${route}`).setAttribute('http.route', route);
  if (requestId !== undefined) span.setAttribute('loupe.request_id', requestId);
  if (writableFinished) span.setAttribute('http.response.status_code', status);
  if (!writableFinished || status >= 500) {
    span.setAttribute('error.type', writableFinished ? String(status) : 'aborted');
    span.setStatus({ code: otel.SpanStatusCode.ERROR });
  }
  span.end();
}

/** A caller's mistake is no error of the span. Of an unexpected failure only the name is recorded: its message may be private. */
function recordFailure(span: otel.Span, failure: unknown): void {
  const foreseen = failure instanceof AppError ? failure : null;
  const type = foreseen?.code ?? (failure instanceof Error ? failure.name : typeof failure);
  span.setAttribute('error.type', type);
  span.addEvent('exception', {
    'exception.type': type,
    ...(foreseen && { 'exception.message': foreseen.message }),
  });
  if (!foreseen || foreseen.status >= 500) span.setStatus({ code: otel.SpanStatusCode.ERROR });
}
