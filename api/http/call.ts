import type { Request, Response } from 'express';
import type { Caller } from '../../models/access/api-key';
import type { CallContext } from '../../models/access/billing';
import './locals';

/** The call as services know it. Its signal is aborted when the caller hangs up; HEAD is never charged. */
export function callOf(req: Request, res: Response, endpoint: string): CallContext {
  const hangUp = new AbortController();
  res.once('close', () => {
    if (!res.writableFinished) hangUp.abort();
  });
  return {
    caller: callerOf(res),
    requestId: res.locals.requestId,
    endpoint,
    signal: hangUp.signal,
    free: req.method === 'HEAD',
    ...(res.locals.chargeId === undefined ? {} : { chargeId: res.locals.chargeId }),
  };
}

/** Who calls; a route that asks without `admit` before it is a mistake in the route table. */
export function callerOf(res: Response): Caller {
  const { caller } = res.locals;
  if (!caller) throw new Error('A route reads the caller without admitting it first.');
  return caller;
}
