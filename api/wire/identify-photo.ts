import type { Response } from 'express';
import type { CallContext, Priced } from '../../models/access/billing';
import type { Identification, IdentifyRequest, VisionService } from '../../models/vision/vision-service';

/** Counts what identifications took and whether they found anything. */
export interface VisionObserver {
  observeVision(stages: readonly [stage: string, ms: number][], found: boolean): void;
}

/** Identifies what photos show on behalf of any API version, and leaves its timings in the headers. */
export type PhotoIdentifier = (
  call: CallContext,
  res: Response,
  request: IdentifyRequest,
) => Promise<Priced<Identification>>;

/** What the vision endpoints share: `Server-Timing` tells the milliseconds of each stage, `X-Prediction-Id` under which id the answer is recorded. */
export function photoIdentifier(vision: VisionService, metrics: VisionObserver): PhotoIdentifier {
  return async (call, res, request) => {
    const identified = await vision.identify(call, request);
    const stages = stagesOf(identified.value);
    metrics.observeVision(stages, identified.value.items.length > 0);
    res.setHeader('Server-Timing', stages.map(([stage, ms]) => `${stage};dur=${round(ms)}`).join(', '));
    res.setHeader('X-Prediction-Id', identified.value.predictionId);
    return identified;
  };
}

/** Each stage of an identification with its milliseconds, in order. */
const stagesOf = ({ timings, totalMs }: Identification): [stage: string, ms: number][] => [
  ['intake', timings.intakeMs],
  ['queue', timings.queueMs],
  ['embed', timings.embedMs],
  ['neighbours', timings.neighboursMs],
  ['rows', timings.rowsMs],
  ['total', totalMs],
];

const round = (ms: number): number => Math.round(ms * 10) / 10;
