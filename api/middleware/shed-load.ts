import type { Response } from 'express';
import type { Clock, VisionCaller, VisionQueue } from '../../models/ports';
import { callerOf, type Gate, onceClosed } from './call';

/**
 * 503 for a photo that the workers can't get to within the deadline, before its body is read: in an overload a refusal
 * costs next to nothing, so that what can be answered is.
 */
export function shedLoad(queue: Pick<VisionQueue, 'admit'>, clock: Clock, deadlineMs: number): Gate {
  return (_req, res) => queue.admit(visionCallerOf(res, clock, deadlineMs));
}

/**
 * 503 as above, once the body is here: many may have passed before it at the same time. From now on the photos of the call
 * count among those that come before others, until it ends.
 */
export function takePlaces(queue: Pick<VisionQueue, 'enter'>, clock: Clock, deadlineMs: number) {
  return async (res: Response, photos: number): Promise<void> => {
    const place = await queue.enter({ ...visionCallerOf(res, clock, deadlineMs), photos });
    onceClosed(res, () => place.leave());
  };
}

const visionCallerOf = (res: Response, clock: Clock, deadlineMs: number): VisionCaller => ({
  accountId: callerOf(res).accountId,
  deadlineAt: clock.now().getTime() + deadlineMs,
});
