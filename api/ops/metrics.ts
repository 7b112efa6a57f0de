import type { RequestHandler, Response } from 'express';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Identification } from '../../models/vision/vision-service';
import type { MetricSource } from '../api-services';

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 30];

/** What Prometheus reads at `/metrics`: requests, vision stages, credits, the queue, the process. */
export class Metrics {
  private readonly registry = new Registry();
  private readonly requests = new Histogram({
    name: 'loupe_http_request_duration_seconds',
    help: 'Time from the request line to the end of the answer.',
    labelNames: ['method', 'route', 'status'] as const,
    buckets: SECONDS,
    registers: [this.registry],
  });
  private readonly stages = new Histogram({
    name: 'loupe_vision_stage_duration_seconds',
    help: 'Time of each stage of an identification; the stage total is the whole of it.',
    labelNames: ['stage'] as const,
    buckets: SECONDS,
    registers: [this.registry],
  });
  private readonly identifications = new Counter({
    name: 'loupe_vision_identifications_total',
    help: 'Identifications that were answered, by whether anything was found.',
    labelNames: ['found'] as const,
    registers: [this.registry],
  });

  private readonly credits = new Counter({
    name: 'loupe_credits_charged_total',
    help: 'Credits that answers were charged.',
    labelNames: ['route'] as const,
    registers: [this.registry],
  });

  constructor(sources: readonly MetricSource[]) {
    collectDefaultMetrics({ register: this.registry });
    for (const { name, help, labels, read } of sources) {
      // By Prometheus' convention a name ending with `_total` is a counter.
      const Kind = name.endsWith('_total') ? Counter : Gauge;
      new Kind({
        name,
        help,
        labelNames: labels,
        registers: [this.registry],
        async collect() {
          // A figure that can't be read must not prevent the others.
          const values = await read().catch(() => []);
          this.reset();
          for (const [own, figure] of values) this.inc(own, figure);
        },
      });
    }
  }

  /** Measures every request, by the pattern of its address, so that ids do not become labels. */
  readonly measure: RequestHandler = (req, res, next) => {
    const done = this.requests.startTimer({ method: req.method });
    res.once('close', () => {
      const route = res.locals.route ?? 'unknown';
      done({ route, status: res.writableFinished ? String(res.statusCode) : 'aborted' });
      this.credits.inc({ route }, Number(res.getHeader('X-Credits-Used') ?? 0));
    });
    next();
  };

  readonly show: RequestHandler = async (_req, res) => {
    const text = await this.registry.metrics();
    // prom-client writes `Nan`, which the format does not know.
    res.set('Content-Type', this.registry.contentType).send(text.replace(/ Nan$/gm, ' NaN'));
  };

  /** Reports the times and the id of an identification, also to its caller (`Server-Timing`, `X-Prediction-Id`). */
  reportIdentification(res: Response, { predictionId, items, timings, totalMs }: Identification): void {
    const stages = [
      ['intake', timings.intakeMs],
      ['queue', timings.queueMs],
      ['embed', timings.embedMs],
      ['neighbours', timings.neighboursMs],
      ['rows', timings.rowsMs],
      ['total', totalMs],
    ] as const;
    for (const [stage, ms] of stages) this.stages.observe({ stage }, ms / 1000);
    this.identifications.inc({ found: String(items.length > 0) });
    const shown = stages.map(([stage, ms]) => `${stage};dur=${Math.round(ms * 10) / 10}`);
    res.setHeader('Server-Timing', shown.join(', '));
    res.setHeader('X-Prediction-Id', predictionId);
  }
}
