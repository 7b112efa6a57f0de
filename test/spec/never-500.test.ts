import fc from 'fast-check';
import { REFUSALS } from '../../api/middleware/simulate-error';
import { useService } from '../support/service';

/** contract 11.1, 11.4: whatever a caller sends is the caller's mistake or none at all; nothing of it is a 500. */
const service = useService();

interface Call {
  readonly method: string;
  readonly path: string;
  readonly raw?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const words = (text: string) => text.split(' ');
/** Text of any characters, NUL and halves of surrogate pairs among them, and what databases and readers stumble over. */
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ unit: fc.constantFrom(...'\0\ud800\'"\\%&|!:*(<,éß', '👜', '\u0130', '\ufeff', '\u2028') }),
  fc.constantFrom(
    ...words(
      'brand_hermes material:exotic handbags birkin product brand tags ids constructor __proto__ prototype',
    ),
    ...['', 'toString', 'hasOwnProperty', "' OR 1=1; --", '../../etc/passwd'],
  ),
);
const number = fc.oneof(fc.integer(), fc.double(), fc.constantFrom(2 ** 31, 2 ** 53, 1e300, -0));
const anything = fc.oneof(text, number, fc.constant(null), fc.array(text, { maxLength: 3 }), fc.jsonValue());
/** The first four times of five. */
const mostly = <Value, Other>(value: fc.Arbitrary<Value>, other: fc.Arbitrary<Other>) =>
  fc.oneof({ weight: 4, arbitrary: value }, { weight: 1, arbitrary: other });

/** Values that no JavaScript object would write: other numbers, other escapes, other keys. */
const literal = fc.constantFrom(
  ...['-0', '1e309', '-1e309', '1e-400', '9007199254740993', '1.0', '"1"', '" 2 "', 'NaN', '01', "'a'", ''],
  ...['"\\u0000"', '"\\ud800"', '"\\u0041"', '{"__proto__":{"page":1}}', '{"constructor":{"prototype":{}}}'],
  ...[`${'['.repeat(40)}${']'.repeat(40)}`, `"${'a'.repeat(100_000)}"`, '{"a":1,"a":2}'],
);
const value = mostly(
  anything.map((each) => JSON.stringify(each)),
  literal,
);

/** The text of a JSON object, or nearly: keys may be repeated, values broken, a byte order mark in front. */
const bodyText = (names: readonly string[]): fc.Arbitrary<string> => {
  const key = mostly(fc.constantFrom(...names), text);
  const pair = fc.tuple(key, value).map(([name, written]) => `${JSON.stringify(name)}:${written}`);
  return fc
    .tuple(fc.constantFrom('', '', '', '\ufeff', ' \n'), fc.array(pair, { maxLength: 5 }))
    .map(([start, pairs]) => `${start}{${pairs.join(',')}}`);
};

/** What a URL can hold: halves of surrogate pairs replaced. */
const escaped = text.map((each) => encodeURIComponent(Buffer.from(each, 'utf8').toString('utf8')));
const bytes = fc
  .array(fc.nat(255), { minLength: 1, maxLength: 12 })
  .map((each) => each.map((code) => `%${code.toString(16).padStart(2, '0')}`).join(''));
const signs = fc.constantFrom('%', '%zz', '%00', '%2F', '%2e%2e%2f', 'a;b', '[]');
const partOfUrl = fc.oneof(escaped, bytes, signs);
const queryString = (...names: readonly string[]) =>
  fc
    .array(fc.tuple(mostly(fc.constantFrom(...names), partOfUrl), partOfUrl), { maxLength: 5 })
    .map((pairs) => pairs.map((pair) => pair.join('=')).join('&'));

const QUERY = words('query category_id filters taxonomy_node page page_size sort includes facets cursor');
const PRODUCTS = words(
  'search attribute page page_size sort tags exclude_tags category brand exclude_brand exclude_category colour dial keywords',
);

const post = (path: string, raw: string, headers: object = {}): Call => ({
  ...{ method: 'POST', path, raw },
  headers: { 'Content-Type': 'application/json', ...headers },
});
const get = (path: string): Call => ({ method: 'GET', path });

