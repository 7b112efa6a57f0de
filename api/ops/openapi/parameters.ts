import { MODULES } from '../../../models/catalog/catalog-query';
import { DATA_FILE_KINDS, REGIONS } from '../../../models/pricing/estimate';
import type { PATHS } from '../../paths';
import { legacyParameters } from './schemas';

/** Parameters in the address and query string of an endpoint. */
export function parametersOf(operation: keyof typeof PATHS): object[] {
  switch (operation) {
    case 'showItem':
      return [
        inPath('id', { type: 'string' }, 'Id of a row, from a search or an identification'),
        inQuery('includes', modules(), 'Comma-separated'),
      ];
    case 'listProductsV1':
      return Object.entries(legacyParameters()).map(([name, schema]) => inQuery(name, schema));
    case 'dataFile':
      return [
        inPath('kind', { type: 'string', enum: DATA_FILE_KINDS }),
        inPath('variantId', { type: 'string' }),
        inPath('file', { type: 'string', enum: REGIONS.map((region) => `${region}.csv`) }),
        ...SIGNATURE.map((name) => ({ ...inQuery(name, { type: 'string' }, 'As signed'), required: true })),
      ];
    case 'image':
      return [inPath('file', { type: 'string', pattern: '^[0-9a-f]{64}\\.(jpg|png|webp)$' })];
    case 'queryCatalog':
    case 'identify':
    case 'listProductsV2':
    case 'identifyV2':
      return [IDEMPOTENCY_KEY];
    default:
      return [];
  }
}

const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'Your name for the call. Sent again within 24 hours it gets the same answer and is not charged again.',
  schema: { type: 'string', pattern: '^[!-~]{1,255}$' },
};

/** What a signed link has in its query string. */
const SIGNATURE = ['expires', 'key', 'signature'];

const modules = () => ({
  type: 'array',
  items: { type: 'string', enum: MODULES },
  default: ['taxonomy'],
});

const described = (description: string | undefined) => (description === undefined ? {} : { description });

const inPath = (name: string, schema: object, description?: string) => ({
  name,
  in: 'path',
  required: true,
  schema,
  ...described(description),
});

/** Lists are comma-separated, hence `explode: false`. */
const inQuery = (name: string, schema: object, description?: string) => ({
  name,
  in: 'query',
  style: 'form',
  explode: false,
  schema,
  ...described(description),
});
