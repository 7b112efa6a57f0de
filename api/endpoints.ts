import type { z } from 'zod';
import { API_VERSIONS, type ApiVersion, type Scope } from '../models/access/api-key';
import { DATA_FILE_KINDS, REGIONS } from '../models/pricing/estimate';
import { auditParameters, listParameters } from './admin/schema';
import { legacyParameters } from './legacy/schema';
import { itemParameters, similarParameters } from './v3/schema';
import { periodParameters } from './wire/period';

/** How an endpoint is called in usage reports: the API version that a key must open comes first. */
type EndpointName = `${ApiVersion}.${string}`;

/** The description of an endpoint; schemas go by their names in `ops/openapi/schemas.ts`. */
interface Own {
  readonly method?: Method;
  /** Other addresses of the endpoint (contract 9.3). */
  readonly aliases?: readonly string[];
  /** What the id in the address identifies, and an example of it. */
  readonly id?: readonly [description: string, example: string];
  readonly query?: z.ZodObject;
  /** Other parts of the address, and headers, as OpenAPI describes them. */
  readonly parameters?: readonly object[];
  /** Name of the body's schema, the contents of a JSON Lines body, or the media types of a binary body. */
  readonly body?: string | { readonly lines: string } | { readonly bytes: readonly string[] };
  /** How the body is read, if its form does not say. */
  readonly takes?: 'job' | 'photo';
  /** Name of the answer's schema, or the media types of an answer that is not our JSON. */
  readonly answer: string | readonly string[];
  /** Of a success, if that is not 200; such an answer has a `Location`. */
  readonly status?: 201 | 202;
  /** Statuses of its refusals. */
  readonly errors?: readonly number[];
  /** For a change by operators: whether it is made only once under an `Idempotency-Key`. */
  readonly isRepeatable?: true;
  /** Headers of a success: those always present, and those that may be. */
  readonly headers?: readonly string[];
  readonly maybe?: readonly string[];
}

/** What all endpoints of a kind have in common. */
type Usual = Required<Pick<Own, 'errors' | 'headers' | 'maybe'>>;

type Method = 'get' | 'post' | 'put' | 'delete';

/** An address and all its answers; the texts are in `ops/openapi/reference.md`. */
export interface Endpoint extends Usual, Omit<Own, 'aliases' | 'method' | 'takes' | keyof Usual> {
  readonly method: Method;
  /** Its address, then its aliases; `:name` marks a part that varies. */
  readonly paths: readonly [string, ...string[]];
  readonly takes: 'nothing' | 'json' | 'photo' | 'job' | 'records' | 'picture';
  readonly tag: ApiVersion | 'files' | 'admin' | 'operations';
  /** API version that the key must open; null for endpoints without a key. */
  readonly version: ApiVersion | null;
}

/** An endpoint for callers with a key. Its middleware depends on its kind (`middleware/endpoints.ts`). */
export interface CallerEndpoint extends Endpoint {
  readonly kind: 'read' | 'once' | 'photo';
  readonly name: EndpointName;
  readonly version: ApiVersion;
  /** Null means every key. */
  readonly scope: Scope | null;
}

/** Completes the description of an endpoint with what all of its kind have in common. */
function complete({ errors, headers, maybe }: Usual, path: string, { aliases = [], ...own }: Own) {
  const body = own.body === undefined ? [] : [413, 415];
  const made = own.status === undefined ? [] : ['Location'];
  return {
    method: own.body === undefined ? ('get' as const) : ('post' as const),
    takes: takenAs(own.body),
    ...own,
    paths: [path, ...aliases] as const,
    errors: [400, 405, 431, 500, ...errors, ...body, ...(own.errors ?? [])],
    headers: [...headers, ...(own.headers ?? []), ...made],
    maybe: [...maybe, ...(own.maybe ?? [])],
  };
}

