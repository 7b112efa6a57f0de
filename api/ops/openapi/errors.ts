import type { ErrorCode, ImageFault } from '../../../models/errors';
import { headersOf } from './headers';
import { nameOfError, schemaReference } from './schemas';

/** One failure as the reference tells it: its status, when it is answered, and what such an answer says. */
export interface ErrorKind {
  readonly status: number;
  readonly when: string;
  /** Headers that every such answer carries, beside `X-Request-Id`. */
  readonly headers?: readonly string[];
  /** Headers that some carry. */
  readonly maybe?: readonly string[];
  /** By the name of the example: a message, or that with further fields of the body. */
  readonly examples: Readonly<
    Record<string, string | { readonly message: string; readonly [field: string]: unknown }>
  >;
}

const CREDITS = ['X-Credits-Used', 'X-Credits-Remaining'];
const LIMITS = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'];
const OF_CALLS = [...CREDITS, ...LIMITS];
/** Set as soon as a body is read, so on every refusal after that. */
const OF_BODIES = [...OF_CALLS, 'Deprecation'];

/** Why an image can't be used (contract 11.2), with a message of that reason. */
const IMAGE_FAULTS: Readonly<Record<ImageFault, string>> = {
  image_format: 'The image is GIF; send JPEG, PNG or WebP.',
  image_undecodable: 'The image is damaged or incomplete.',
  image_too_large: 'The image is larger than 20971520 bytes.',
  url_blocked: 'The address does not lead to a public host.',
  url_unreachable: 'The host of the address does not answer.',
  url_timeout: 'The image did not arrive within 10000 ms.',
  url_status: 'The address answered 404.',
};

/** Every failure by its code (contract 11.1). */
export const ERRORS: Readonly<Record<ErrorCode, ErrorKind>> = {
  bad_request: {
    status: 400,
    when: 'A body, parameter or header is malformed, or asks for something that does not exist; `field` is its path. Or the body arrived too slowly; then without `field`.',
    maybe: OF_BODIES,
    examples: {
      malformed: { message: 'page_size: must be at least 1.', field: 'page_size' },
      unknownTag: { message: 'There is no tag "material:paper".', field: 'filters.0.include' },
      nodeNotAllowed: {
        message: 'The category "handbags" has no "family"; take one of allowed_taxonomy_nodes.',
        field: 'taxonomy_node',
        allowed_taxonomy_nodes: ['product', 'category', 'brand', 'model', 'style'],
      },
    },
  },
  unauthorized: {
    status: 401,
    when: 'The key is missing, malformed, unknown, revoked or expired; the answer does not say which. Or the `ADMIN_TOKEN` is wrong.',
    headers: ['WWW-Authenticate'],
    examples: { noKey: 'Send a valid API key as "Authorization: Bearer <API_KEY>".' },
  },
  insufficient_credits: {
    status: 402,
    when: 'The balance does not cover the maximum price of this call. Nothing was done.',
    headers: CREDITS,
    maybe: [...LIMITS, 'Deprecation'],
    examples: { poor: 'This call can cost 10 credits, more than the account has left.' },
  },
  forbidden: {
    status: 403,
    when: 'The key does not open this API version or lacks the scope (`catalog:read`, `vision:identify`, `catalog:write`); or the address of a data file is unsigned, changed or expired.',
    examples: {
      version: 'This key does not open API v3; it opens v1.',
      scope: 'This key lacks the scope vision:identify; it has catalog:read.',
      address: 'This address is not signed, was changed or has expired; request the item again.',
    },
  },
  not_found: {
    status: 404,
    when: 'There is no such item, record, job, image, account, key or address. Free of charge.',
    maybe: OF_CALLS,
    examples: { item: 'There is no item "product_nobody".' },
  },
  method_not_allowed: {
    status: 405,
    when: 'The address does not answer this method; `Allow` lists those that it answers.',
    headers: ['Allow'],
    examples: { get: 'This address answers POST only.' },
  },
  conflict: {
    status: 409,
    when: 'The `Idempotency-Key` was used for a call with another body; or its first call is still running, then with `Retry-After`.',
    maybe: ['Retry-After', ...OF_CALLS],
    examples: {
      otherBody: 'This Idempotency-Key stands for a call with another body; take a new one.',
      running: 'The first call with this Idempotency-Key is still running; ask again.',
    },
  },
  payload_too_large: {
    status: 413,
    when: 'The body is over the limit: 4/3 of the image limit and 64 KiB with a photo, 10 MiB and 1,000 records, else 1 MiB.',
    maybe: OF_CALLS,
    examples: {
      large: 'The body is larger than the limit of 1048576 bytes.',
      records: 'A call takes at most 1000 records; send the rest in others.',
    },
  },
  unsupported_media_type: {
    status: 415,
    when: 'The body is not declared as JSON in UTF-8, or as JSON Lines where the address takes them.',
    maybe: OF_CALLS,
    examples: { form: 'Send the body as JSON with "Content-Type: application/json".' },
  },
  unprocessable: {
    status: 422,
    when: 'An image can not be used; `reason` says why. Free of charge.',
    headers: ['X-Credits-Used'],
    maybe: OF_BODIES,
    examples: Object.fromEntries(
      Object.entries(IMAGE_FAULTS).map(([reason, message]) => [reason, { message, reason }]),
    ),
  },
  rate_limited: {
    status: 429,
    when: 'A limit of the key is used up: calls a second, calls a minute, or vision calls at the same time; of a test key also calls a month. Or too many unknown keys came from the address of the caller.',
    headers: ['Retry-After', ...LIMITS],
    maybe: [...CREDITS, 'Deprecation'],
    examples: {
      second: 'This key may make 50 calls per second.',
      unknownKeys: 'Too many unknown keys came from this address; check the key and call again later.',
    },
  },
  headers_too_large: {
    status: 431,
    when: 'The request line and the headers are larger than 16 KiB.',
    examples: { large: 'The request line or the headers are larger than 16 KiB.' },
  },
  internal_error: {
    status: 500,
    when: 'A fault of the service. Nothing was charged; quote the request id.',
    maybe: OF_BODIES,
    examples: { fault: 'Something failed on our side; quote the request id when you report it.' },
  },
  unavailable: {
    status: 503,
    when: 'Overloaded (photos, large bodies or large pages), starting, stopping, or a store is away. Nothing was charged; call again after `Retry-After`.',
    headers: ['Retry-After'],
    maybe: OF_BODIES,
    examples: { away: 'A part of the service is away; try again.' },
  },
  timeout: {
    status: 504,
    when: 'The deadline of a vision call passed. Nothing was charged; the photo may be sent again.',
    headers: ['X-Credits-Used'],
    maybe: OF_BODIES,
    examples: { deadline: 'No answer within 15000 ms; nothing was charged. Send the photo again.' },
  },
};

