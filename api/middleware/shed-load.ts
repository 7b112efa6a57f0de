import type { RequestHandler, Response } from 'express';
import { unavailable } from '../../models/errors';
import type { Clock, VisionCaller, VisionQueue } from '../../models/ports';
import type { LifecycleState } from '../api-services';
import { callerOf, onceClosed } from './call';
import type { Gate } from './gate';

/** 503 for every call while the process starts or stops; a stopping one also asks its callers to connect anew. */
export function lifecycleGate(state: () => LifecycleState): RequestHandler {
  return (_req, res, next) => {
    const now = state();
    if (now === 'ready') return next();
    if (now === 'stopping') res.setHeader('Connection', 'close');
    throw unavailable(`The service is ${now}; try again.`, now === 'starting' ? 2 : 1);
  };
}

/**
 * 503 for a photo that the workers can't get to within the deadline, before its body is read: in an overload a refusal
 * costs next to nothing, so that what can be answered is.
 */
export function shedLoad(queue: Pick<VisionQueue, 'admit'>, clock: Clock, deadlineMs: number): Gate {
  return (_req, res) => queue.admit(visionCallerOf(res, clock, deadlineMs));
}

/**
 * 503 as above, once the body is here: many may have passed before it at the same time. From now on the call counts
 * among those that come before others, until it ends.
 */
export function takePlace(queue: Pick<VisionQueue, 'enter'>, clock: Clock, deadlineMs: number): Gate {
  return async (_req, res) => {
    const place = await queue.enter(visionCallerOf(res, clock, deadlineMs));
    onceClosed(res, () => place.leave());
  };
}

const visionCallerOf = (res: Response, clock: Clock, deadlineMs: number): VisionCaller => ({
  accountId: callerOf(res).accountId,
  deadlineAt: clock.now().getTime() + deadlineMs,
});
