import { ERROR_CODES, type ErrorCode, unavailable } from '../../../models/errors';
import { errorBody } from '../../middleware/error-handler';
import { REFUSALS } from '../../middleware/simulate-error';
import { headersOf } from './headers';
import { nameOfError, schemaReference } from './schemas';

/** What the reference says of a refusal: when it is given, and its headers beside `X-Request-Id`: those of all, and of some. */
interface Told {
  readonly when: string;
  readonly headers?: readonly string[];
  readonly maybe?: readonly string[];
}

const CREDITS = ['X-Credits-Used', 'X-Credits-Remaining'];
const LIMITS = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'];
const OF_CALLS = [...CREDITS, ...LIMITS];
/** Set as soon as a body is read, so on every refusal after that. */
const OF_BODIES = [...OF_CALLS, 'Deprecation'];

/** Every refusal by its code (contract 11.1). */
const TOLD: Readonly<Record<ErrorCode, Told>> = {
  bad_request: {
    when: 'A body, parameter or header is malformed, or asks for something that does not exist; `field` is its path. Or the body arrived too slowly; then without `field`.',
    maybe: OF_BODIES,
  },
  unauthorized: {
    when: 'The key is missing, malformed, unknown, revoked or expired; the answer does not say which. Or the `ADMIN_TOKEN` is wrong.',
    headers: ['WWW-Authenticate'],
  },
  insufficient_credits: {
    when: 'The balance does not cover the maximum price of this call. Nothing was done.',
    headers: CREDITS,
    maybe: [...LIMITS, 'Deprecation'],
  },
  forbidden: {
    when: 'The key does not open this API version or lacks the scope (`catalog:read`, `vision:identify`, `catalog:write`); or the address of a data file is unsigned, changed or expired.',
  },
  not_found: {
    when: 'There is no such item, record, job, image, account, key or address. Free of charge.',
    maybe: OF_CALLS,
  },
  method_not_allowed: {
    when: 'The address does not answer this method; `Allow` lists those that it answers.',
    headers: ['Allow'],
  },
  conflict: {
    when: 'The `Idempotency-Key` was used for a call with another body; or its first call is still running, then with `Retry-After`.',
    maybe: ['Retry-After', ...OF_CALLS],
  },
  payload_too_large: {
    when: 'The body is over the limit: 4/3 of the image limit and 64 KiB with a photo, 10 MiB and 1,000 records, else 1 MiB.',
    maybe: OF_CALLS,
  },
  unsupported_media_type: {
    when: 'The body is not declared as JSON in UTF-8, or as JSON Lines where the address takes them.',
    maybe: OF_CALLS,
  },
  unprocessable: {
    when: 'An image can not be used; `reason` says why. Free of charge.',
    headers: ['X-Credits-Used'],
    maybe: OF_BODIES,
  },
  rate_limited: {
    when: 'A limit of the key is used up: calls a second, calls a minute, or vision calls at the same time; of a test key also calls a month. Or too many unknown keys came from the address of the caller.',
    headers: ['Retry-After', ...LIMITS],
    maybe: [...CREDITS, 'Deprecation'],
  },
  headers_too_large: { when: 'The request line and the headers are larger than 16 KiB.' },
  internal_error: {
    when: 'A fault of the service. Nothing was charged; quote the request id.',
    maybe: OF_BODIES,
  },
  unavailable: {
    when: 'Overloaded (photos, large bodies or large pages), starting, stopping, or a store is away. Nothing was charged; call again after `Retry-After`.',
    headers: ['Retry-After'],
    maybe: OF_BODIES,
  },
  timeout: {
    when: 'The deadline of a vision call passed. Nothing was charged; the photo may be sent again.',
    headers: ['X-Credits-Used'],
    maybe: OF_BODIES,
  },
};

const NOT_READY: Told = {
  when: 'The process can not serve; `checks` names what fails.',
  headers: ['Retry-After'],
  maybe: ['Cache-Control'],
};

/** The name of the refusal that has a status; each has one of its own. */
export function nameOfStatus(status: number): string {
  const found = ERROR_CODES.find((code) => REFUSALS[code][0]?.status === status);
  if (!found) throw new Error(`no refusal has the status ${status}`);
  return nameOfError(found);
}

const REQUEST_ID = '7f9c24e8-3b12-4f6e-9d0a-5c1e8b2a4d90';

/** The answer of each refusal, by its name; and that of `/readyz`, which tells the state of each thing. */
export function errorResponses(): Record<string, object> {
  const checks = { process: 'ready', database: 'ok', queue: 'failed' };
  const notReady = errorBody(unavailable("The service can't serve; not ready: queue.", 2), REQUEST_ID);
  return {
    ...Object.fromEntries(
      ERROR_CODES.map((code) => {
        const examples = REFUSALS[code].map((refusal) => errorBody(refusal, REQUEST_ID));
        return [nameOfError(code), responseOf(nameOfError(code), TOLD[code], examples)];
      }),
    ),
    NotReady: responseOf('NotReady', NOT_READY, [{ ...notReady, checks }]),
  };
}

function responseOf(
  name: string,
  { when, headers = [], maybe = [] }: Told,
  bodies: readonly object[],
): object {
  const examples = Object.fromEntries(bodies.map((value, at) => [`example${at + 1}`, { value }]));
  const content = { 'application/json': { schema: schemaReference(name), examples } };
  return { description: when, headers: headersOf(headers, maybe), content };
}
