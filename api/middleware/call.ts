import { randomUUID } from 'node:crypto';
import type { Request, RequestHandler, Response } from 'express';
import type { Caller } from '../../models/access/api-key';
import type { CallContext } from '../../models/access/billing';

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

/** Who calls; a gate that asks without `authenticate` before it is a mistake in the table of endpoints. */
export function callerOf(res: Response): Caller {
  const { caller } = res.locals;
  if (!caller) throw new Error('A gate reads the caller before it is authenticated.');
  return caller;
}

/** Runs when the answer is sent or the caller hung up, whichever is first; at once when that has happened. */
export function onceClosed(res: Response, done: () => void): void {
  if (res.closed) done();
  else res.once('close', done);
}

/** Aborted when the caller hangs up before the whole answer is sent, also when that was long ago. */
function hangUpOf(res: Response): AbortSignal {
  const hangUp = new AbortController();
  onceClosed(res, () => {
    if (!res.writableFinished) hangUp.abort();
  });
  return hangUp.signal;
}

/**
 * Requests that a client sends ahead on one connection are begun one after the other: until its turn a response belongs
 * to no connection, and would never learn that its caller hung up.
 */
export const oneAtATime: RequestHandler = (_req, res, next) => {
  if (res.socket) next();
  else res.once('socket', () => next());
};