function takenAs(body: Own['body']): Endpoint['takes'] {
  if (body === undefined) return 'nothing';
  if (typeof body === 'string') return 'json';
  return 'lines' in body ? 'records' : 'picture';
}

const LIMITS = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'];
const READ = {
  errors: [401, 402, 403, 429, 503],
  headers: ['X-Credits-Used', 'Cache-Control'],
  maybe: ['X-Credits-Remaining', ...LIMITS],
};
const ONCE = { ...READ, errors: [...READ.errors, 409], maybe: [...READ.maybe, 'Idempotency-Replayed'] };
const PHOTO = {
  errors: [...ONCE.errors, 422, 504],
  headers: [...ONCE.headers, 'X-Prediction-Id'],
  maybe: [...ONCE.maybe, 'Server-Timing'],
};

const keyed =
  (kind: CallerEndpoint['kind'], scope: Scope | null, usual: Usual) =>
  (name: EndpointName, path: string, own: Own): CallerEndpoint => {
    const version = API_VERSIONS.find((each) => name.startsWith(`${each}.`)) ?? 'v3';
    return { ...complete(usual, path, own), kind, name, scope, version, tag: version };
  };

/** The endpoints that a scope opens. */
const opened = (scope: Scope | null) => ({
  read: keyed('read', scope, READ),
  once: keyed('once', scope, ONCE),
  photo: keyed('photo', scope, PHOTO),
});
const catalog = opened('catalog:read');
const vision = opened('vision:identify');
const records = opened('catalog:write');
const anyKey = opened(null);

const keyless =
  (tag: 'files' | 'admin' | 'operations', usual: Usual) =>
  (path: string, own: Own): Endpoint => ({ ...complete(usual, path, own), tag, version: null });
const file = keyless('files', { errors: [], headers: [], maybe: [] });
const tool = keyless('operations', { errors: [], headers: [], maybe: ['Cache-Control'] });
/** Endpoints for operators with their token; all are 404 if no token is set. */
const admin = keyless('admin', { errors: [401, 404, 429, 503], headers: ['Cache-Control'], maybe: [] });

const ITEM = ['Id of a row, from a search or an identification', 'product_birkin_croc'] as const;
const RECORD = ['Id of the record', 'product_birkin_croc'] as const;
const JOB = ['The `id` of the job', 'job_V1StGXR8_Z5jdHi6B-myT'] as const;
const ACCOUNT = ['Id of the account', 'account_0197a3f0'] as const;
const KEY = ['Id of the key', 'key_0197a3f0'] as const;

