import { LIST_LIMIT } from '../../admin/schema';
import type { Operation } from './operation';

/** Parameters in the address, query string and headers of an endpoint. */
export const parametersOf = ({ parameters, maybe, version }: Operation): object[] => [
  ...parameters,
  ...(maybe.includes('Idempotency-Replayed') ? [reference('IdempotencyKey')] : []),
  reference('RequestId'),
  ...(version === null ? [] : [reference('Force')]),
];

const reference = (name: keyof typeof SHARED_PARAMETERS) => ({ $ref: `#/components/parameters/${name}` });

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

/** A page of a list. */
export const LIST = [
  inQuery(
    'limit',
    { type: 'integer', minimum: 1, maximum: LIST_LIMIT.max, default: LIST_LIMIT.default },
    'Entries of a page',
  ),
  inQuery('cursor', { type: 'string' }, 'The `next_cursor` of the page before'),
];

export const PERIOD = [
  inQuery('since', { type: 'string' }, 'A day or a time (ISO 8601, UTC); else 30 days before `until`'),
  inQuery('until', { type: 'string' }, 'Before this day or time; else the end of today'),
];

/** The id in an address. */
export const idParameter = (description: string, example: string) => ({
  ...inPath('id', { type: 'string' }, description),
  example,
});

export function inPath(name: string, schema: object, description: string) {
  return { name, in: 'path', required: true, description, schema };
}

/** Lists are comma-separated, hence `explode: false`. */
export function inQuery(name: string, schema: object, description?: string, example?: readonly string[]) {
  return {
    ...{ name, in: 'query', style: 'form', explode: false, schema },
    ...(description === undefined ? {} : { description }),
    ...(example === undefined ? {} : { example }),
  };
}
