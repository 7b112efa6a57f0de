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
    ...words('brand_hermes material:exotic handbags product brand tags ids constructor __proto__'),
    ...['', "' OR 1=1; --", '../../etc/passwd'],
  ),
);
const number = fc.oneof(fc.integer(), fc.double(), fc.constantFrom(2 ** 31, 2 ** 53, 1e300, -0));
const anything = fc.oneof(text, number, fc.constant(null), fc.array(text, { maxLength: 3 }), fc.jsonValue());
const mostly = <Value, Other>(value: fc.Arbitrary<Value>, other: fc.Arbitrary<Other>) =>
  fc.oneof({ weight: 4, arbitrary: value }, { weight: 1, arbitrary: other });

/** Values that no JavaScript object would write: other numbers, other escapes, other keys. */
const literal = fc.constantFrom(
  ...['-0', '1e309', '1e-400', '9007199254740993', '"1"', '" 2 "', 'NaN', '01', "'a'", '', '"\\ud800"'],
  ...['{"__proto__":{"page":1}}', '{"constructor":{"prototype":{}}}', '{"a":1,"a":2}'],
  ...[`${'['.repeat(40)}${']'.repeat(40)}`, `"${'a'.repeat(100_000)}"`],
);
const listOf = mostly(fc.array(text, { maxLength: 4 }), anything);
const filter = fc.record(
  { field: mostly(text, anything), include: listOf, exclude: listOf, ids: listOf },
  { requiredKeys: ['field'] },
);
const written = fc.oneof(anything, fc.array(filter, { maxLength: 3 })).map((each) => JSON.stringify(each));
const value = mostly(written, literal);

/** The text of a JSON object, or nearly: keys may be repeated, values broken, a byte order mark in front. */
const bodyText = (names: readonly string[]): fc.Arbitrary<string> => {
  const key = mostly(fc.constantFrom(...names), text);
  const pair = fc.tuple(key, value).map(([name, given]) => `${JSON.stringify(name)}:${given}`);
  return fc
    .tuple(fc.constantFrom('', '', '', '\ufeff', ' \n'), fc.array(pair, { maxLength: 5 }))
    .map(([start, pairs]) => `${start}{${pairs.join(',')}}`);
};

/** What a URL can hold: any bytes, and text in which halves of surrogate pairs are replaced. */
const partOfUrl = fc.oneof(
  text.map((each) => encodeURIComponent(Buffer.from(each, 'utf8').toString('utf8'))),
  fc
    .uint8Array({ minLength: 1, maxLength: 12 })
    .map((each) => Buffer.from(each).toString('hex').replace(/../g, '%$&')),
  fc.constantFrom('%', '%zz', '%00', '%2F', '%2e%2e%2f', 'a;b', '[]'),
);
const queryString = (names: string) =>
  fc
    .array(fc.tuple(mostly(fc.constantFrom(...words(names)), partOfUrl), partOfUrl), { maxLength: 5 })
    .map((pairs) => pairs.map((pair) => pair.join('=')).join('&'));
const anAddress = (path: string, ...parts: readonly fc.Arbitrary<string>[]) =>
  fc.tuple(...parts).map((given): Call => {
    return { method: 'GET', path: given.reduce((address, part) => address.replace('*', () => part), path) };
  });

const PHOTO = 'url base64 images includes';
const PRODUCTS =
  'search attribute page page_size sort tags exclude_tags category brand exclude_brand colour dial keywords';
const JSON_TYPE = { 'Content-Type': 'application/json' };
const id = mostly(
  fc.constantFrom('product_birkin_croc', 'brand_hermes'),
  partOfUrl.map((part) => `x${part}`),
);
const similar = queryString('includes category_id size size[] __proto__');

const post = (path: string, raw: string): Call => ({ method: 'POST', path, raw, headers: JSON_TYPE });
const someFilters = fc.array(fc.record({ field: text, include: fc.array(text, { minLength: 1 }) }), {
  maxLength: 2,
});

