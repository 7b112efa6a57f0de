import type { ApiVersion } from '../../../models/access/api-key';

/** One endpoint as the reference shows it; schemas go by their names in `schemas.ts`. */
export interface Operation {
  readonly summary: string;
  readonly description: string;
  readonly method: 'get' | 'post' | 'put' | 'delete';
  readonly tag: ApiVersion | 'files' | 'admin' | 'operations';
  /** API version that the key must open; null for endpoints without a key. */
  readonly version: ApiVersion | null;
  /** In the address and the query string, and headers that it alone takes. */
  readonly parameters: readonly object[];
  /** Name of the body's schema, what a body of JSON Lines holds, or the media types of one that is bytes. */
  readonly body?: string | { readonly lines: string } | { readonly bytes: readonly string[] };
  /** Name of the answer's schema, or the media types of an answer that is no JSON of ours. */
  readonly answer: string | readonly string[];
  /** Of a success, where that is not 200; such an answer has a `Location`. */
  readonly status?: 201 | 202;
  readonly errors: readonly number[];
  /** Headers of a success: those that are always there, and those that may be. */
  readonly headers: readonly string[];
  readonly maybe: readonly string[];
}

type Told = Pick<Operation, 'answer'> & Partial<Operation>;

/** Describes an endpoint of a kind: what all of its kind have, completed by what it tells itself. */
const kind =
  ({ tag, version, ...usual }: Pick<Operation, 'version'> & Partial<Operation>) =>
  (summary: string, description: string, told: Told): Operation => {
    const { body, status, errors = [], headers = [], maybe = [] } = told;
    return {
      summary,
      description,
      method: body === undefined ? 'get' : 'post',
      tag: tag ?? told.version ?? version ?? 'operations',
      version,
      parameters: [],
      ...usual,
      ...told,
      errors: [
        400,
        405,
        431,
        500,
        ...(usual.errors ?? []),
        ...(body === undefined ? [] : [413, 415]),
        ...errors,
      ],
      headers: [...(usual.headers ?? []), ...headers, ...(status === undefined ? [] : ['Location'])],
      maybe: [...(usual.maybe ?? []), ...maybe],
    };
  };

const KEYED = {
  version: 'v3' as const,
  errors: [401, 402, 403, 429, 503],
  headers: ['X-Credits-Used', 'Cache-Control'],
  maybe: ['X-Credits-Remaining', 'RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'],
};
const ONCE = { ...KEYED, errors: [...KEYED.errors, 409], maybe: [...KEYED.maybe, 'Idempotency-Replayed'] };

/** The kinds of `middleware/endpoints.ts`: what a call passes decides what it can be answered. */
export const plain = kind(KEYED);
export const json = kind(ONCE);
export const change = kind({ ...ONCE, method: 'delete' });
export const photo = kind({
  ...ONCE,
  errors: [...ONCE.errors, 422, 504],
  headers: [...ONCE.headers, 'X-Prediction-Id'],
  maybe: [...ONCE.maybe, 'Server-Timing'],
});

/** What operators do by their token; all of it is a 404 where there is none. */
export const admin = kind({
  tag: 'admin',
  version: null,
  errors: [401, 404, 429, 503],
  headers: ['Cache-Control'],
});

/** What takes no key. */
export const file = kind({ tag: 'files', version: null });
export const tool = kind({ tag: 'operations', version: null, maybe: ['Cache-Control'] });
