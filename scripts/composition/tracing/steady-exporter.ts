import { type ExportResult, ExportResultCode } from '@opentelemetry/core';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace';
import type { Logger } from '../../../models/ports';

/**
 * An exporter whose failures are nobody's but its own: spans that do not arrive are dropped, and the log says once that
 * the collector is away and once that it is back.
 */
export class SteadyExporter implements SpanExporter {
  #away = false;

  constructor(
    private readonly exporter: SpanExporter,
    private readonly logger: Logger,
  ) {}

  export(spans: ReadableSpan[], done: (result: ExportResult) => void): void {
    this.exporter.export(spans, ({ code, error }) => {
      this.#told(code === ExportResultCode.SUCCESS, error);
      done({ code: ExportResultCode.SUCCESS });
    });
  }

  shutdown(): Promise<void> {
    return this.exporter.shutdown();
  }

  async forceFlush(): Promise<void> {
    await this.exporter.forceFlush?.();
  }

  #told(arrived: boolean, failure: Error | undefined): void {
    if (arrived && this.#away) this.logger.info({}, 'traces arrive again');
    if (!arrived && !this.#away)
      this.logger.warn({ failure: String(failure) }, 'traces do not arrive and are dropped');
    this.#away = !arrived;
  }
}
