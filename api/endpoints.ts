import type { z } from 'zod';
import { API_VERSIONS, type ApiVersion, type Scope } from '../models/access/api-key';
import { DATA_FILE_KINDS, REGIONS } from '../models/pricing/estimate';
import * as operators from './admin/answers';
import * as ordered from './admin/schema';
import { legacyAnswer, legacyVisionAnswer } from './legacy/answers';
import { legacyBody, legacyIdentifyBody, legacyParameters } from './legacy/schema';
import { healthAnswer, readinessAnswer } from './ops/health';
import * as v3 from './v3/answers';
import * as written from './v3/record-answers';
import * as asked from './v3/schema';
import { feedbackBody, identifyBody, jobBody } from './v3/vision-schema';
import { periodParameters } from './wire/accounts';

/** Name in usage reports; the API version that a key must open comes first. */
type EndpointName = `${ApiVersion}.${string}`;

interface Options {
  readonly method?: Method;
  /** Other addresses of the endpoint (contract 6.8, 9.3). */
  readonly aliases?: readonly string[];
  /** What the id in the address names, and an example of it. */
  readonly id?: readonly [description: string, example: string];
  readonly query?: z.ZodObject;
  /** Other parts of the address, and headers, as OpenAPI describes them. */
  readonly parameters?: readonly object[];
  /** The schema of a JSON body; else what the lines of a JSON Lines body are, or the media types of a binary one. */
  readonly body?: z.ZodType | { readonly lines: string } | { readonly bytes: readonly string[] };
  /** How a JSON body with photos is read. */
  readonly takes?: 'job' | 'photo';
  /** The status of a success, if not 200; such an answer has a `Location`. */
  readonly status?: 201 | 202;
  readonly errors?: readonly number[];
  /** For a change by operators: whether it accepts an `Idempotency-Key`. */
  readonly isRepeatable?: true;
  /** Headers of a success: those always present, and those that may be. */
  readonly headers?: readonly string[];
  readonly optional?: readonly string[];
}

type Defaults = Required<Pick<Options, 'errors' | 'headers' | 'optional'>>;

type Method = 'get' | 'post' | 'put' | 'delete';

/** An endpoint and its answers; the texts are in `ops/openapi/reference.md`. */
export interface Endpoint<Answer = z.ZodType | readonly string[]>
  extends Defaults,
    Omit<Options, 'aliases' | 'method' | 'takes' | keyof Defaults> {
  readonly method: Method;
  /** The schema of a JSON answer, else the media types of any other. */
  readonly answer: Answer;
  /** Its address, then its aliases, with parameters as `:name`. */
  readonly paths: readonly [string, ...string[]];
  readonly takes: 'nothing' | 'json' | 'photo' | 'job' | 'records' | 'picture';
  readonly tag: ApiVersion | 'files' | 'admin' | 'operations';
  /** API version that the key must open; null for endpoints without a key. */
  readonly version: ApiVersion | null;
}

/** An endpoint for callers with a key. Its middleware depends on its kind (`middleware/endpoint-kinds.ts`). */
export interface CallerEndpoint<Answer = z.ZodType> extends Endpoint<Answer> {
  readonly kind: 'read' | 'once' | 'photo';
  readonly name: EndpointName;
  readonly version: ApiVersion;
  /** Null means every key. */
  readonly scope: Scope | null;
}

/** Completes the description of an endpoint with what all of its kind have in common. */
function complete({ errors, headers, optional }: Defaults, path: string, { aliases = [], ...own }: Options) {
  const body = own.body === undefined ? [] : [413, 415];
  const made = own.status === undefined ? [] : ['Location'];
  return {
    method: own.body === undefined ? ('get' as const) : ('post' as const),
    takes: bodyTaken(own.body),
    ...own,
    paths: [path, ...aliases] as const,
    errors: [400, 405, 431, 500, ...errors, ...body, ...(own.errors ?? [])],
    headers: [...headers, ...(own.headers ?? []), ...made],
    optional: [...optional, ...(own.optional ?? [])],
  };
}

function bodyTaken(body: Options['body']): Endpoint['takes'] {
  if (body === undefined) return 'nothing';
  if ('lines' in body) return 'records';
  return 'bytes' in body ? 'picture' : 'json';
}

export const LIMIT_HEADERS = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'];
const READ = {
  errors: [401, 402, 403, 429, 503],
  headers: ['X-Credits-Used', 'Cache-Control'],
  optional: ['X-Credits-Remaining', ...LIMIT_HEADERS],
};
const ONCE = { ...READ, errors: [...READ.errors, 409], optional: [...READ.optional, 'Idempotency-Replayed'] };
const PHOTO = {
  errors: [...ONCE.errors, 422, 504],
  headers: [...ONCE.headers, 'X-Prediction-Id'],
  optional: [...ONCE.optional, 'Server-Timing'],
};

