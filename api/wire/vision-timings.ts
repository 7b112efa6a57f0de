import type { Response } from 'express';
import type { Identification } from '../../models/vision/vision-service';

/** Records how long identifications took and whether they found anything. */
export interface VisionObserver {
  observeVision(stages: readonly [stage: string, ms: number][], found: boolean): void;
}

/** Reports the times and the id of an identification to metrics and caller (`Server-Timing`, `X-Prediction-Id`). */
export function reportTimings(res: Response, metrics: VisionObserver, found: Identification): void {
  const { predictionId, items, timings, totalMs } = found;
  const stages: [stage: string, ms: number][] = [
    ['intake', timings.intakeMs],
    ['queue', timings.queueMs],
    ['embed', timings.embedMs],
    ['neighbours', timings.neighboursMs],
    ['rows', timings.rowsMs],
    ['total', totalMs],
  ];
  metrics.observeVision(stages, items.length > 0);
  const rounded = (ms: number): number => Math.round(ms * 10) / 10;
  res.setHeader('Server-Timing', stages.map(([stage, ms]) => `${stage};dur=${rounded(ms)}`).join(', '));
  res.setHeader('X-Prediction-Id', predictionId);
}