const CODES = Object.keys(ERRORS) as ErrorCode[];

/** The name of the failure that a status stands for; every failure has a status of its own. */
export function nameOfStatus(status: number): string {
  const found = CODES.find((code) => ERRORS[code].status === status);
  if (!found) throw new Error(`no failure has the status ${status}`);
  return nameOfError(found);
}

/** The answer of each failure, by its name; and that of `/readyz`, which tells the state of each thing. */
export function errorResponses(): Record<string, object> {
  const examples = {
    queueAway: {
      message: "The service can't serve; not ready: queue.",
      checks: { process: 'ready', database: 'ok', queue: 'failed' },
    },
  };
  const when = 'The process can not serve; `checks` names what fails.';
  return {
    ...Object.fromEntries(
      CODES.map((code) => [nameOfError(code), responseOf(nameOfError(code), code, ERRORS[code])]),
    ),
    NotReady: responseOf('NotReady', 'unavailable', {
      ...ERRORS.unavailable,
      when,
      maybe: ['Cache-Control'],
      examples,
    }),
  };
}

function responseOf(
  name: string,
  error: ErrorCode,
  { when, headers = [], maybe = [], examples }: ErrorKind,
): object {
  const refusal = { success: false, error, request_id: '7f9c24e8-3b12-4f6e-9d0a-5c1e8b2a4d90' };
  const shown = Object.entries(examples).map(([each, told]) => {
    const value = { ...refusal, ...(typeof told === 'string' ? { message: told } : told) };
    return [each, { value }];
  });
  const content = { schema: schemaReference(name), examples: Object.fromEntries(shown) };
  return { description: when, headers: headersOf(headers, maybe), content: { 'application/json': content } };
}