const keyed =
  (kind: CallerEndpoint['kind'], scope: Scope | null, usual: Defaults) =>
  <Answer>(name: EndpointName, path: string, answer: Answer, own: Options = {}): CallerEndpoint<Answer> => {
    const version = API_VERSIONS.find((each) => name.startsWith(`${each}.`)) ?? 'v3';
    return { ...complete(usual, path, own), kind, name, answer, scope, version, tag: version };
  };

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
  (tag: 'files' | 'admin' | 'operations', usual: Defaults) =>
  <const Answer>(path: string, answer: Answer, own: Options = {}): Endpoint<Answer> => ({
    ...complete(usual, path, own),
    ...{ answer, tag, version: null },
  });
const file = keyless('files', { errors: [], headers: [], optional: [] });
const tool = keyless('operations', { errors: [], headers: [], optional: ['Cache-Control'] });
/** Endpoints for operators with their token; all are 404 if no token is set. */
const admin = keyless('admin', { errors: [401, 404, 429, 503], headers: ['Cache-Control'], optional: [] });

const ITEM = ['Id of a row, from a search or an identification', 'product_birkin_croc'] as const;
const RECORD = ['Id of the record', 'product_birkin_croc'] as const;
const JOB = ['The `id` of the job', 'job_V1StGXR8_Z5jdHi6B-myT'] as const;
const ACCOUNT = ['Id of the account', 'account_0197a3f0'] as const;
const KEY = ['Id of the key', 'key_0197a3f0'] as const;

/** Endpoints for callers, in the order of the reference (contract 4 to 8, 15, 16). */
export const CALLS = {
  queryCatalog: catalog.once('v3.catalog.query', '/v3/catalog/query', v3.queryAnswer, {
    aliases: ['/api/v3/catalog/search', '/api/v3/catalog/query'],
    body: asked.catalogQueryBody,
    optional: ['Deprecation'],
  }),
  getItem: catalog.read('v3.catalog.item', '/v3/catalog/items/:id', v3.itemAnswer, {
    aliases: ['/api/v3/catalog/items/:id'],
    id: ITEM,
    query: asked.itemParameters,
  }),
  listSimilarItems: catalog.read('v3.catalog.similar', '/v3/catalog/items/:id/similar', v3.similarAnswer, {
    id: ITEM,
    query: asked.similarParameters,
  }),
  getItems: catalog.once('v3.catalog.items', '/v3/catalog/items', v3.itemsAnswer, { body: asked.itemsBody }),
  suggest: catalog.once('v3.catalog.suggest', '/v3/catalog/suggest', v3.suggestAnswer, {
    body: asked.suggestBody,
  }),
  identify: vision.photo('v3.vision.identify', '/v3/vision/identify', v3.identifyAnswer, {
    aliases: ['/api/v3/vision/identify'],
    body: identifyBody,
    takes: 'photo',
    optional: ['Deprecation'],
  }),
  sendFeedback: anyKey.once('v3.vision.feedback', '/v3/vision/predictions/:id/feedback', v3.feedbackAnswer, {
    aliases: ['/api/v3/vision/predictions/:id/feedback'],
    id: ['The `X-Prediction-Id` of an answer', 'V1StGXR8_Z5jdHi6B-myT'],
    body: feedbackBody,
  }),
  getOwnAccount: anyKey.read('v3.account', '/v3/account', v3.accountAnswer, { query: periodParameters }),
  writeRecords: records.once('v3.records.write', '/v3/catalog/records', written.recordsAnswer, {
    method: 'put',
    body: { lines: 'JSON Lines in UTF-8, 10 MiB at most; `application/jsonl` is the same' },
  }),
  storeImage: records.once('v3.images.store', '/v3/catalog/images', written.imageAnswer, {
    body: { bytes: ['image/jpeg', 'image/png', 'image/webp', 'application/octet-stream'] },
    status: 201,
    errors: [422],
  }),
  deleteRecord: records.once('v3.records.delete', '/v3/catalog/records/:id', written.deletionAnswer, {
    method: 'delete',
    id: RECORD,
  }),
  getRecord: records.read('v3.records.read', '/v3/catalog/records/:id', written.recordAnswer, { id: RECORD }),
  getRecordStatus: records.read('v3.records.status', '/v3/catalog/records/:id/status', written.statusAnswer, {
    id: RECORD,
  }),
  getFeedStatus: records.read('v3.feeds.status', '/v3/catalog/feeds/:id/status', written.feedStatusAnswer, {
    id: ['Name of the feed', 'shopify'],
  }),
  createJob: vision.once('v3.vision.jobs', '/v3/vision/jobs', v3.jobAnswer, {
    body: jobBody,
    takes: 'job',
    optional: ['Deprecation'],
    status: 202,
  }),
  getJob: vision.read('v3.vision.jobs', '/v3/vision/jobs/:id', v3.jobAnswer, { id: JOB }),
  cancelJob: vision.once('v3.vision.jobs', '/v3/vision/jobs/:id', v3.jobAnswer, {
    method: 'delete',
    id: JOB,
  }),
  createWebhook: vision.once('v3.webhooks', '/v3/webhooks', v3.webhookAnswer, {
    body: asked.webhookBody,
    status: 201,
  }),
  listWebhooks: vision.read('v3.webhooks', '/v3/webhooks', v3.webhooksAnswer),
  deleteWebhook: vision.once('v3.webhooks', '/v3/webhooks/:id', v3.webhookDeletion, {
    method: 'delete',
    id: ['The `id` of the webhook', 'webhook_V1StGXR8_Z5jdHi6B-myT'],
  }),
  searchProductsV2: catalog.once('v2.products', '/v2/products', legacyAnswer, { body: legacyBody }),
  identifyV2: vision.photo('v2.vision', '/v2/vision', legacyVisionAnswer, {
    body: legacyIdentifyBody,
    takes: 'photo',
  }),
  searchProductsV1: catalog.read('v1.products', '/v1/products', legacyAnswer, {
    query: legacyParameters,
  }),
} satisfies Record<string, CallerEndpoint>;

