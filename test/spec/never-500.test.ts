import fc from 'fast-check';
import type { Answer } from '../support/api-client';
import { useService } from '../support/service';

/** contract 11.1, 11.4: whatever a caller sends is the caller's mistake or none; nothing of it is a 500. */
const service = useService();
/** Each run of the suite tries others. */
const RUNS = { numRuns: 100 };

/** The code of every refusal that a caller can bring about. */
const CODES: Readonly<Record<number, string>> = {
  ...{
    400: 'bad_request',
    401: 'unauthorized',
    403: 'forbidden',
    404: 'not_found',
    405: 'method_not_allowed',
  },
  ...{ 413: 'payload_too_large', 415: 'unsupported_media_type', 422: 'unprocessable' },
};

/** The answer is a success, or a refusal in the form of all refusals. */
function expectDocumented({ status, headers, body, text }: Answer): void {
  if (status === 200) return;
  expect([status, text]).toEqual([status, expect.stringContaining(CODES[status] ?? 'a documented status')]);
  const refusal = { success: false, error: CODES[status], message: expect.stringMatching(/\S/) };
  expect(body).toMatchObject({ ...refusal, request_id: headers.get('X-Request-Id') });
}

/** It also tells what it cost: nothing, where it is refused. */
function expectBilled(answer: Answer): void {
  expectDocumented(answer);
  const used = answer.headers.get('X-Credits-Used');
  if (answer.status === 200) expect(Number(used)).toBeGreaterThanOrEqual(0);
  else expect(used).toBe('0');
}

/** Text of any characters, NUL and halves of surrogate pairs among them, and what databases and readers stumble over. */
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ unit: fc.constantFrom(...'\0\ud800\'"\\%&|!:*(<,éß', '👜', '\u0130', '\ufeff', '\u2028') }),
  fc.constantFrom(
    ...'brand_hermes material:exotic handbags birkin product brand tags ids constructor __proto__ prototype'.split(
      ' ',
    ),
    ...['', 'toString', 'hasOwnProperty', "' OR 1=1; --", '../../etc/passwd'],
  ),
);
const number = fc.oneof(fc.integer(), fc.double(), fc.constantFrom(2 ** 31, 2 ** 53, 1e300, -0));
const anything = fc.oneof(text, number, fc.constant(null), fc.array(text, { maxLength: 3 }), fc.jsonValue());
const mostly = <Value>(value: fc.Arbitrary<Value>) =>
  fc.oneof({ weight: 4, arbitrary: value }, { weight: 1, arbitrary: anything });

/** Values that no JavaScript object would write: other numbers, other escapes, other keys. */
const literal = fc.constantFrom(
  ...['-0', '1e309', '-1e309', '1e-400', '9007199254740993', '1.0', '"1"', '" 2 "', 'NaN', '01', "'a'", ''],
  ...['"\\u0000"', '"\\ud800"', '"\\u0041"', '{"__proto__":{"page":1}}', '{"constructor":{"prototype":{}}}'],
  ...[`${'['.repeat(40)}${']'.repeat(40)}`, `"${'a'.repeat(100_000)}"`, '{"a":1,"a":2}'],
);
const value = fc.oneof({ weight: 3, arbitrary: anything.map((each) => JSON.stringify(each)) }, literal);
const nameOf = (names: readonly string[], other: fc.Arbitrary<string>) =>
  fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...names) }, { weight: 1, arbitrary: other });

/** The text of a JSON object, or nearly: keys may be repeated, values broken, a byte order mark in front. */
const bodyText = (names: readonly string[]): fc.Arbitrary<string> => {
  const pair = fc
    .tuple(nameOf(names, text), value)
    .map(([key, written]) => `${JSON.stringify(key)}:${written}`);
  return fc
    .tuple(fc.constantFrom('', '', '', '\ufeff', ' \n'), fc.array(pair, { maxLength: 5 }))
    .map(([start, pairs]) => `${start}{${pairs.join(',')}}`);
};

/** What a URL can hold: halves of surrogate pairs replaced. */
const escaped = text.map((each) => encodeURIComponent(Buffer.from(each, 'utf8').toString('utf8')));
const bytes = fc
  .array(fc.nat(255), { minLength: 1, maxLength: 12 })
  .map((each) => each.map((code) => `%${code.toString(16).padStart(2, '0')}`).join(''));
const partOfUrl = fc.oneof(
  escaped,
  bytes,
  fc.constantFrom('%', '%zz', '%00', '%2F', '%2e%2e%2f', 'a;b', '[]'),
);
const queryString = (names: readonly string[]) =>
  fc
    .array(fc.tuple(nameOf(names, partOfUrl), partOfUrl), { maxLength: 5 })
    .map((pairs) => pairs.map((pair) => pair.join('=')).join('&'));

const QUERY = 'query category_id filters taxonomy_node page page_size sort includes facets cursor'.split(' ');
const PRODUCTS =
  'search attribute page page_size sort tags exclude_tags category brand exclude_brand exclude_category colour dial keywords'.split(
    ' ',
  );

test.each([
  ['/v3/catalog/query', QUERY],
  ['/api/v3/catalog/search', QUERY],
  ['/v3/catalog/items', ['ids', 'includes']],
  ['/v3/catalog/suggest', ['query', 'category_id', 'size']],
  ['/v2/products', PRODUCTS],
  ['/v3/vision/identify', ['url', 'base64', 'includes']],
  ['/v2/vision', ['url', 'base64', 'includes']],
])('no body sent to %s is a 500', async (path, names) => {
  const headers = { 'Content-Type': 'application/json' };
  await fc.assert(
    fc.asyncProperty(bodyText(names), async (raw) => {
      expectBilled(await service.api.send('POST', path, { raw, headers }));
    }),
    RUNS,
  );
});

