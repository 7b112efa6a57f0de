import type { ApiVersion } from '../../../models/access/api-key';
import type { PATHS } from '../../paths';

/** One endpoint as the reference shows it; schemas go by their names in `schemas.ts`. */
export interface Operation {
  readonly id: keyof typeof PATHS;
  readonly method: 'get' | 'post' | 'delete';
  readonly tag: 'v3' | 'v2' | 'v1' | 'files' | 'admin' | 'operations';
  readonly summary: string;
  readonly description: string;
  /** API version that the key must open; null for endpoints without a key. */
  readonly version: ApiVersion | null;
  readonly body?: string;
  /** Name of the answer's schema, or the media types of an answer that is no JSON of ours. */
  readonly answer: { readonly schema: string } | { readonly mediaTypes: readonly string[] };
  /** Of a success, where that is not 200. */
  readonly status?: 202;
  readonly errors: readonly number[];
  /** Headers of a success: those that are always there, and those that may be. */
  readonly headers: readonly string[];
  readonly maybe: readonly string[];
}
