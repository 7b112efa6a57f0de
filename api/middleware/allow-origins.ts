import cors from 'cors';
import { Router } from 'express';
import type { ApiSettings } from '../api-services';
import { LIMIT_HEADERS, PUBLIC_PREFIXES } from '../endpoints';

/** Browsers ask again after a day at most; each has its own lower limit. */
const PREFLIGHT_SECONDS = 86_400;

/** Lets pages of other origins call the API, images and data files, but not the operators' API (contract 12.5). */
export function allowOrigins(origins: ApiSettings['corsOrigins']): Router {
  const router = Router();
  if (origins.length === 0) return router;
  const allow = cors({
    origin: origins === '*' ? '*' : [...origins],
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'],
    allowedHeaders: [
      'Authorization',
      'Content-Type',
      'Idempotency-Key',
      'X-Request-Id',
      'X-Loupe-Force',
      'traceparent',
      'tracestate',
    ],
    exposedHeaders: [
      'X-Request-Id',
      'X-Credits-Used',
      'X-Credits-Remaining',
      ...LIMIT_HEADERS,
      'Retry-After',
      'X-Prediction-Id',
      'Idempotency-Replayed',
      'Deprecation',
      'Server-Timing',
    ],
    maxAge: PREFLIGHT_SECONDS,
  });
  router.use(PUBLIC_PREFIXES, (req, res, next) => {
    // Any other OPTIONS is a method that the address does not have.
    const isPreflight =
      req.headers.origin !== undefined && req.headers['access-control-request-method'] !== undefined;
    return req.method === 'OPTIONS' && !isPreflight ? next() : allow(req, res, next);
  });
  return router;
}
