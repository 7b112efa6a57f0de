import { randomUUID } from 'node:crypto';
import type { RequestHandler } from 'express';
import type { Logger } from 'pino';

const KEPT_ID = /^[A-Za-z0-9._-]{8,128}$/;

/** Addresses that machines request every few seconds. */
const QUIET = new Set(['/healthz', '/readyz', '/metrics']);

/**
 * Names each request: an incoming `X-Request-Id` of the right form is kept, and every answer carries it (contract 12.1).
 * One structured line per request: method, path, status, time, request id, key id. Never headers, bodies or query strings,
 * since those contain keys (contract 9.6), photos and signatures.
 */
export function requestLog(logger: Logger): RequestHandler {
  return (req, res, next) => {
    const begun = Date.now();
    const given = req.get('X-Request-Id');
    const requestId = given !== undefined && KEPT_ID.test(given) ? given : randomUUID();
    res.locals.requestId = requestId;
    res.locals.logger = logger;
    res.setHeader('X-Request-Id', requestId);
    let failure: Error | undefined;
    res.once('error', (error) => {
      failure = error;
    });
    res.once('close', () => {
      const { statusCode: status, locals } = res;
      const path = req.originalUrl.split('?', 1)[0] ?? '';
      const isFailed = failure !== undefined || status >= 500;
      const line = {
        ...{ requestId, req: { method: req.method, path } },
        res: { status, keyId: locals.caller?.keyId, forced: locals.isForced },
        ...(isFailed && { err: failure?.message ?? `failed with status code ${status}` }),
        durationMs: Date.now() - begun,
      };
      const quiet = QUIET.has(path) ? 'debug' : 'info';
      logger[status >= 500 && !locals.isForced ? 'error' : quiet](line, isFailed ? 'failed' : 'answered');
    });
    next();
  };
}