const BILLED: Readonly<Record<string, fc.Arbitrary<Call>>> = {
  ...Object.fromEntries(
    Object.entries({
      // contract 5.8
      '/v3/catalog/query':
        'query category_id filters taxonomy_node page page_size sort includes facets cursor',
      '/v3/catalog/items': 'ids includes',
      '/v3/catalog/suggest': 'query category_id size',
      '/v2/products': PRODUCTS,
      '/v3/vision/identify': PHOTO,
      '/v2/vision': PHOTO,
    }).map(([path, names]) => [`body sent to ${path}`, bodyText(words(names)).map((raw) => post(path, raw))]),
  ),
  'text and filters of a query': fc
    .record({ query: text, filters: someFilters })
    .map((body) => post('/v3/catalog/query', JSON.stringify(body))),
  'text in a search box': fc
    .array(text, { maxLength: 4 })
    .map((parts) => post('/v3/catalog/suggest', JSON.stringify({ query: parts.join(' ') }))),
  'address of a v1 search': anAddress('/v1/products?*', queryString(`${PRODUCTS} brand[] page[0] __proto__`)),
  'address of an item': anAddress('/v3/catalog/items/*?*', id, queryString('includes includes[]')),
  'address of similar items': anAddress('/v3/catalog/items/*/similar?*', id, similar),
};

const signed = queryString('expires key signature');
const FILES = fc
  .oneof(
    anAddress('/files/pricing_data/*/*?*', partOfUrl, mostly(fc.constant('NA.csv'), partOfUrl), signed),
    anAddress('/images/x*?*', partOfUrl, signed),
  )
  .map((call) => ({ ...call, path: call.path.replaceAll('//', '/x/') }));

const ADDRESSES = words(
  '/v3/catalog/items /v3/catalog/items/product_birkin_croc/similar /v3/catalog/suggest /v3/catalog/query ' +
    '/v2/products /files/pricing_data/variant_x/NA.csv /images/x /healthz /readyz /metrics /openapi.json ' +
    '/v3/catalog/items/brand_hermes /v3/vision/identify /v2/vision /v1/products /nowhere /%zz /x//y /v3',
);
const token = fc.string({
  unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)),
});
const plain = words('X-Request-Id X-Forwarded-Host X-Forwarded-Proto Accept If-None-Match Range');
const headers = fc.record(
  {
    Authorization: fc.tuple(fc.constantFrom('', 'Bearer '), token).map((parts) => parts.join('')),
    'Content-Type': fc.oneof(token, fc.constantFrom('application/json', 'application/json;charset=utf-7')),
    'Content-Encoding': fc.oneof(token, fc.constantFrom('gzip', 'br', 'deflate', 'gzip, gzip')),
    ...Object.fromEntries(plain.map((name) => [name, token])),
  },
  { requiredKeys: [] },
);
const METHODS = fc
  .tuple(
    fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'),
    fc.constantFrom(...ADDRESSES),
    headers,
  )
  .map(([method, path, sent]): Call => {
    const raw = method.startsWith('P') || method === 'DELETE' ? { raw: '{"page":0}' } : {};
    return { method, path, headers: sent as Record<string, string>, ...raw };
  });

test.each(Object.entries({ ...BILLED, 'address of a file': FILES, 'method with any headers': METHODS }))(
  'no %s is a 500: it is answered, or refused in the form of all refusals, free',
  async (what, calls) => {
    // Each run of the suite tries different calls.
    const property = fc.asyncProperty(calls, async ({ method, path, ...sending }) => {
      const { status, headers: told, body, text: answered } = await service.api.send(method, path, sending);
      expect([status < 500, answered]).toEqual([true, answered]);
      if (Object.hasOwn(BILLED, what))
        expect(told.get('X-Credits-Used')).toMatch(status === 200 ? /^\d+$/ : /^0$/);
      if (calls === FILES) expect([400, 403, 404]).toContain(status);
      if (status === 200 || method === 'HEAD') return;
      const [error] = Object.entries(REFUSALS).find(([, [refusal]]) => refusal?.status === status) ?? [];
      const message = expect.stringMatching(/\S/);
      expect(body).toMatchObject({ success: false, error, message, request_id: told.get('X-Request-Id') });
    });
    await fc.assert(property, { numRuns: 100 });
  },
);
