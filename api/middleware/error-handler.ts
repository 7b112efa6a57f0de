import type { ErrorRequestHandler, RequestHandler } from 'express';
import { type AppError, badRequest, notFound } from '../../models/errors';
import { classifyFailure } from './classify-failure';
import { type Balances, setFreeCreditHeaders } from './credit-headers';
import { errorBody } from './error-body';
import './locals';

/** 404 for every address that no route answers. */
export const unknownRoute: RequestHandler = () => {
  throw notFound('There is nothing at this address; /openapi.json lists what there is.');
};

/** 400 for HTTP/1.1 without a Host, which addresses of ours could not be built from. */
export const refuseMissingHost: RequestHandler = (req, _res, next) => {
  if (req.httpVersion === '1.1' && !req.headers.host) throw badRequest('Send a Host header.');
  next();
};

/**
 * The one place where failures become answers (contract 11.1). What it does not know is a 500 that says nothing
 * about its inside; the cause is logged under the request id.
 *
 * @param accounts where the balance of a limited account is read; null where no key is ever admitted
 */
export function errorHandler(accounts: Balances | null): ErrorRequestHandler {
  return async (thrown, req, res, _next) => {
    const failure = classifyFailure(thrown);
    if (failure.status >= 500 && !res.closed) logFailure(req, failure);
    if (res.headersSent || res.closed) return void res.destroy();
    for (const name of OF_SUCCESSES) res.removeHeader(name);
    res.set(failure.headers);
    await setFreeCreditHeaders(res, OVERLOADED.has(failure.status) ? null : accounts);
    res.setHeader('Cache-Control', 'no-store');
    res.status(failure.status).json(errorBody(failure, res.locals.requestId));
  };
}

/** What a route may have said of an answer that did not come about. */
const OF_SUCCESSES = [
  'Content-Disposition',
  'Content-Type',
  'ETag',
  'Last-Modified',
  'Server-Timing',
  'X-Prediction-Id',
];

/** Such a refusal must cost next to nothing, and comes so soon that nothing has changed. */
const OVERLOADED = new Set([429, 503]);

function logFailure(req: Parameters<ErrorRequestHandler>[1], failure: AppError): void {
  const { cause } = failure;
  const detail = cause instanceof Error ? { error: cause.message, stack: cause.stack } : { error: cause };
  req.log.error({ status: failure.status, code: failure.code, ...detail }, failure.message);
}
