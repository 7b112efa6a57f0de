import { API_VERSIONS, type ApiVersion } from '../../../models/access/api-key';
import { PATHS } from '../../paths';

/** Errors that a call with a key and a body can meet beside its own. */
const WITH_KEY = [401, 402, 403, 429, 500, 503] as const;
const WITH_BODY = [400, 409, 413, 415] as const;
const WITH_PHOTO = [422, 504] as const;

/** One endpoint as the reference shows it; schemas go by their names in `schemas.ts`. */
export interface Operation {
  readonly id: keyof typeof PATHS;
  readonly method: 'get' | 'post';
  readonly tag: 'v3' | 'v2' | 'v1' | 'files' | 'operations';
  readonly summary: string;
  readonly description: string;
  /** API version that the key must open; null for endpoints without a key. */
  readonly version: ApiVersion | null;
  readonly body?: string;
  /** Name of the answer's schema, or the media type of an answer that is no JSON of ours. */
  readonly answer: { readonly schema: string } | { readonly mediaType: string };
  readonly errors: readonly number[];
  readonly headers: readonly string[];
}

const CREDITS = [
  'X-Credits-Used',
  'X-Credits-Remaining',
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
];
const BODY_HEADERS = [...CREDITS, 'Idempotency-Replayed'];
const [V1, V2, V3] = API_VERSIONS;

/** Every endpoint, in the order of the reference (interface.md 4, running.md "Addresses"). */
export const OPERATIONS: readonly Operation[] = [
  {
    id: 'queryCatalog',
    method: 'post',
    tag: 'v3',
    summary: 'Search or list the catalog',
    description:
      'Products or taxonomy rows by free text and facet filters. Filter objects are ANDed, their values ORed. 1 credit; with `pricing` on products 6; a page without rows is free.',
    version: V3,
    body: 'CatalogQuery',
    answer: { schema: 'CatalogAnswer' },
    errors: [...WITH_BODY, ...WITH_KEY],
    headers: [...BODY_HEADERS, 'Deprecation'],
  },
  {
    id: 'showItem',
    method: 'get',
    tag: 'v3',
    summary: 'One catalog row by id',
    description: '1 credit; with `pricing` on a product 6; an unknown id and HEAD are free.',
    version: V3,
    answer: { schema: 'CatalogAnswer' },
    errors: [400, 404, ...WITH_KEY],
    headers: CREDITS,
  },
  {
    id: 'identify',
    method: 'post',
    tag: 'v3',
    summary: 'Identify the item in a photo',
    description:
      'At most ten rows, best first, each with a calibrated `confidence`. One of `url` and `base64` is required; `url` wins. 5 credits, with `pricing` 10; an answer without rows is free.',
    version: V3,
    body: 'IdentifyRequest',
    answer: { schema: 'CatalogAnswer' },
    errors: [...WITH_BODY, ...WITH_PHOTO, ...WITH_KEY],
    headers: [...BODY_HEADERS, 'Server-Timing'],
  },
  {
    id: 'listProductsV2',
    method: 'post',
    tag: 'v2',
    summary: 'Search products (legacy)',
    description:
      'The parameters of v1 as JSON properties; facets go by their field (`brand`, `exclude_brand`, …). 6 credits for products, else 1; a page without rows is free.',
    version: V2,
    body: 'LegacyQuery',
    answer: { schema: 'LegacyAnswer' },
    errors: [...WITH_BODY, ...WITH_KEY],
    headers: BODY_HEADERS,
  },
  {
    id: 'identifyV2',
    method: 'post',
    tag: 'v2',
    summary: 'Identify the item in a photo (legacy)',
    description: 'Always with taxonomy and prices. 10 credits; no match is free.',
    version: V2,
    body: 'LegacyIdentifyRequest',
    answer: { schema: 'LegacyVisionAnswer' },
    errors: [...WITH_BODY, ...WITH_PHOTO, ...WITH_KEY],
    headers: [...BODY_HEADERS, 'Server-Timing'],
  },
  {
    id: 'listProductsV1',
    method: 'get',
    tag: 'v1',
    summary: 'Search products (legacy)',
    description: '6 credits for products, else 1; a page without rows and HEAD are free.',
    version: V1,
    answer: { schema: 'LegacyAnswer' },
    errors: [400, ...WITH_KEY],
    headers: CREDITS,
  },
  {
    id: 'dataFile',
    method: 'get',
    tag: 'files',
    summary: 'A price file of a variant and region',
    description: 'Only by the signed link of an answer, which is valid for one hour; no key.',
    version: null,
    answer: { mediaType: 'text/csv' },
    errors: [400, 403, 500, 503],
    headers: [],
  },
  {
    id: 'image',
    method: 'get',
    tag: 'files',
    summary: 'A stored catalog image',
    description: 'Its address is the hash of its content and never changes; no key.',
    version: null,
    answer: { mediaType: 'image/*' },
    errors: [400, 404, 500, 503],
    headers: [],
  },
  {
    id: 'health',
    method: 'get',
    tag: 'operations',
    summary: 'Whether the process is alive',
    description: 'Answers as long as the process does.',
    version: null,
    answer: { mediaType: 'application/json' },
    errors: [],
    headers: [],
  },
  {
    id: 'readiness',
    method: 'get',
    tag: 'operations',
    summary: 'Whether the process can serve',
    description: 'The state of each thing that the service needs; 503 names those that fail.',
    version: null,
    answer: { mediaType: 'application/json' },
    errors: [503],
    headers: [],
  },
  {
    id: 'metrics',
    method: 'get',
    tag: 'operations',
    summary: 'Metrics for Prometheus',
    description: 'Requests by route and status, stages of identifications, the queue, the process.',
    version: null,
    answer: { mediaType: 'text/plain' },
    errors: [500],
    headers: [],
  },
  {
    id: 'openApi',
    method: 'get',
    tag: 'operations',
    summary: 'This document',
    description: 'OpenAPI 3.1.',
    version: null,
    answer: { mediaType: 'application/json' },
    errors: [],
    headers: [],
  },
];
