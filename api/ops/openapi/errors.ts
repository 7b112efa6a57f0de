import { schemaReference } from './schemas';

/** When each status is answered (decisions.md 1), and the headers that come with it. */
const ERRORS: Readonly<Record<number, { when: string; headers?: readonly string[] }>> = {
  400: { when: 'A body or parameter is malformed; `field` is its path' },
  401: { when: 'The key is missing, malformed, unknown or revoked', headers: ['WWW-Authenticate'] },
  402: { when: 'The balance does not cover the dearest price that this call could have' },
  403: { when: 'The key does not open this API version, or the address of a file is not validly signed' },
  404: { when: 'There is no such item or address' },
  405: { when: 'The address answers other methods', headers: ['Allow'] },
  409: {
    when: 'The `Idempotency-Key` stands for a call with another body, or its first call still runs',
    headers: ['Retry-After'],
  },
  413: { when: 'The body is over the limit' },
  415: { when: 'The body is not declared as JSON' },
  422: { when: 'An image was named or sent but can not be used; `reason` says why' },
  429: {
    when: 'A limit of the key is used up',
    headers: ['Retry-After', 'RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'],
  },
  431: { when: 'The request line or the headers are larger than 16 KiB' },
  500: { when: 'A fault of the service; quote the request id' },
  503: { when: 'Overloaded, starting, stopping, or a store is away', headers: ['Retry-After'] },
  504: { when: 'The deadline of a vision call passed; nothing was charged' },
};

/** Every header that answers carry, as the reference describes it. */
export const HEADERS: Readonly<Record<string, { description: string; schema: object }>> = {
  'X-Request-Id': {
    description: 'Names the request; yours is kept if it is 8-128 of `[A-Za-z0-9._-]`',
    schema: { type: 'string' },
  },
  'X-Credits-Used': { description: 'What the call was charged', schema: { type: 'integer' } },
  'X-Credits-Remaining': {
    description: 'What is left, where the account is limited',
    schema: { type: 'integer' },
  },
  'RateLimit-Limit': {
    description: 'Calls of the window that is nearest to its end',
    schema: { type: 'integer' },
  },
  'RateLimit-Remaining': { description: 'Calls left in it', schema: { type: 'integer' } },
  'RateLimit-Reset': { description: 'Seconds until it starts anew', schema: { type: 'integer' } },
  'Retry-After': { description: 'Seconds after which to try again', schema: { type: 'integer' } },
  Allow: { description: 'The methods that the address answers', schema: { type: 'string' } },
  'WWW-Authenticate': { description: '`Bearer`', schema: { type: 'string' } },
  Deprecation: {
    description: '`true` when the request used the deprecated `ids`',
    schema: { type: 'string' },
  },
  'Idempotency-Replayed': {
    description: '`true` when the answer is that of an earlier call with the same `Idempotency-Key`',
    schema: { type: 'string' },
  },
  'Server-Timing': { description: 'Milliseconds of each stage', schema: { type: 'string' } },
};

export const headerReferences = (names: readonly string[]): Record<string, object> =>
  Object.fromEntries(
    ['X-Request-Id', ...names].map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  );

/** The answer of each error status, by the name `Error<status>`. */
export const errorResponses = (): Record<string, object> =>
  Object.fromEntries(
    Object.entries(ERRORS).map(([status, { when, headers = [] }]) => [
      `Error${status}`,
      {
        description: when,
        headers: headerReferences(headers),
        content: { 'application/json': { schema: schemaReference('Error') } },
      },
    ]),
  );
