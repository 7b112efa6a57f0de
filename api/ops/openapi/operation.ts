import { API_VERSIONS, type ApiVersion } from '../../../models/access/api-key';
import { PATHS } from '../../paths';

/** One endpoint as the reference shows it; schemas go by their names in `schemas.ts`. */
export interface Operation {
  readonly id: keyof typeof PATHS;
  readonly method: 'get' | 'post' | 'put' | 'delete';
  readonly tag: ApiVersion | 'files' | 'admin' | 'operations';
  readonly summary: string;
  readonly description: string;
  /** API version that the key must open; null for endpoints without a key. */
  readonly version: ApiVersion | null;
  /** In the address and the query string, and headers that it alone takes. */
  readonly parameters: readonly object[];
  /** Name of the body's schema, what a body of JSON Lines holds, or the media types of one that is bytes. */
  readonly body?: string | { readonly lines: string } | { readonly bytes: readonly string[] };
  /** Name of the answer's schema, or the media types of an answer that is no JSON of ours. */
  readonly answer: string | readonly string[];
  /** Of a success, where that is not 200. */
  readonly status?: 201 | 202;
  readonly errors: readonly number[];
  /** Headers of a success: those that are always there, and those that may be. */
  readonly headers: readonly string[];
  readonly maybe: readonly string[];
}

/** What an endpoint says for itself, beside what all of its kind say. */
type Said = Pick<Operation, 'id' | 'summary' | 'description' | 'answer'> & Partial<Operation>;

const [V1, V2, V3] = API_VERSIONS;

export { V1, V2 };

/** Errors that every address can answer, and those of calls with a key. */
const ALWAYS = [400, 405, 431, 500];
const WITH_KEY = [...ALWAYS, 401, 402, 403, 429, 503];
const WITH_BODY = [413, 415];

const LIMITS = ['X-Credits-Remaining', 'RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'];
/** Of what is made once under an `Idempotency-Key`. */
const ONCE = { errors: [409], maybe: ['Idempotency-Replayed'] };

/** Where a thing is named, there may be none. */
const unfound = (id: Operation['id']): number[] => (PATHS[id][0].includes('/:id') ? [404] : []);

function ofVersion(
  version: ApiVersion,
  said: Said,
  usual: Pick<Operation, 'method' | 'errors'> & Partial<Operation>,
): Operation {
  return {
    tag: version,
    version,
    parameters: [],
    ...usual,
    ...said,
    headers: [
      ...(usual.headers ?? ['X-Credits-Used', 'Cache-Control']),
      ...(said.status === undefined ? [] : ['Location']),
    ],
    errors: [...WITH_KEY, ...usual.errors, ...(said.errors ?? []), ...unfound(said.id)],
    maybe: [...LIMITS, ...(usual.maybe ?? []), ...(said.maybe ?? [])],
  };
}

/** The kinds of `middleware/endpoints.ts`: what a call passes decides what it can be answered. */
export const plain = (said: Said, version: ApiVersion = V3): Operation =>
  ofVersion(version, said, { method: 'get', errors: [] });

export const json = (said: Said, version: ApiVersion = V3): Operation =>
  ofVersion(version, said, { method: 'post', ...ONCE, errors: [...ONCE.errors, ...WITH_BODY] });

export const photo = (said: Said, version: ApiVersion = V3): Operation =>
  ofVersion(version, said, {
    method: 'post',
    errors: [...ONCE.errors, ...WITH_BODY, 422, 504],
    headers: ['X-Credits-Used', 'Cache-Control', 'X-Prediction-Id'],
    maybe: [...ONCE.maybe, 'Server-Timing'],
  });

export const change = (said: Said): Operation => ofVersion(V3, said, { method: 'delete', ...ONCE });

/** What operators do by their token; all of it is a 404 where there is none. */
export const admin = (said: Said): Operation => ({
  method: said.body === undefined ? 'get' : 'post',
  tag: 'admin',
  version: null,
  parameters: [],
  headers: ['Cache-Control'],
  maybe: [],
  ...said,
  errors: [
    ...[...ALWAYS, 401, 404, 429, 503],
    ...(said.body === undefined ? [] : WITH_BODY),
    ...(said.errors ?? []),
  ],
});

/** What takes no key. */
export const open = (tag: 'files' | 'operations', said: Said): Operation => ({
  method: 'get',
  tag,
  version: null,
  parameters: [],
  headers: [],
  maybe: [],
  ...said,
  errors: [...ALWAYS, ...(said.errors ?? [])],
});