const filter = fc.record(
  {
    field: mostly(fc.oneof(fc.constantFrom('brand', 'tags', 'colour', 'keywords', 'category'), text)),
    include: mostly(fc.array(text, { maxLength: 4 })),
    exclude: mostly(fc.array(text, { maxLength: 4 })),
    ids: mostly(fc.array(text, { maxLength: 2 })),
  },
  { requiredKeys: ['field'] },
);
const query = fc.record(
  {
    query: mostly(text),
    category_id: fc.constantFrom('handbags', 'watches'),
    filters: fc.array(filter, { maxLength: 3 }),
    taxonomy_node: fc.constantFrom('product', 'brand', 'style', 'category'),
    page: fc.oneof(fc.nat(3), fc.nat()),
    page_size: fc.nat(),
    sort: fc.constantFrom('name_asc', 'name_desc', 'popularity_asc'),
    includes: fc.subarray(['taxonomy', 'pricing']),
  },
  { requiredKeys: [] },
);
const similarOf = fc.oneof(
  fc.constantFrom('product_birkin_croc', 'brand_hermes'),
  partOfUrl.map((part) => `x${part}`),
);

/** Each a way to make a call of something that is sent. */
const CALLS = {
  'filter of a query': query.map((body) => () => service.api.query(body)),
  // contract 5.8
  'text in a search box': fc
    .oneof(
      text,
      fc.array(text, { maxLength: 4 }).map((parts) => parts.join(' ')),
    )
    .map((sent) => () => service.api.suggest({ query: sent })),
  'v1 search': queryString([...PRODUCTS, 'brand[]', 'page[0]', 'tags[a]', '__proto__']).map(
    (sent) => () => service.api.send('GET', `/v1/products?${sent}`),
  ),
  'id of an item': fc.tuple(partOfUrl, queryString(['includes', 'includes[]'])).map(
    ([id, sent]) =>
      () =>
        service.api.send('GET', `/v3/catalog/items/x${id}?${sent}`),
  ),
  'call for similar items': fc
    .tuple(similarOf, queryString(['includes', 'category_id', 'size', 'size[]', '__proto__']))
    .map(
      ([id, sent]) =>
        () =>
          service.api.send('GET', `/v3/catalog/items/${id}/similar?${sent}`),
    ),
} satisfies Record<string, fc.Arbitrary<() => Promise<Answer>>>;

test.each(Object.entries(CALLS))('no %s is a 500', async (_what, calls) => {
  await fc.assert(
    fc.asyncProperty(calls, async (call: () => Promise<Answer>) => expectBilled(await call())),
    RUNS,
  );
});

test('no address of a file is a 500, and none that is made up is answered', async () => {
  const kind = fc.oneof(fc.constantFrom('pricing_data', 'historical_estimates'), partOfUrl);
  const region = fc.oneof(fc.constantFrom('NA.csv', 'EU-UK.csv'), partOfUrl);
  const path = fc.oneof(
    fc.tuple(kind, partOfUrl, region).map((parts) => `/files/${parts.map((part) => part || 'x').join('/')}`),
    partOfUrl.map((file) => `/images/x${file}`),
  );
  await fc.assert(
    fc.asyncProperty(path, queryString(['expires', 'key', 'signature']), async (address, sent) => {
      const answer = await service.api.send('GET', `${address}?${sent}`);
      expectDocumented(answer);
      expect([400, 403, 404]).toContain(answer.status);
    }),
    RUNS,
  );
});

test('no method and no headers at any address are a 500', async () => {
  const address = fc.constantFrom(
    ...'/v3/catalog/items /v3/catalog/items/product_birkin_croc/similar /v3/catalog/suggest /v3/catalog/query'.split(
      ' ',
    ),
    ...'/v2/products /files/pricing_data/variant_x/NA.csv /images/x /healthz /readyz /metrics /openapi.json'.split(
      ' ',
    ),
    ...'/v3/catalog/items/brand_hermes /v3/vision/identify /v2/vision /v1/products /nowhere /%zz /x//y /v3 /api/v3/catalog/items/'.split(
      ' ',
    ),
  );
  const method = fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS');
  const token = fc.string({
    unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)),
  });
  const plain = ['X-Request-Id', 'X-Forwarded-Host', 'X-Forwarded-Proto', 'Accept', 'If-None-Match', 'Range'];
  const headers = fc.record(
    {
      Authorization: fc.oneof(
        token,
        token.map((each) => `Bearer ${each}`),
      ),
      'Content-Type': fc.oneof(token, fc.constantFrom('application/json', 'application/json;charset=utf-7')),
      'Content-Encoding': fc.oneof(token, fc.constantFrom('gzip', 'br', 'deflate', 'identity', 'gzip, gzip')),
      ...Object.fromEntries(plain.map((name) => [name, token])),
    },
    { requiredKeys: [] },
  );
  await fc.assert(
    fc.asyncProperty(address, method, headers, async (path, by, sent) => {
      const raw = ['POST', 'PUT', 'PATCH', 'DELETE'].includes(by) ? { raw: '{"page":0}' } : {};
      const answer = await service.api.send(by, path, { headers: sent as Record<string, string>, ...raw });
      if (by === 'HEAD') expect(answer.status).toBeLessThan(500);
      else expectDocumented(answer);
    }),
    RUNS,
  );
});

test('no photo is a 500', async () => {
  const whole = service.photoBytes;
  const change = fc.tuple(fc.nat(whole.length - 1), fc.nat(255));
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 20 }), async (changes) => {
      const pixels = Buffer.from(whole);
      for (const [at, byte] of changes) pixels[at] = byte;
      expectBilled(await service.api.identify({ base64: pixels.toString('base64') }));
    }),
    RUNS,
  );
});