const filter = fc.record(
  {
    field: mostly(
      fc.oneof(fc.constantFrom('brand', 'tags', 'colour', 'keywords', 'category'), text),
      anything,
    ),
    include: mostly(fc.array(text, { maxLength: 4 }), anything),
    exclude: mostly(fc.array(text, { maxLength: 4 }), anything),
    ids: mostly(fc.array(text, { maxLength: 2 }), anything),
  },
  { requiredKeys: ['field'] },
);
const query = fc.record(
  {
    query: mostly(text, anything),
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
const typed = fc.array(text, { maxLength: 4 }).map((parts) => ({ query: parts.join(' ') }));
const anId = mostly(
  fc.constantFrom('product_birkin_croc', 'brand_hermes'),
  partOfUrl.map((part) => `x${part}`),
);
const anAddress = (path: string, ...parts: readonly fc.Arbitrary<string>[]) =>
  fc
    .tuple(...parts)
    .map((given) => get(given.reduce((address, part) => address.replace('*', () => part), path)));
const similar = queryString('includes', 'category_id', 'size', 'size[]', '__proto__');
const v1 = queryString(...PRODUCTS, 'brand[]', 'page[0]', 'tags[a]', '__proto__');

/** Calls of endpoints that report their cost. */
const BILLED: Readonly<Record<string, fc.Arbitrary<Call>>> = {
  ...Object.fromEntries(
    Object.entries({
      '/v3/catalog/query': QUERY,
      '/v3/catalog/items': ['ids', 'includes'],
      '/v3/catalog/suggest': ['query', 'category_id', 'size'],
      '/v2/products': PRODUCTS,
      '/v3/vision/identify': ['url', 'base64', 'includes'],
      '/v2/vision': ['url', 'base64', 'includes'],
    }).map(([path, names]) => [`body sent to ${path}`, bodyText(names).map((raw) => post(path, raw))]),
  ),
  'address of a v1 search': anAddress('/v1/products?*', v1),
  'address of an item': anAddress('/v3/catalog/items/*?*', anId, queryString('includes', 'includes[]')),
  'address of similar items': anAddress('/v3/catalog/items/*/similar?*', anId, similar),
  // contract 5.8
  'filter of a query': query.map((body) => post('/v3/catalog/query', JSON.stringify(body))),
  'text in a search box': typed.map((body) => post('/v3/catalog/suggest', JSON.stringify(body))),
};

const kind = fc.oneof(fc.constantFrom('pricing_data', 'historical_estimates'), partOfUrl);
const region = fc.oneof(fc.constantFrom('NA.csv', 'EU-UK.csv'), partOfUrl);
const signed = queryString('expires', 'key', 'signature');
const FILES = fc
  .oneof(
    anAddress('/files/*/*/*?*', kind, partOfUrl, region, signed),
    anAddress('/images/x*?*', partOfUrl, signed),
  )
  .map(({ path }) => get(path.replaceAll('//', '/x/')));

const ADDRESSES = words(
  '/v3/catalog/items /v3/catalog/items/product_birkin_croc/similar /v3/catalog/suggest /v3/catalog/query ' +
    '/v2/products /files/pricing_data/variant_x/NA.csv /images/x /healthz /readyz /metrics /openapi.json ' +
    '/v3/catalog/items/brand_hermes /v3/vision/identify /v2/vision /v1/products /nowhere /%zz /x//y /v3',
);
const printable = fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code));
const token = fc.string({ unit: printable });
const plain = ['X-Request-Id', 'X-Forwarded-Host', 'X-Forwarded-Proto', 'Accept', 'If-None-Match', 'Range'];
const type = fc.constantFrom('application/json', 'application/json;charset=utf-7');
const coding = fc.constantFrom('gzip', 'br', 'deflate', 'identity', 'gzip, gzip');
const headers = fc.record(
  {
    Authorization: fc.tuple(fc.constantFrom('', 'Bearer '), token).map((parts) => parts.join('')),
    ...{ 'Content-Type': fc.oneof(token, type), 'Content-Encoding': fc.oneof(token, coding) },
    ...Object.fromEntries(plain.map((name) => [name, token])),
  },
  { requiredKeys: [] },
);
const method = fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS');
const METHODS = fc.tuple(method, fc.constantFrom(...ADDRESSES), headers).map(([by, path, sent]): Call => {
  const raw = ['POST', 'PUT', 'PATCH', 'DELETE'].includes(by) ? { raw: '{"page":0}' } : {};
  return { method: by, path, headers: sent as Record<string, string>, ...raw };
});

test.each(Object.entries({ ...BILLED, 'address of a file': FILES, 'method with any headers': METHODS }))(
  'no %s is a 500: it is answered, or refused in the form of all refusals, free',
  async (what, calls) => {
    // Each run of the suite tries others.
    const property = fc.asyncProperty(calls, async ({ method: by, path, ...sending }) => {
      const { status, headers: told, body, text: answered } = await service.api.send(by, path, sending);
      expect([status < 500, answered]).toEqual([true, answered]);
      if (Object.hasOwn(BILLED, what))
        expect(told.get('X-Credits-Used')).toMatch(status === 200 ? /^\d+$/ : /^0$/);
      if (calls === FILES) expect([400, 403, 404]).toContain(status);
      if (status === 200 || by === 'HEAD') return;
      const [error] = Object.entries(REFUSALS).find(([, [refusal]]) => refusal?.status === status) ?? [];
      const message = expect.stringMatching(/\S/);
      expect(body).toMatchObject({ success: false, error, message, request_id: told.get('X-Request-Id') });
    });
    await fc.assert(property, { numRuns: 100 });
  },
);
