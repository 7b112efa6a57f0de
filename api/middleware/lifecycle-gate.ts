import type { RequestHandler } from 'express';
import { unavailable } from '../../models/errors';
import type { LifecycleState } from '../api-services';

/** 503 for every call while the process starts or stops; a stopping one also asks its callers to connect anew. */
export function lifecycleGate(state: () => LifecycleState): RequestHandler {
  return (_req, res, next) => {
    const now = state();
    if (now === 'ready') return next();
    if (now === 'stopping') res.setHeader('Connection', 'close');
    throw unavailable(`The service is ${now}; try again.`, now === 'starting' ? 2 : 1);
  };
}