const inPath = (name: string, description: string, schema: object = {}) => ({
  name,
  in: 'path',
  required: true,
  description,
  schema: { type: 'string', ...schema },
});

export const FILES = {
  getDataFile: file('/files/:kind/:variantId/:file', ['text/csv'], {
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
    errors: [403, 503],
    headers: ['Cache-Control', 'Content-Disposition'],
  }),
  getImage: file('/images/:file', ['image/jpeg', 'image/png', 'image/webp'], {
    parameters: [
      inPath('file', 'SHA-256 of the content and its format', { pattern: '^[0-9a-f]{64}\\.(jpg|png|webp)$' }),
      { name: 'If-None-Match', in: 'header', description: 'ETags that you hold', schema: { type: 'string' } },
    ],
    errors: [404, 503],
    headers: ['Cache-Control', 'ETag'],
  }),
} satisfies Record<string, Endpoint>;

/** The operators' API (contract 17). */
export const OPERATORS = {
  listAccounts: admin('/admin/v1/accounts', operators.accountsAnswer, { query: ordered.listParameters }),
  createAccount: admin('/admin/v1/accounts', operators.accountAnswer, {
    status: 201,
    body: ordered.accountBody,
  }),
  getAccount: admin('/admin/v1/accounts/:id', operators.accountAnswer, { id: ACCOUNT }),
  creditAccount: admin('/admin/v1/accounts/:id/credits', operators.creditsAnswer, {
    id: ACCOUNT,
    body: ordered.creditBody,
    isRepeatable: true,
    errors: [409],
    optional: ['Idempotency-Replayed'],
  }),
  keepPhotos: admin('/admin/v1/accounts/:id/keep-photos', operators.accountAnswer, {
    id: ACCOUNT,
    body: ordered.keepPhotosBody,
  }),
  getUsage: admin('/admin/v1/accounts/:id/usage', operators.usageAnswer, {
    id: ACCOUNT,
    query: periodParameters,
  }),
  listKeys: admin('/admin/v1/accounts/:id/keys', operators.keysAnswer, {
    id: ACCOUNT,
    query: ordered.listParameters,
  }),
  createKey: admin('/admin/v1/accounts/:id/keys', operators.createdKeyAnswer, {
    id: ACCOUNT,
    status: 201,
    body: ordered.keyBody,
  }),
  rotateKey: admin('/admin/v1/keys/:id/rotate', operators.createdKeyAnswer, {
    id: KEY,
    status: 201,
    body: ordered.rotationBody,
    errors: [409],
  }),
  revokeKey: admin('/admin/v1/keys/:id', operators.revokedKeyAnswer, { method: 'delete', id: KEY }),
  getAuditLog: admin('/admin/v1/audit', operators.auditLogAnswer, { query: ordered.auditParameters }),
} satisfies Record<string, Endpoint>;

/** For operators and tools, without a key (contract 14.4). */
export const TOOLS = {
  checkHealth: tool('/healthz', healthAnswer),
  checkReadiness: tool('/readyz', readinessAnswer, { errors: [503] }),
  getMetrics: tool('/metrics', ['text/plain']),
  getOpenApi: tool('/openapi.json', ['application/json']),
} satisfies Record<string, Endpoint>;

export const ENDPOINTS = { ...CALLS, ...FILES, ...OPERATORS, ...TOOLS };
export type EndpointId = keyof typeof ENDPOINTS;

/** Endpoints for callers, by the start of the address; all others are for operators and readers. */
export const PUBLIC_PREFIXES = ['/v1', '/v2', '/v3', '/api/v3', '/files', '/images'];
