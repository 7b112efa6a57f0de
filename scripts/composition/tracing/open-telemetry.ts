import type { RequestListener } from 'node:http';
import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import {
  type Context,
  defaultTextMapGetter,
  defaultTextMapSetter,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import type { Logger, TraceContext } from '../../../models/ports';
import type { PhotoPipeline } from '../../../workers/pipeline';
import { exporterTo, samplerOf } from './exporter';
import { recordFailure } from './record-failure';
import { endRequestSpan, isTracedRequest, requestAttributes } from './request-span';
import type { TraceSettings } from './settings';
import { type TracedCall, tracedAdapter, tracedCallsOf } from './traced-calls';
import type { Tracing } from './tracing';

/** What a stop waits for a collector that does not answer. */
const FLUSH_TIMEOUT_MS = 3_000;

/** Longer ones say nothing more, and a caller chooses its path. */
const ATTRIBUTE_LENGTH_MAX = 512;

/** Traces as spans of OpenTelemetry, sent by OTLP. Nothing of it is global: each service of a process has its own. */
export class OpenTelemetry implements Tracing {
  readonly #contexts = new AsyncLocalStorageContextManager().enable();
  readonly #propagator = new W3CTraceContextPropagator();
  readonly #provider: TracerProvider;
  readonly #tracer: Tracer;

  constructor(endpoint: string, settings: TraceSettings, logger: Logger) {
    const identity = resourceFromAttributes({
      'service.instance.id': `${hostname()}:${process.pid}`,
      ...settings.OTEL_RESOURCE_ATTRIBUTES,
      'service.name': settings.OTEL_SERVICE_NAME,
    });
    this.#provider = new TracerProvider({
      resource: defaultResource().merge(identity),
      sampler: samplerOf(settings),
      spanLimits: { attributeValueLengthLimit: ATTRIBUTE_LENGTH_MAX },
      spanProcessors: [new BatchSpanProcessor({ exporter: exporterTo(endpoint, settings, logger) })],
    });
    this.#tracer = this.#provider.getTracer('loupe');
  }

  requests(listener: RequestListener): RequestListener {
    return (req, res) => {
      if (!isTracedRequest(req)) return listener(req, res);
      const caller = this.#propagator.extract(ROOT_CONTEXT, req.headers, defaultTextMapGetter);
      const options = { kind: SpanKind.SERVER, attributes: requestAttributes(req) };
      const span = this.#tracer.startSpan(req.method ?? 'HTTP', options, caller);
      res.once('close', () => endRequestSpan(span, req, res));
      const context = trace.setSpan(caller, span);
      // What listens to the end of the answer, such as the log, belongs to the trace as well.
      for (const emitter of [req, res]) this.#contexts.bind(context, emitter);
      return this.#contexts.with(context, () => listener(req, res));
    };
  }

  port<Port extends object>(token: symbol, adapter: Port): Port {
    return tracedAdapter(adapter, tracedCallsOf(token), (call, work) => this.#call(call, work));
  }

  photos(pipeline: PhotoPipeline): PhotoPipeline {
    return {
      neighbours: (photo) => {
        if (!photo.trace) return pipeline.neighbours(photo);
        const parent = this.#propagator.extract(ROOT_CONTEXT, photo.trace, defaultTextMapGetter);
        const taken = Date.now();
        const waiting = { startTime: taken - photo.queueMs, attributes: { [STAGE]: 'queue' } };
        this.#tracer.startSpan('wait in queue', waiting, parent).end(taken);
        const span = this.#tracer.startSpan('answer photo', { kind: SpanKind.CONSUMER }, parent);
        return this.#within(span, parent, () => pipeline.neighbours(photo));
      },
    };
  }

  logFields(): object {
    const span = trace.getSpanContext(this.#contexts.active());
    return span ? { trace_id: span.traceId, span_id: span.spanId } : {};
  }

  async close(): Promise<void> {
    const flushed = new AbortController();
    const limit = delay(FLUSH_TIMEOUT_MS, undefined, { signal: flushed.signal });
    await Promise.race([this.#provider.shutdown(), limit]).catch(() => undefined);
    flushed.abort();
    this.#contexts.disable();
  }

  /** Work that no trace began, such as that of the background, begins none. */
  #call<Result>(
    { span: name, stage, takesTraceAlong }: TracedCall,
    work: (carried: TraceContext | undefined) => Promise<Result>,
  ): Promise<Result> {
    const around = this.#contexts.active();
    if (!trace.getSpanContext(around)) return work(undefined);
    const span = this.#tracer.startSpan(
      name,
      {
        kind: takesTraceAlong ? SpanKind.PRODUCER : SpanKind.INTERNAL,
        attributes: stage ? { [STAGE]: stage } : {},
      },
      around,
    );
    return this.#within(span, around, (context) => work(this.#carried(context)));
  }

  async #within<Result>(
    span: Span,
    around: Context,
    work: (context: Context) => Promise<Result>,
  ): Promise<Result> {
    const context = trace.setSpan(around, span);
    try {
      return await this.#contexts.with(context, () => work(context));
    } catch (failure) {
      recordFailure(span, failure);
      throw failure;
    } finally {
      span.end();
    }
  }

  #carried(context: Context): TraceContext | undefined {
    const carrier: { traceparent?: string; tracestate?: string } = {};
    this.#propagator.inject(context, carrier, defaultTextMapSetter);
    const { traceparent, tracestate } = carrier;
    if (traceparent === undefined) return undefined;
    return { traceparent, ...(tracestate === undefined ? {} : { tracestate }) };
  }
}

/** The stage of an identification, as in the metrics. */
const STAGE = 'loupe.stage';
