interface Header {
  readonly description: string;
  readonly schema: object;
  readonly example?: string | number;
}

/** Every header that answers carry, as the reference describes it. */
const HEADERS: Readonly<Record<string, Header>> = {
  'X-Request-Id': {
    description: 'Names the request; yours is kept if it is 8-128 of `[A-Za-z0-9._-]`',
    schema: { type: 'string', pattern: '^[A-Za-z0-9._-]{8,128}$' },
    example: '7f9c24e8-3b12-4f6e-9d0a-5c1e8b2a4d90',
  },
  'X-Credits-Used': {
    description: 'What the call was charged',
    schema: { type: 'integer', minimum: 0 },
    example: 5,
  },
  'X-Credits-Remaining': {
    description: 'What the account has left, where it is limited',
    schema: { type: 'integer', minimum: 0 },
    example: 995,
  },
  'RateLimit-Limit': {
    description: 'Calls of the limit that is nearest to its end; absent where the key has none',
    schema: { type: 'integer', minimum: 1 },
    example: 50,
  },
  'RateLimit-Remaining': {
    description: 'Calls left of it',
    schema: { type: 'integer', minimum: 0 },
    example: 49,
  },
  'RateLimit-Reset': {
    description: 'Seconds until it starts anew',
    schema: { type: 'integer', minimum: 0 },
    example: 1,
  },
  'Retry-After': {
    description: 'Seconds after which to call again',
    schema: { type: 'integer', minimum: 1 },
    example: 2,
  },
  'WWW-Authenticate': { description: 'The scheme of keys', schema: { type: 'string', const: 'Bearer' } },
  Allow: {
    description: 'The methods that the address answers',
    schema: { type: 'string' },
    example: 'GET, HEAD',
  },
  Deprecation: {
    description: 'On answers to a request that used the deprecated `ids`',
    schema: { type: 'string', const: 'true' },
  },
  'Idempotency-Replayed': {
    description: 'When the answer is that of an earlier call with the same `Idempotency-Key`',
    schema: { type: 'string', const: 'true' },
  },
  'Server-Timing': {
    description: 'Milliseconds of each stage of the identification',
    schema: { type: 'string' },
    example:
      'intake;dur=12.1, queue;dur=1.4, embed;dur=61.9, neighbours;dur=4.2, rows;dur=3.8, total;dur=83.9',
  },
  'X-Prediction-Id': {
    description: 'Under which the identification is recorded; in v2 the same as `predictionId`',
    schema: { type: 'string' },
    example: '0197a3f0-5b7e-7c21-9e44-8d2f6a1b3c55',
  },
  Location: {
    description: 'Address of what was made',
    schema: { type: 'string', format: 'uri-reference' },
    example: '/v3/vision/jobs/job_V1StGXR8_Z5jdHi6B-myT',
  },
  'Cache-Control': { description: 'How long the answer may be kept', schema: { type: 'string' } },
  'Content-Disposition': { description: 'A name for the file', schema: { type: 'string' } },
  ETag: { description: 'The hash of the content', schema: { type: 'string' } },
};

const OPTIONAL = 'Optional-';

/** The headers of an answer: `always` on every one, `maybe` on some; the request id is on all. */
export const headersOf = (
  always: readonly string[],
  maybe: readonly string[] = [],
): Record<string, { $ref: string }> =>
  Object.fromEntries([
    ...['X-Request-Id', ...always].map((name) => [name, headerReference(name)]),
    ...maybe.filter((name) => !always.includes(name)).map((name) => [name, headerReference(OPTIONAL + name)]),
  ]);

const headerReference = (name: string) => ({ $ref: `#/components/headers/${name}` });

/** The headers that a document refers to, as they are where every answer has them and where some do. */
export function headerComponents(document: object): Record<string, object> {
  const text = JSON.stringify(document);
  const all = Object.entries(HEADERS).flatMap(([name, header]): [string, object][] => [
    [name, { required: true, ...header }],
    [OPTIONAL + name, header],
  ]);
  return Object.fromEntries(all.filter(([name]) => text.includes(JSON.stringify(headerReference(name)))));
}
