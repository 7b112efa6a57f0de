import { ERROR_CODES, type ErrorCode, unavailable } from '../../../models/errors';
import { LIMIT_HEADERS } from '../../endpoints';
import { errorBody } from '../../middleware/error-handler';
import { REFUSALS } from '../../middleware/simulate-error';
import { headersOf, wordsOn } from './reference';
import { capitalized, namedSchema } from './schemas';

/** Headers that a refusal always has, besides `X-Request-Id`. */
const ALWAYS: Partial<Record<ErrorCode, readonly string[]>> = {
  unauthorized: ['WWW-Authenticate'],
  insufficient_credits: ['X-Credits-Used', 'X-Credits-Remaining'],
  method_not_allowed: ['Allow'],
  unprocessable: ['X-Credits-Used'],
  rate_limited: ['Retry-After', ...LIMIT_HEADERS],
  unavailable: ['Retry-After'],
  timeout: ['X-Credits-Used'],
};

/** Headers that depend on how far a call with a valid key got. */
const CALL_HEADERS = ['X-Credits-Used', 'X-Credits-Remaining', ...LIMIT_HEADERS];
const WITHOUT_KEY: readonly ErrorCode[] = [
  'unauthorized',
  'forbidden',
  'method_not_allowed',
  'headers_too_large',
];
const BEFORE_BODY: readonly ErrorCode[] = ['not_found', 'payload_too_large', 'unsupported_media_type'];

/** Headers that a refusal may have. */
function maybeOf(code: ErrorCode): readonly string[] {
  if (WITHOUT_KEY.includes(code)) return [];
  if (code === 'conflict') return [...CALL_HEADERS, 'Retry-After'];
  return BEFORE_BODY.includes(code) ? CALL_HEADERS : [...CALL_HEADERS, 'Deprecation'];
}

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
  const responses = ERROR_CODES.map((code) => {
    const headers = headersOf(ALWAYS[code] ?? [], maybeOf(code));
    const examples = REFUSALS[code].map((refusal) => errorBody(refusal, REQUEST_ID));
    return [capitalized(code), responseOf(code, headers, examples)];
  });
  const ofReadiness = headersOf(['Retry-After'], ['Cache-Control']);
  const NotReady = responseOf('not_ready', ofReadiness, [{ ...notReady, checks }]);
  return { ...Object.fromEntries(responses), NotReady };
}

function responseOf(id: string, headers: object, bodies: readonly object[]): object {
  const examples = Object.fromEntries(bodies.map((value, at) => [`example${at + 1}`, { value }]));
  const content = { 'application/json': { schema: namedSchema(capitalized(id)), examples } };
  return { description: wordsOn(id).description, headers, content };
}
