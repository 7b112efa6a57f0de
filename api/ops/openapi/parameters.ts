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
    description:
      'Your name for the request, of 8 to 128 `[A-Za-z0-9._-]`: kept in the answer and in the logs. Any other is replaced.',
    schema: { type: 'string' },
  },
  Force: {
    name: 'X-Loupe-Force',
    in: 'header',
    description:
      'Test keys only, else ignored: the status of a refusal that is answered instead; of a 422 with its reason, such as `422 url_timeout`.',
    schema: { type: 'string' },
  },
} as const;

/** The id in an address. */
export const idParameter = (description: string, example: string) => ({
  ...inPath('id', { type: 'string' }, description),
  example,
});

export function inPath(name: string, schema: object, description: string) {
  return { name, in: 'path', required: true, description, schema };
}