/** Endpoints for callers, in the order of the reference (contract 4 to 8, 15, 16). */
export const CALLS = {
  queryCatalog: catalog.once('v3.catalog.query', '/v3/catalog/query', {
    aliases: ['/api/v3/catalog/search', '/api/v3/catalog/query'],
    body: 'CatalogQuery',
    answer: 'QueryAnswer',
    maybe: ['Deprecation'],
  }),
  getItem: catalog.read('v3.catalog.item', '/v3/catalog/items/:id', {
    aliases: ['/api/v3/catalog/items/:id'],
    id: ITEM,
    query: itemParameters,
    answer: 'ItemAnswer',
  }),
  listSimilarItems: catalog.read('v3.catalog.similar', '/v3/catalog/items/:id/similar', {
    id: ITEM,
    query: similarParameters,
    answer: 'SimilarAnswer',
  }),
  getItems: catalog.once('v3.catalog.items', '/v3/catalog/items', {
    body: 'ItemsRequest',
    answer: 'ItemsAnswer',
  }),
  suggest: catalog.once('v3.catalog.suggest', '/v3/catalog/suggest', {
    body: 'SuggestRequest',
    answer: 'SuggestAnswer',
  }),
  identify: vision.photo('v3.vision.identify', '/v3/vision/identify', {
    aliases: ['/api/v3/vision/identify'],
    body: 'IdentifyRequest',
    takes: 'photo',
    answer: 'IdentifyAnswer',
    maybe: ['Deprecation'],
  }),
  sendFeedback: anyKey.once('v3.vision.feedback', '/v3/vision/predictions/:id/feedback', {
    aliases: ['/api/v3/vision/predictions/:id/feedback'],
    id: ['The `X-Prediction-Id` of an answer', 'V1StGXR8_Z5jdHi6B-myT'],
    body: 'Feedback',
    answer: 'FeedbackAnswer',
  }),
  getOwnAccount: anyKey.read('v3.account', '/v3/account', { query: periodParameters, answer: 'Account' }),
  writeRecords: records.once('v3.records.write', '/v3/catalog/records', {
    method: 'put',
    body: { lines: 'JSON Lines in UTF-8, 10 MiB at most; `application/jsonl` is the same' },
    answer: 'RecordsAnswer',
  }),
  storeImage: records.once('v3.images.store', '/v3/catalog/images', {
    body: { bytes: ['image/jpeg', 'image/png', 'image/webp', 'application/octet-stream'] },
    answer: 'ImageAnswer',
    status: 201,
    errors: [422],
  }),
  deleteRecord: records.once('v3.records.delete', '/v3/catalog/records/:id', {
    method: 'delete',
    id: RECORD,
    answer: 'DeletionAnswer',
  }),
  getRecord: records.read('v3.records.read', '/v3/catalog/records/:id', {
    id: RECORD,
    answer: 'RecordAnswer',
  }),
  getRecordStatus: records.read('v3.records.status', '/v3/catalog/records/:id/status', {
    id: RECORD,
    answer: 'RecordStatusAnswer',
  }),
  getFeedStatus: records.read('v3.feeds.status', '/v3/catalog/feeds/:id/status', {
    id: ['Name of the feed', 'shopify'],
    answer: 'FeedStatusAnswer',
  }),
  createJob: vision.once('v3.vision.jobs', '/v3/vision/jobs', {
    body: 'JobRequest',
    takes: 'job',
    answer: 'JobAnswer',
    maybe: ['Deprecation'],
    status: 202,
  }),
  getJob: vision.read('v3.vision.jobs', '/v3/vision/jobs/:id', { id: JOB, answer: 'JobAnswer' }),
  cancelJob: vision.once('v3.vision.jobs', '/v3/vision/jobs/:id', {
    method: 'delete',
    id: JOB,
    answer: 'JobAnswer',
  }),
  createWebhook: vision.once('v3.webhooks', '/v3/webhooks', {
    body: 'WebhookRequest',
    answer: 'WebhookAnswer',
    status: 201,
  }),
  listWebhooks: vision.read('v3.webhooks', '/v3/webhooks', { answer: 'WebhooksAnswer' }),
  deleteWebhook: vision.once('v3.webhooks', '/v3/webhooks/:id', {
    method: 'delete',
    id: ['The `id` of the webhook', 'webhook_V1StGXR8_Z5jdHi6B-myT'],
    answer: 'WebhookRemoved',
  }),
  searchProductsV2: catalog.once('v2.products', '/v2/products', {
    body: 'LegacyQuery',
    answer: 'LegacyAnswer',
  }),
  identifyV2: vision.photo('v2.vision', '/v2/vision', {
    body: 'LegacyIdentifyRequest',
    takes: 'photo',
    answer: 'LegacyVisionAnswer',
  }),
  searchProductsV1: catalog.read('v1.products', '/v1/products', {
    query: legacyParameters,
    answer: 'LegacyAnswer',
  }),
} satisfies Record<string, CallerEndpoint>;

const inPath = (name: string, description: string, schema: object = {}) => ({
  name,
  in: 'path',
  required: true,
  description,
  schema: { type: 'string', ...schema },
});

