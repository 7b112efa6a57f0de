const text = (description: string, example?: string, more: object = {}) => ({
  description,
  schema: { type: 'string', ...more },
  ...(example === undefined ? {} : { example }),
});

const whole = (description: string, example: number, minimum: number) => ({
  description,
  schema: { type: 'integer', minimum },
  example,
});

/** Every header that answers carry, as the reference describes it. */
const HEADERS: Readonly<Record<string, object>> = {
  'X-Request-Id': text(
    'Names the request; yours is kept if it is 8-128 of `[A-Za-z0-9._-]`',
    '7f9c24e8-3b12-4f6e-9d0a-5c1e8b2a4d90',
    { pattern: '^[A-Za-z0-9._-]{8,128}$' },
  ),
  'X-Credits-Used': whole('What the call was charged', 5, 0),
  'X-Credits-Remaining': whole('What the account has left, where it is limited', 995, 0),
  'RateLimit-Limit': whole('Calls of the tightest limit; absent where the key has none', 50, 1),
  'RateLimit-Remaining': whole('Calls left of it', 49, 0),
  'RateLimit-Reset': whole('Seconds until it starts anew', 1, 0),
  'Retry-After': whole('Seconds after which to call again', 2, 1),
  'WWW-Authenticate': text('The scheme of keys', undefined, { const: 'Bearer' }),
  Allow: text('The methods that the address answers', 'GET, HEAD'),
  Deprecation: text('On answers to a request that used the deprecated `ids`', undefined, { const: 'true' }),
  'Idempotency-Replayed': text(
    'When the answer is that of an earlier call with the same `Idempotency-Key`',
    undefined,
    { const: 'true' },
  ),
  'Server-Timing': text(
    'Milliseconds of each stage of the identification',
    'intake;dur=12.1, queue;dur=1.4, embed;dur=61.9, neighbours;dur=4.2, rows;dur=3.8, total;dur=83.9',
  ),
  'X-Prediction-Id': text(
    'Under which the identification is recorded; in v2 the same as `predictionId`',
    '0197a3f0-5b7e-7c21-9e44-8d2f6a1b3c55',
  ),
  Location: text('Address of what was made', '/v3/vision/jobs/job_V1StGXR8_Z5jdHi6B-myT', {
    format: 'uri-reference',
  }),
  'Cache-Control': text('How long the answer may be kept'),
  'Content-Disposition': text('A name for the file'),
  ETag: text('The hash of the content'),
};

const OPTIONAL = 'Optional-';
const reference = (name: string) => ({ $ref: `#/components/headers/${name}` });

/** The headers of an answer: `always` on every one, `maybe` on some; the request id is on all. */
export const headersOf = (always: readonly string[], maybe: readonly string[] = []) =>
  Object.fromEntries([
    ...['X-Request-Id', ...always].map((name) => [name, reference(name)]),
    ...maybe.filter((name) => !always.includes(name)).map((name) => [name, reference(OPTIONAL + name)]),
  ]);

/** The headers that a document refers to, as they are where every answer has them and where some do. */
export function headerComponents(document: object): Record<string, object> {
  const used = JSON.stringify(document);
  const all = Object.entries(HEADERS).flatMap(([name, header]): [string, object][] => [
    [name, { required: true, ...header }],
    [OPTIONAL + name, header],
  ]);
  return Object.fromEntries(all.filter(([name]) => used.includes(JSON.stringify(reference(name)))));
}
