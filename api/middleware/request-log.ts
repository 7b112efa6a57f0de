import { randomUUID } from 'node:crypto';
import type { Request, RequestHandler, Response } from 'express';
import type { Logger } from 'pino';
import { pinoHttp } from 'pino-http';

const KEPT_ID = /^[A-Za-z0-9._-]{8,128}$/;

/** Addresses that machines request every few seconds. */
const QUIET = new Set(['/healthz', '/readyz', '/metrics']);

/**
 * Names each request: an incoming `X-Request-Id` of the right form is kept, and every answer carries it (contract 12.1).
 * One structured line per request: method, path, status, time, request id, key id. Never headers, bodies or query strings,
 * since those contain keys (contract 9.6), photos and signatures.
 */
export function requestLog(logger: Logger): RequestHandler {
  return pinoHttp<Request, Response>({
    logger,
    genReqId: (req, res) => {
      const given = req.get('X-Request-Id');
      res.locals.requestId = given !== undefined && KEPT_ID.test(given) ? given : randomUUID();
      res.setHeader('X-Request-Id', res.locals.requestId);
      return res.locals.requestId;
    },
    quietReqLogger: true,
    customAttributeKeys: { reqId: 'requestId', responseTime: 'durationMs' },
    wrapSerializers: false,
    serializers: {
      req: (req: Request) => ({ method: req.method, path: pathOf(req) }),
      res: (res: Response) => ({
        status: res.statusCode,
        keyId: res.locals.caller?.keyId,
        forced: res.locals.isForced,
      }),
      err: (failure: Error) => failure.message,
    },
    customLogLevel: (req, res) => {
      if (res.statusCode >= 500 && !res.locals.isForced) return 'error';
      return QUIET.has(pathOf(req)) ? 'debug' : 'info';
    },
    customSuccessMessage: () => 'answered',
    customErrorMessage: () => 'failed',
  });
}

const pathOf = (req: Request): string => req.originalUrl.split('?', 1)[0] ?? '';