/** Endpoints that answers link to. */
export const FILES = {
  getDataFile: file('/files/:kind/:variantId/:file', {
    parameters: [
      inPath('kind', 'Estimates over time, or the listings', { enum: DATA_FILE_KINDS }),
      inPath('variantId', 'Id of the variant'),
      inPath('file', 'The region', { enum: REGIONS.map((region) => `${region}.csv`) }),
      ...['expires', 'key', 'signature'].map((name) => ({
        name,
        in: 'query',
        required: true,
        description: 'Part of the signature; take the link as it was answered',
        schema: { type: 'string' },
      })),
    ],
    answer: ['text/csv'],
    errors: [403, 503],
    headers: ['Cache-Control', 'Content-Disposition'],
  }),
  getImage: file('/images/:file', {
    parameters: [
      inPath('file', 'SHA-256 of the content and its format', {
        pattern: '^[0-9a-f]{64}\\.(jpg|png|webp)$',
      }),
      { name: 'If-None-Match', in: 'header', description: 'ETags that you hold', schema: { type: 'string' } },
    ],
    answer: ['image/jpeg', 'image/png', 'image/webp'],
    errors: [404, 503],
    headers: ['Cache-Control', 'ETag'],
  }),
} satisfies Record<string, Endpoint>;

/** The operators' API (contract 17). */
export const OPERATORS = {
  listAccounts: admin('/admin/v1/accounts', { query: listParameters, answer: 'AccountList' }),
  createAccount: admin('/admin/v1/accounts', { status: 201, body: 'NewAccount', answer: 'AccountShown' }),
  getAccount: admin('/admin/v1/accounts/:id', { id: ACCOUNT, answer: 'AccountShown' }),
  creditAccount: admin('/admin/v1/accounts/:id/credits', {
    id: ACCOUNT,
    body: 'Credit',
    isRepeatable: true,
    answer: 'CreditsAdded',
    errors: [409],
    maybe: ['Idempotency-Replayed'],
  }),
  keepPhotos: admin('/admin/v1/accounts/:id/keep-photos', {
    id: ACCOUNT,
    body: 'KeepPhotos',
    answer: 'AccountShown',
  }),
  getUsage: admin('/admin/v1/accounts/:id/usage', { id: ACCOUNT, query: periodParameters, answer: 'Usage' }),
  listKeys: admin('/admin/v1/accounts/:id/keys', { id: ACCOUNT, query: listParameters, answer: 'KeyList' }),
  createKey: admin('/admin/v1/accounts/:id/keys', {
    id: ACCOUNT,
    status: 201,
    body: 'NewKey',
    answer: 'KeyMade',
  }),
  rotateKey: admin('/admin/v1/keys/:id/rotate', {
    id: KEY,
    status: 201,
    body: 'Rotation',
    answer: 'KeyMade',
    errors: [409],
  }),
  revokeKey: admin('/admin/v1/keys/:id', { method: 'delete', id: KEY, answer: 'KeyRevoked' }),
  getAuditLog: admin('/admin/v1/audit', { query: auditParameters, answer: 'AuditLog' }),
} satisfies Record<string, Endpoint>;

/** For operators and tools, without a key (contract 14.4). */
export const TOOLS = {
  checkHealth: tool('/healthz', { answer: 'Health' }),
  checkReadiness: tool('/readyz', { answer: 'Readiness', errors: [503] }),
  getMetrics: tool('/metrics', { answer: ['text/plain'] }),
  getOpenApi: tool('/openapi.json', { answer: ['application/json'] }),
} satisfies Record<string, Endpoint>;

/** Every endpoint, in the order of the reference. */
export const ENDPOINTS = { ...CALLS, ...FILES, ...OPERATORS, ...TOOLS };
export type EndpointId = keyof typeof ENDPOINTS;

/** Endpoints for callers, by the start of the address; all others are for operators and readers. */
export const PUBLIC_PREFIXES = ['/v1', '/v2', '/v3', '/api/v3', '/files', '/images'];
