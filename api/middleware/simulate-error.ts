import {
  type AppError,
  badRequest,
  conflict,
  type ErrorCode,
  forbidden,
  headersTooLarge,
  idempotencyConflict,
  insufficientCredits,
  internalError,
  itemNotFound,
  methodNotAllowed,
  payloadTooLarge,
  rateLimited,
  timeout,
  tooManyRecords,
  unauthorized,
  unavailable,
  unprocessable,
  unsupportedMediaType,
} from '../../models/errors';
import { callerOf, type Middleware } from './call';

/**
 * Refusals of each code as callers meet them: what a test key can ask for, and the examples of the reference. Of those with
 * one status and reason the first is given.
 */
export const REFUSALS: Readonly<Record<ErrorCode, readonly AppError[]>> = {
  bad_request: [
    badRequest('page_size: must be at least 1.', { field: 'page_size' }),
    badRequest('The category "handbags" has no "family"; take one of allowed_taxonomy_nodes.', {
      field: 'taxonomy_node',
      allowed_taxonomy_nodes: ['product', 'category', 'brand', 'model', 'style'],
    }),
  ],
  unauthorized: [unauthorized()],
  insufficient_credits: [insufficientCredits(10)],
  forbidden: [
    forbidden('This key does not open API v3; it opens v1.'),
    forbidden('This key lacks the scope vision:identify; it has catalog:read.'),
  ],
  not_found: [itemNotFound()],
  method_not_allowed: [methodNotAllowed(['POST'])],
  conflict: [
    idempotencyConflict(),
    conflict('This Idempotency-Key stands for a call with another body; take a new one.'),
  ],
  payload_too_large: [payloadTooLarge(1024 * 1024), tooManyRecords(1000)],
  unsupported_media_type: [unsupportedMediaType()],
  unprocessable: [
    unprocessable('image_undecodable', 'The image is damaged or truncated and can not be decoded.'),
    unprocessable('image_format', 'This is GIF; send JPEG, PNG, WebP.'),
    unprocessable('image_too_large', 'The image is larger than 20971520 bytes.'),
    unprocessable('url_blocked', 'The address does not lead to a public host.'),
    unprocessable('url_unreachable', 'The host of the address does not answer.'),
    unprocessable('url_timeout', 'The image did not arrive within 10000 ms.'),
    unprocessable('url_status', 'The address answered with HTTP status 404.'),
  ],
  rate_limited: [
    rateLimited('This key may make 50 calls per second.', { limit: 50, remaining: 0, resetSeconds: 1 }),
  ],
  headers_too_large: [headersTooLarge()],
  internal_error: [internalError('a test key asked for it')],
  unavailable: [unavailable('A part of the service is away; try again.', 2)],
  timeout: [timeout(15_000)],
};

const HEADER = 'X-Loupe-Force';
const ALL = Object.values(REFUSALS).flat();

/** Refusals that are decided before a key is known to open the endpoint, and tell nothing of its account. */
const BEFORE_KEY = new Set([401, 403, 405, 431]);

/**
 * Gives a test key the refusal that it asks for in `X-Loupe-Force`, before anything is counted or read (contract 9.10):
 * a status, and of a 422 perhaps the reason. 400 for anything else. The header of a live key is ignored.
 */
export const simulateError =
  (visionDeadlineMs: number): Middleware =>
  (req, res) => {
    const asked = req.get(HEADER);
    if (asked === undefined || !callerOf(res).test) return;
    const { methods = [] } = res.locals;
    const found = ALL.find(
      ({ status, extras: { reason } }) =>
        asked === String(status) || (reason !== undefined && asked === `${status} ${reason}`),
    );
    if (!found) {
      const statuses = [...new Set(ALL.map(({ status }) => status))].join(', ');
      const message = `${HEADER}: must be one of ${statuses}; 422 with a reason such as url_timeout.`;
      throw badRequest(message, { field: HEADER });
    }
    if (BEFORE_KEY.has(found.status)) delete res.locals.caller;
    // Alerts look at how routes fail.
    res.locals.route = 'forced';
    res.locals.isForced = true;
    const own: Readonly<Record<number, AppError>> = {
      400: badRequest(`${HEADER}: a 400 was asked for.`, { field: HEADER }),
      405: methodNotAllowed(methods),
      504: timeout(visionDeadlineMs),
    };
    throw own[found.status] ?? found;
  };
