import { randomUUID } from 'node:crypto';
import type { Request, Response } from 'express';
import type { Caller } from '../../models/access/api-key';
import type { CallContext } from '../../models/access/billing';
import { hangUpOf } from './hang-up';
import './locals';

/** The call as services know it. Its signal is aborted when the caller hangs up or the deadline is over; HEAD is free. */
export function callOf(req: Request, res: Response, endpoint: string): CallContext {
  const { requestId, deadline, claimed, openRoom } = res.locals;
  const hangUp = hangUpOf(res);
  return {
    caller: callerOf(res),
    requestId,
    endpoint,
    signal: deadline ? AbortSignal.any([hangUp, deadline.signal]) : hangUp,
    ...(openRoom ? { openRoom } : {}),
    free: req.method === 'HEAD',
    ...(claimed ?? { chargeId: randomUUID() }),
  };
}

/** Who calls; a route that asks without `authenticate` before it is a mistake in the route table. */
export function callerOf(res: Response): Caller {
  const { caller } = res.locals;
  if (!caller) throw new Error('A route reads the caller without admitting it first.');
  return caller;
}
