import type { AppError, ErrorCode } from '../../models/errors';
import * as errors from '../../models/errors';
import { callerOf, type Middleware } from './call';

/** Examples of each refusal: in the reference, and for test keys, which get the first of a status and reason. */
export const REFUSALS: Readonly<Record<ErrorCode, readonly AppError[]>> = {
  bad_request: [
    errors.badRequest('page_size: must be at least 1.', { field: 'page_size' }),
    errors.badRequest('The category "handbags" has no "family"; take one of allowed_taxonomy_nodes.', {
      field: 'taxonomy_node',
      allowed_taxonomy_nodes: ['product', 'category', 'brand', 'model', 'style'],
    }),
  ],
  unauthorized: [errors.unauthorized()],
  insufficient_credits: [errors.insufficientCredits(10)],
  forbidden: [
    errors.forbidden('This key does not open API v3; it opens v1.'),
    errors.forbidden('This key lacks the scope vision:identify; it has catalog:read.'),
  ],
  not_found: [errors.itemNotFound()],
  method_not_allowed: [errors.methodNotAllowed(['POST'])],
  conflict: [
    errors.idempotencyConflict(),
    errors.conflict('This Idempotency-Key stands for a call with another body; take a new one.'),
  ],
  payload_too_large: [errors.payloadTooLarge(1024 * 1024), errors.tooManyRecords(1000)],
  unsupported_media_type: [errors.unsupportedMediaType()],
  unprocessable: [
    errors.undecodableImage(),
    errors.unprocessable('image_format', 'This is GIF; send JPEG, PNG, WebP.'),
    errors.unprocessable('image_too_large', 'The image is larger than 20971520 bytes.'),
    errors.unprocessable('url_blocked', 'The address does not lead to a public host.'),
    errors.unprocessable('url_unreachable', 'The host of the address does not answer.'),
    errors.unprocessable('url_timeout', 'The image did not arrive within 10000 ms.'),
    errors.unprocessable('url_status', 'The address answered with HTTP status 404.'),
  ],
  rate_limited: [
    errors.rateLimited('This key may make 50 calls per second.', {
      limit: 50,
      remaining: 0,
      resetSeconds: 1,
    }),
  ],
  headers_too_large: [errors.headersTooLarge()],
  internal_error: [errors.internalError('a test key asked for it')],
  unavailable: [errors.unavailable('A part of the service is away; try again.', 2)],
  timeout: [errors.timeout(15_000)],
};

const HEADER = 'X-Loupe-Force';
const ALL = Object.values(REFUSALS).flat();

/** Refusals that are decided before a key is admitted to the endpoint, and reveal nothing of its account. */
const BEFORE_KEY = new Set([401, 403, 405, 431]);

/** Gives a test key the refusal that it requests in `X-Loupe-Force`, before anything is counted or read (contract 9.10). */
export const simulateError =
  (visionDeadlineMs: number): Middleware =>
  (req, res) => {
    const requested = req.get(HEADER);
    if (requested === undefined || !callerOf(res).test) return;
    const { methods = [] } = res.locals;
    const found = ALL.find(
      ({ status, extras: { reason } }) =>
        requested === String(status) || (reason !== undefined && requested === `${status} ${reason}`),
    );
    if (!found) {
      const statuses = [...new Set(ALL.map(({ status }) => status))].join(', ');
      const message = `${HEADER}: must be one of ${statuses}; 422 with a reason such as url_timeout.`;
      throw errors.badRequest(message, { field: HEADER });
    }
    if (BEFORE_KEY.has(found.status)) delete res.locals.caller;
    // Alerts watch how routes fail.
    res.locals.route = 'forced';
    res.locals.isForced = true;
    const own: Readonly<Record<number, AppError>> = {
      400: errors.badRequest(`${HEADER}: a 400 was asked for.`, { field: HEADER }),
      405: errors.methodNotAllowed(methods),
      504: errors.timeout(visionDeadlineMs),
    };
    throw own[found.status] ?? found;
  };
