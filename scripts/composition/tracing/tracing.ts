import type { RequestListener } from 'node:http';
import type { PhotoPipeline } from '../../../workers/pipeline';

/**
 * Follows one call through the processes that work on it. It is put around the edges and ports of a process from
 * outside: the code between knows nothing of it but the `trace` that travels with a photo.
 */
export interface Tracing {
  /** Each request is a trace, or goes on with its caller's (W3C `traceparent`). */
  requests(listener: RequestListener): RequestListener;
  /** The adapter of a port, with a span around each call of it that takes time. */
  port<Port extends object>(token: symbol, adapter: Port): Port;
  /** The pipeline, as a part of the trace that a photo came with. */
  photos(pipeline: PhotoPipeline): PhotoPipeline;
  /** What a log line says of the trace in which it is written. */
  logFields(): object;
  /** Sends what was not sent yet, for a limited time. */
  close(): Promise<void>;
}

/** Everything as it is. */
export const NO_TRACING: Tracing = {
  requests: (listener) => listener,
  port: (_token, adapter) => adapter,
  photos: (pipeline) => pipeline,
  logFields: () => ({}),
  close: async () => undefined,
};
