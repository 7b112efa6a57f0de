import { API_VERSIONS, type ApiVersion } from '../../../models/access/api-key';
import type { PATHS } from '../../paths';

/** Errors that every address can answer, and those of calls with a key, with a body, with a photo. */
export const ALWAYS = [400, 405, 431, 500] as const;
export const WITH_KEY = [...ALWAYS, 401, 402, 403, 429, 503] as const;
export const WITH_BODY = [...WITH_KEY, 409, 413, 415] as const;
export const WITH_PHOTO = [...WITH_BODY, 422, 504] as const;

/** One endpoint as the reference shows it; schemas go by their names in `schemas.ts`. */
export interface Operation {
  readonly id: keyof typeof PATHS;
  readonly method: 'get' | 'post' | 'put' | 'delete';
  readonly tag: 'v3' | 'v2' | 'v1' | 'files' | 'admin' | 'operations';
  readonly summary: string;
  readonly description: string;
  /** API version that the key must open; null for endpoints without a key. */
  readonly version: ApiVersion | null;
  /** Name of the body's schema, or what a body of JSON Lines holds. */
  readonly body?: string | { readonly lines: string };
  /** Name of the answer's schema, or the media types of an answer that is no JSON of ours. */
  readonly answer: { readonly schema: string } | { readonly mediaTypes: readonly string[] };
  /** Of a success, where that is not 200. */
  readonly status?: 201 | 202;
  readonly errors: readonly number[];
  /** Headers of a success: those that are always there, and those that may be. */
  readonly headers: readonly string[];
  readonly maybe: readonly string[];
}

export const LIMITS = ['X-Credits-Remaining', 'RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'];
export const BODY_HEADERS = [...LIMITS, 'Idempotency-Replayed'];
export const [V1, V2, V3] = API_VERSIONS;

/** Endpoints of an API version, which are billed. */
export const billed = <Part extends object>(part: Part) => ({
  headers: ['X-Credits-Used', 'Cache-Control'],
  maybe: BODY_HEADERS,
  ...part,
});

/** What operators and tools read. */
export const forOperators = <Part extends object>(part: Part) => ({
  method: 'get' as const,
  tag: 'operations' as const,
  version: null,
  errors: ALWAYS,
  headers: [],
  maybe: ['Cache-Control'],
  ...part,
});
