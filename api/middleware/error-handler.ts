import type { ErrorRequestHandler, RequestHandler } from 'express';
import { AppError, internalError, notFound, unavailable } from '../../models/errors';
import { type Balances, setFreeCreditHeaders } from './call';

export const unknownRoute: RequestHandler = () => {
  throw notFound('There is nothing at this address; /openapi.json lists what there is.');
};

/**
 * The one place where failures become answers (contract 11.1). The cause of a 500 is logged under the request id.
 * @param accounts reads the balance of a limited account; null if no key is ever admitted
 */
export const errorHandler =
  (accounts: Balances | null): ErrorRequestHandler =>
  async (thrown, _req, res, _next) => {
    const failure = classifyFailure(thrown);
    if (failure.status >= 500 && !res.closed && !res.locals.isForced) {
      const { status, code, cause } = failure;
      const detail = cause instanceof Error ? { error: cause.message, stack: cause.stack } : { error: cause };
      const { requestId, logger } = res.locals;
      logger.error({ requestId, status, code, ...detail }, failure.message);
    }
    if (res.headersSent || res.closed) return void res.destroy();
    await setFreeCreditHeaders(res, OVERLOADED.has(failure.status) ? null : accounts);
    // Work that ran past its deadline may have set them meanwhile.
    for (const name of OF_SUCCESSES) res.removeHeader(name);
    res.set(failure.headers);
    res.setHeader('Cache-Control', 'no-store');
    res.status(failure.status).json(errorBody(failure, res.locals.requestId));
  };

/** Such a refusal must cost next to nothing, and is so quick that nothing has changed. */
const OVERLOADED = new Set([429, 503]);

/** Work that was abandoned while it waited for another component. */
const GIVEN_UP = new Set<unknown>(['TimeoutError', 'AbortError']);

/** Any failure as one that can be answered: ours unchanged, abandoned work as 503, everything else as 500. */
export function classifyFailure(failure: unknown): AppError {
  if (failure instanceof AppError) return failure;
  if (GIVEN_UP.has(Object(failure).name)) {
    return unavailable('A part of the service is away; try again.', 2, failure);
  }
  return internalError(failure);
}

/** Characters of a message or a path at most: both may quote input of any length. */
const TEXT_LENGTH_MAX = 300;

/** The body of every error (contract 11.1). */
export const errorBody = ({ code, message, extras }: AppError, requestId: string) => ({
  success: false,
  error: code,
  message: shortened(message),
  request_id: requestId,
  ...extras,
  ...(extras.field === undefined ? {} : { field: shortened(extras.field) }),
});

const shortened = (text: string): string =>
  text.length <= TEXT_LENGTH_MAX ? text : `${text.slice(0, TEXT_LENGTH_MAX).replace(/\p{Surrogate}$/u, '')}…`;

/** Headers that a route may have set for an answer that was never sent. */
const OF_SUCCESSES = [
  'Content-Disposition',
  'Content-Type',
  'ETag',
  'Location',
  'Last-Modified',
  'Server-Timing',
  'X-Prediction-Id',
];
