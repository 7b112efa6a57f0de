/** Failures that callers see (contract 11.2): `message` is public, `cause` is logged and never answered. */
const STATUS_OF = {
  bad_request: 400,
  unauthorized: 401,
  insufficient_credits: 402,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  payload_too_large: 413,
  unsupported_media_type: 415,
  unprocessable: 422,
  rate_limited: 429,
  headers_too_large: 431,
  internal_error: 500,
  unavailable: 503,
  timeout: 504,
} as const;
export type ErrorCode = keyof typeof STATUS_OF;
export const ERROR_CODES = Object.keys(STATUS_OF) as readonly ErrorCode[];

/** Why a named or sent image can't be used (422). */
export const IMAGE_FAULTS = [
  'image_format',
  'image_undecodable',
  'image_too_large',
  'url_blocked',
  'url_unreachable',
  'url_timeout',
  'url_status',
] as const;
export type ImageFault = (typeof IMAGE_FAULTS)[number];

/** Fields besides `error` and `message` in the body of an error. */
export interface ErrorExtras {
  readonly field?: string;
  readonly allowed_taxonomy_nodes?: readonly string[];
  readonly reason?: ImageFault;
  readonly index?: number;
}

interface ErrorDetails {
  readonly extras?: ErrorExtras;
  readonly headers?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
}

export class AppError extends Error {
  readonly status: number;
  readonly extras: ErrorExtras;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    readonly code: ErrorCode,
    message: string,
    { extras = {}, headers = {}, cause }: ErrorDetails = {},
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'AppError';
    this.status = STATUS_OF[code];
    this.extras = extras;
    this.headers = headers;
  }
}

const retryAfter = (seconds: number): Record<string, string> => ({
  'Retry-After': String(Math.max(1, Math.ceil(seconds))),
});

/** 400: a body or parameter is malformed; `extras.field` is its path. */
export const badRequest = (message: string, extras: ErrorExtras = {}): AppError =>
  new AppError('bad_request', message, { extras });

/** 401: the key is missing, malformed, unknown or revoked; which one is not disclosed. */
export const unauthorized = (
  message = 'Send a valid API key as "Authorization: Bearer <API_KEY>".',
): AppError => new AppError('unauthorized', message, { headers: { 'WWW-Authenticate': 'Bearer' } });

export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

/** 402: the balance does not cover the highest possible price of this call. */
export const insufficientCredits = (price?: number): AppError =>
  new AppError(
    'insufficient_credits',
    `This call can cost ${price === undefined ? '' : `${counted(price, 'credit')}, `}more than the account has left.`,
  );

/** 403: the key does not permit this, or a data-file address is unsigned, tampered with or expired. */
export const forbidden = (message: string): AppError => new AppError('forbidden', message);

export const notFound = (message: string, cause?: unknown): AppError =>
  new AppError('not_found', message, { cause });

export const itemNotFound = (): AppError => notFound('There is no catalog item with this id.');

export const methodNotAllowed = (allow: readonly string[]): AppError =>
  new AppError('method_not_allowed', `This address answers ${allow.join(', ')} only.`, {
    headers: { Allow: allow.join(', ') },
  });

/** 409: an `Idempotency-Key` belongs to another call, or its first call is still running. */
export const conflict = (message: string, seconds?: number): AppError =>
  new AppError('conflict', message, { headers: seconds === undefined ? {} : retryAfter(seconds) });

export const idempotencyConflict = (): AppError =>
  conflict('The first call with this Idempotency-Key is still running; ask again.', 1);

export const payloadTooLarge = (bytesMax: number): AppError =>
  new AppError('payload_too_large', `The body is larger than the limit of ${bytesMax} bytes.`);

export const tooManyRecords = (recordsMax: number): AppError =>
  new AppError(
    'payload_too_large',
    `A call takes at most ${recordsMax} records; send the rest in further calls.`,
  );

export const unsupportedMediaType = (wanted: keyof typeof MEDIA_TYPES = 'application/json'): AppError =>
  new AppError(
    'unsupported_media_type',
    `Send the body as ${MEDIA_TYPES[wanted]} with "Content-Type: ${wanted}".`,
  );

export const unknownCoding = (): AppError =>
  new AppError(
    'unsupported_media_type',
    'Send the body without a Content-Encoding, or as gzip, br or deflate.',
    { headers: { 'Accept-Encoding': 'gzip, br, deflate' } },
  );

const MEDIA_TYPES = {
  'application/json': 'JSON',
  'application/x-ndjson': 'JSON Lines',
  'image/jpeg': 'the bytes of one JPEG, PNG or WebP',
} as const;

export const unprocessable = (reason: ImageFault, message: string, cause?: unknown): AppError =>
  new AppError('unprocessable', message, { extras: { reason }, cause });

export const undecodableImage = (cause?: unknown): AppError =>
  unprocessable('image_undecodable', 'The image is damaged or truncated and cannot be decoded.', cause);

export interface LimitState {
  readonly limit: number;
  readonly remaining: number;
  readonly resetSeconds: number;
}

/** The headers with the state of a limit (contract 9.5). */
export const limitHeaders = ({ limit, remaining, resetSeconds }: LimitState): Record<string, string> => ({
  'RateLimit-Limit': String(limit),
  'RateLimit-Remaining': String(Math.max(0, remaining)),
  'RateLimit-Reset': String(Math.max(0, Math.ceil(resetSeconds))),
});

export const rateLimited = (message: string, state: LimitState): AppError =>
  new AppError('rate_limited', message, {
    headers: { ...limitHeaders(state), ...retryAfter(state.resetSeconds) },
  });

export const headersTooLarge = (): AppError =>
  new AppError('headers_too_large', 'The request line or the headers are larger than 16 KiB.');

/** 500: our fault; the answer reveals no internals. */
export const internalError = (cause: unknown): AppError =>
  new AppError('internal_error', 'Something failed on our side; quote the request id when you report it.', {
    cause,
  });

/** 503: overloaded, starting, stopping, or a store is unavailable. */
export const unavailable = (message: string, retryAfterSeconds: number, cause?: unknown): AppError =>
  new AppError('unavailable', message, { headers: retryAfter(retryAfterSeconds), cause });

/** 503 for what waits while the process ends. */
export const stopping = (): AppError => unavailable('The service is stopping.', 1);

export const noWorker = (): AppError => unavailable('No worker is running; the photo was not accepted.', 10);

/** 504: the deadline of a vision call passed; nothing is charged. */
export const timeout = (deadlineMs: number): AppError =>
  new AppError('timeout', `No answer within ${deadlineMs} ms; nothing was charged. Send the photo again.`);

export function messageOf(failure: unknown): string {
  return failure instanceof Error ? failure.message : String(failure);
}
