import type { Request, Response } from 'express';
import type { Billed } from '../../models/access/billing';
import type { ImageInput } from '../../models/vision/image-input';
import type { Identification, VisionService } from '../../models/vision/vision-service';
import { callOf } from '../http/call';
import { setCreditHeaders } from '../http/credit-headers';
import { deadlineOf } from '../http/keep-deadline';
import type { Metrics } from '../ops/metrics';

/** Identifies a photo on behalf of any API version, and leaves its credits and timings in the headers. */
export type PhotoIdentifier = (
  req: Request,
  res: Response,
  endpoint: string,
  image: ImageInput,
  options: { readonly pricing: boolean; readonly price: number },
) => Promise<Billed<Identification>>;

/**
 * What the vision endpoints share: the call ends at its deadline with 504, also while its photo is being fetched or a
 * store hangs, and its work stops when the caller hangs up. `Server-Timing` tells the milliseconds of each stage.
 */
export function photoIdentifier(vision: VisionService, metrics: Metrics): PhotoIdentifier {
  return async (req, res, endpoint, image, options) => {
    const call = callOf(req, res, endpoint);
    const deadline = deadlineOf(res);
    const signal = call.signal ? AbortSignal.any([call.signal, deadline.signal]) : deadline.signal;
    const billed = await deadline.keptBy(vision.identify({ ...call, signal }, image, options));
    const stages = stagesOf(billed.value);
    metrics.observeVision(stages, billed.value.items.length > 0);
    res.setHeader('Server-Timing', stages.map(([stage, ms]) => `${stage};dur=${round(ms)}`).join(', '));
    setCreditHeaders(res, billed);
    return billed;
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
