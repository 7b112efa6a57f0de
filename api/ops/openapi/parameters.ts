import { MODULES } from '../../../models/catalog/catalog-query';
import { DATA_FILE_KINDS, REGIONS } from '../../../models/pricing/estimate';
import { SIMILAR_MAX } from '../../../models/vision/candidates';
import { LIST_LIMIT } from '../../admin/schema';
import type { PATHS } from '../../paths';
import { legacyParameters } from './schemas';

/** Parameters in the address, query string and headers of an endpoint. */
export function parametersOf(operation: keyof typeof PATHS, withKey: boolean): object[] {
  return [...ownParametersOf(operation), reference('RequestId'), ...(withKey ? [reference('Force')] : [])];
}

/** Parameters that several endpoints take, by the name of their component. */
export const SHARED_PARAMETERS = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'Your name for the call. Sent again within 24 hours it gets the same answer and is not charged again.',
    schema: { type: 'string', pattern: '^[!-~]{1,255}$' },
  },
  RequestId: {
    name: 'X-Request-Id',
    in: 'header',
    description: 'Your name for the request, kept in the answer and in the logs; else it gets one.',
    schema: { type: 'string', pattern: '^[A-Za-z0-9._-]{8,128}$' },
  },
  Force: {
    name: 'X-Loupe-Force',
    in: 'header',
    description:
      'Test keys only: the status of a refusal that is answered instead; of a 422 with its reason, such as `422 url_timeout`.',
    schema: { type: 'string', pattern: '^[45]\\d\\d( [a-z_]+)?$' },
  },
} as const;

function ownParametersOf(operation: keyof typeof PATHS): object[] {
  switch (operation) {
    case 'showItem':
      return ofItem();
    case 'showSimilar':
      return [
        ...ofItem(),
        inQuery(
          'category_id',
          { type: 'string' },
          'Slug or name of the category to look in; else that of the item',
        ),
        inQuery(
          'size',
          { type: 'integer', minimum: 1, default: SIMILAR_MAX },
          `Rows at most; lowered to ${SIMILAR_MAX}`,
        ),
      ];
    case 'listProductsV1':
      return Object.entries(legacyParameters()).map(([name, { description, ...schema }]) =>
        inQuery(name, schema, description),
      );
    case 'dataFile':
      return [
        inPath('kind', { type: 'string', enum: DATA_FILE_KINDS }, 'Estimates over time, or the listings'),
        inPath('variantId', { type: 'string' }, 'Id of the variant'),
        inPath('file', { type: 'string', enum: REGIONS.map((region) => `${region}.csv`) }, 'The region'),
        ...['expires', 'key', 'signature'].map((name) => ({
          ...inQuery(name, { type: 'string' }, 'Part of the signature; take the link as it was answered'),
          required: true,
        })),
      ];
    case 'image':
      return [
        inPath(
          'file',
          { type: 'string', pattern: '^[0-9a-f]{64}\\.(jpg|png|webp)$' },
          'SHA-256 of the content and its format',
        ),
        {
          name: 'If-None-Match',
          in: 'header',
          description: 'ETags that you hold',
          schema: { type: 'string' },
        },
      ];
    case 'correct':
      return [
        inPath('id', { type: 'string' }, 'The `X-Prediction-Id` of an answer', 'V1StGXR8_Z5jdHi6B-myT'),
      ];
    case 'showOwnAccount':
      return ofPeriod();
    case 'listAccounts':
      return ofList();
    case 'showAccount':
    case 'keepPhotos':
    case 'createKey':
      return [ofAccount()];
    case 'creditAccount':
      return [ofAccount(), reference('IdempotencyKey')];
    case 'showUsage':
      return [ofAccount(), ...ofPeriod()];
    case 'listKeys':
      return [ofAccount(), ...ofList()];
    case 'rotateKey':
    case 'revokeKey':
      return [inPath('id', { type: 'string' }, 'Id of the key', 'key_0197a3f0')];
    case 'showAuditLog':
      return [...ofList(), inQuery('account', { type: 'string' }, 'Entries that concern this account')];
    case 'deleteRecord':
      return [ofRecord(), reference('IdempotencyKey')];
    case 'showRecordStatus':
      return [ofRecord()];
    case 'showJob':
    case 'cancelJob':
      return [inPath('id', { type: 'string' }, 'The `id` of the job', 'job_V1StGXR8_Z5jdHi6B-myT')];
    case 'removeWebhook':
      return [inPath('id', { type: 'string' }, 'The `id` of the webhook', 'webhook_V1StGXR8_Z5jdHi6B-myT')];
    case 'createJob':
    case 'createWebhook':
    case 'queryCatalog':
    case 'writeRecords':
    case 'showItems':
    case 'identify':
    case 'listProductsV2':
    case 'identifyV2':
      return [reference('IdempotencyKey')];
    default:
      return [];
  }
}

const ofItem = () => [
  inPath('id', { type: 'string' }, 'Id of a row, from a search or an identification', 'product_birkin_croc'),
  inQuery('includes', modules(), 'Comma-separated; empty for neither', ['taxonomy', 'pricing']),
];

const ofAccount = () => inPath('id', { type: 'string' }, 'Id of the account', 'account_0197a3f0');

const ofList = () => [
  inQuery(
    'limit',
    { type: 'integer', minimum: 1, maximum: LIST_LIMIT.max, default: LIST_LIMIT.default },
    'Entries of a page',
  ),
  inQuery('cursor', { type: 'string' }, 'The `next_cursor` of the page before'),
];

const ofPeriod = () => [
  inQuery('since', { type: 'string' }, 'A day or a time (ISO 8601, UTC); else 30 days before `until`'),
  inQuery('until', { type: 'string' }, 'Before this day or time; else the end of today'),
];
const ofRecord = () => inPath('id', { type: 'string' }, 'Id of the record', 'product_birkin_croc');

const reference = (name: keyof typeof SHARED_PARAMETERS) => ({ $ref: `#/components/parameters/${name}` });

const modules = () => ({
  type: 'array',
  items: { type: 'string', enum: MODULES },
  default: ['taxonomy'],
});

const inPath = (name: string, schema: object, description: string, example?: string) => ({
  name,
  in: 'path',
  required: true,
  description,
  schema,
  ...(example === undefined ? {} : { example }),
});

/** Lists are comma-separated, hence `explode: false`. */
const inQuery = (name: string, schema: object, description?: string, example?: readonly string[]) => ({
  name,
  in: 'query',
  style: 'form',
  explode: false,
  schema,
  ...(description === undefined ? {} : { description }),
  ...(example === undefined ? {} : { example }),
});
