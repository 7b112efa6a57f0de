import type { RequestHandler, Response } from 'express';

/**
 * Requests that a client sends ahead on one connection are begun one after the other: until its turn a response belongs
 * to no connection, and would never learn that its caller hung up.
 */
export const oneAtATime: RequestHandler = (_req, res, next) => {
  if (res.socket) next();
  else res.once('socket', () => next());
};

/** Runs when the answer is sent or the caller hung up, whichever is first; at once when that has happened. */
export function onceClosed(res: Response, done: () => void): void {
  if (res.closed) done();
  else res.once('close', done);
}

/** Aborted when the caller hangs up before the whole answer is sent, also when that was long ago. */
export function hangUpOf(res: Response): AbortSignal {
  const hangUp = new AbortController();
  onceClosed(res, () => {
    if (!res.writableFinished) hangUp.abort();
  });
  return hangUp.signal;
}
