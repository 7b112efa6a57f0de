import { ERROR_CODES, type ErrorCode, unavailable } from '../../../models/errors';
import { errorBody } from '../../middleware/error-handler';
import { REFUSALS } from '../../middleware/simulate-error';
import { headersOf } from './headers';
import { wordsOn } from './reference';
import { capitalized, schemaReference } from './schemas';

/** Headers of a refusal besides `X-Request-Id`: on all, and on some. */
interface Told {
  readonly headers?: readonly string[];
  readonly maybe?: readonly string[];
}

const CREDITS = ['X-Credits-Used', 'X-Credits-Remaining'];
const LIMITS = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'];
const OF_CALLS = [...CREDITS, ...LIMITS];
/** Set as soon as a body is read, so on every refusal after that. */
const OF_BODIES = [...OF_CALLS, 'Deprecation'];

/** Every refusal by its code (contract 11.1); `reference.md` says when each is returned. */
const TOLD: Readonly<Record<ErrorCode, Told>> = {
  bad_request: { maybe: OF_BODIES },
  unauthorized: { headers: ['WWW-Authenticate'] },
  insufficient_credits: { headers: CREDITS, maybe: [...LIMITS, 'Deprecation'] },
  forbidden: {},
  not_found: { maybe: OF_CALLS },
  method_not_allowed: { headers: ['Allow'] },
  conflict: { maybe: ['Retry-After', ...OF_CALLS] },
  payload_too_large: { maybe: OF_CALLS },
  unsupported_media_type: { maybe: OF_CALLS },
  unprocessable: { headers: ['X-Credits-Used'], maybe: OF_BODIES },
  rate_limited: { headers: ['Retry-After', ...LIMITS], maybe: [...CREDITS, 'Deprecation'] },
  headers_too_large: {},
  internal_error: { maybe: OF_BODIES },
  unavailable: { headers: ['Retry-After'], maybe: OF_BODIES },
  timeout: { headers: ['X-Credits-Used'], maybe: OF_BODIES },
};
const NOT_READY: Told = { headers: ['Retry-After'], maybe: ['Cache-Control'] };

/** The name of the refusal that has a status; each status has its own. */
export function nameOfStatus(status: number): string {
  const found = ERROR_CODES.find((code) => REFUSALS[code][0]?.status === status);
  if (!found) throw new Error(`no refusal has the status ${status}`);
  return capitalized(found);
}

const REQUEST_ID = '7f9c24e8-3b12-4f6e-9d0a-5c1e8b2a4d90';

/** The answer of each refusal, by its name; and that of `/readyz`, which reports the state of each dependency. */
export function errorResponses(): Record<string, object> {
  const checks = { process: 'ready', database: 'ok', queue: 'failed' };
  const notReady = errorBody(unavailable("The service can't serve; not ready: queue.", 2), REQUEST_ID);
  return {
    ...Object.fromEntries(
      ERROR_CODES.map((code) => {
        const examples = REFUSALS[code].map((refusal) => errorBody(refusal, REQUEST_ID));
        return [capitalized(code), responseOf(code, TOLD[code], examples)];
      }),
    ),
    NotReady: responseOf('not_ready', NOT_READY, [{ ...notReady, checks }]),
  };
}

function responseOf(id: string, { headers = [], maybe = [] }: Told, bodies: readonly object[]): object {
  const examples = Object.fromEntries(bodies.map((value, at) => [`example${at + 1}`, { value }]));
  const content = { 'application/json': { schema: schemaReference(capitalized(id)), examples } };
  return { description: wordsOn(id).description, headers: headersOf(headers, maybe), content };
}
