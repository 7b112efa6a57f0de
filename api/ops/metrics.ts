import type { RequestHandler } from 'express';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { VisionQueue } from '../../models/ports';
import '../http/locals';

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 30];

/** What Prometheus reads at `/metrics`: requests, vision stages, the queue, the process. */
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

  /** @param queue whose depth is told; null in processes that send nothing to the queue */
  constructor(queue: Pick<VisionQueue, 'depth'> | null) {
    collectDefaultMetrics({ register: this.registry });
    if (queue) this.tellDepth(queue);
  }

  /** Measures every request, by the pattern of its address, so that ids make no labels. */
  readonly measure: RequestHandler = (req, res, next) => {
    const done = this.requests.startTimer({ method: req.method });
    res.once('close', () =>
      done({
        route: res.locals.route ?? 'unknown',
        status: res.writableFinished ? String(res.statusCode) : 'aborted',
      }),
    );
    next();
  };

  /** Serves the metrics in the format of Prometheus. */
  readonly show: RequestHandler = async (_req, res) => {
    res.set('Content-Type', this.registry.contentType).send(await this.registry.metrics());
  };

  /** Counts one identification with the milliseconds of its stages. */
  observeVision(stages: readonly (readonly [stage: string, ms: number])[], found: boolean): void {
    for (const [stage, ms] of stages) this.stages.observe({ stage }, ms / 1000);
    this.identifications.inc({ found: String(found) });
  }

  private tellDepth(queue: Pick<VisionQueue, 'depth'>): void {
    new Gauge({
      name: 'loupe_vision_queue_jobs',
      help: 'Photos in the queue, by state.',
      labelNames: ['state'] as const,
      registers: [this.registry],
      async collect() {
        // A queue that is away has no depth; the other metrics must still be readable.
        const depth = await queue.depth().catch(() => null);
        this.reset();
        if (depth) {
          this.set({ state: 'waiting' }, depth.waiting);
          this.set({ state: 'active' }, depth.active);
        }
      },
    });
  }
}
