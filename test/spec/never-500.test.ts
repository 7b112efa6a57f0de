import fc from 'fast-check';
import { useService } from '../support/service';

/** decisions.md 1: whatever a caller sends is its own mistake or none; nothing of it is a fault of ours. */
const service = useService();
const RUNS = { numRuns: 150 };

/** Text of any characters, NUL and halves of surrogate pairs among them, and what databases and readers stumble over. */
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({
    unit: fc.constantFrom(
      '\0',
      '\ud800',
      "'",
      '"',
      '\\',
      '%',
      '&',
      '|',
      '!',
      ':',
      '*',
      '(',
      '<',
      'é',
      'ß',
      '👜',
    ),
  }),
  fc.constantFrom(
    'brand_hermes',
    'material:exotic',
    'handbags',
    'birkin',
    'product',
    'constructor',
    '__proto__',
  ),
);
const number = fc.oneof(fc.integer(), fc.double(), fc.constantFrom(2 ** 31, 2 ** 53, 1e300, -0));
const anything = fc.oneof(text, number, fc.constant(null), fc.array(text, { maxLength: 3 }), fc.jsonValue());
const mostly = <Value>(value: fc.Arbitrary<Value>) =>
  fc.oneof({ weight: 4, arbitrary: value }, { weight: 1, arbitrary: anything });

const filter = fc.record(
  {
    field: mostly(fc.oneof(fc.constantFrom('brand', 'tags', 'colour', 'keywords'), text)),
    include: mostly(fc.array(text, { maxLength: 4 })),
    exclude: mostly(fc.array(text, { maxLength: 4 })),
    ids: mostly(fc.array(text, { maxLength: 2 })),
  },
  { requiredKeys: [] },
);

/** What a URL can hold: halves of surrogate pairs replaced. */
const wellFormed = (value: string): string => Buffer.from(value, 'utf8').toString('utf8');

const fine = (status: number): boolean => status < 500;

test('no catalog query is a fault of ours', async () => {
  const body = fc.record(
    {
      query: mostly(text),
      category_id: mostly(fc.oneof(fc.constantFrom('handbags', 'watches'), text)),
      filters: mostly(fc.array(filter, { maxLength: 3 })),
      taxonomy_node: mostly(fc.oneof(fc.constantFrom('product', 'brand', 'style', 'category'), text)),
      page: mostly(fc.nat()),
      page_size: mostly(fc.nat()),
      sort: mostly(fc.constantFrom('name_asc', 'name_desc', 'popularity_asc')),
      includes: mostly(fc.subarray(['taxonomy', 'pricing'])),
    },
    { requiredKeys: [] },
  );
  await fc.assert(
    fc.asyncProperty(body, async (sent) => fine((await service.api.query(sent)).status)),
    RUNS,
  );
});

test('no v2 search is a fault of ours', async () => {
  const names = fc.constantFrom(
    'search',
    'attribute',
    'page',
    'sort',
    'tags',
    'category',
    'brand',
    'exclude_brand',
    'colour',
  );
  const body = fc.dictionary(
    fc.oneof({ weight: 5, arbitrary: names }, { weight: 1, arbitrary: text }),
    anything,
  );
  await fc.assert(
    fc.asyncProperty(body, async (sent) => fine((await service.api.v2(sent)).status)),
    RUNS,
  );
});

test('no v1 search is a fault of ours, whatever its bytes', async () => {
  const byte = fc.nat(255).map((code) => `%${code.toString(16).padStart(2, '0')}`);
  const value = fc.oneof(
    fc.array(byte, { maxLength: 12 }).map((bytes) => bytes.join('')),
    text.map((each) => encodeURIComponent(wellFormed(each))),
  );
  const names = fc.constantFrom(
    'search',
    'attribute',
    'page',
    'page_size',
    'sort',
    'tags',
    'category',
    'brand',
    'exclude_model',
  );
  const pairs = fc.array(
    fc.tuple(fc.oneof({ weight: 5, arbitrary: names }, { weight: 1, arbitrary: value }), value),
    { maxLength: 5 },
  );
  await fc.assert(
    fc.asyncProperty(pairs, async (sent) => {
      const query = sent.map((pair) => pair.join('=')).join('&');
      return fine((await service.api.send('GET', `/v1/products?${query}`)).status);
    }),
    RUNS,
  );
});

test('no id of an item is a fault of ours', async () => {
  const id = fc.oneof(
    text.map((each) => encodeURIComponent(wellFormed(each))),
    fc
      .array(
        fc.nat(255).map((code) => `%${code.toString(16).padStart(2, '0')}`),
        { minLength: 1, maxLength: 8 },
      )
      .map((bytes) => bytes.join('')),
  );
  await fc.assert(
    fc.asyncProperty(id, async (sent) =>
      fine((await service.api.send('GET', `/v3/catalog/items/x${sent}`)).status),
    ),
    RUNS,
  );
});

test('no photo is a fault of ours', async () => {
  const whole = await service.photo();
  const broken = fc
    .array(fc.tuple(fc.nat(whole.length - 1), fc.nat(255)), { minLength: 1, maxLength: 20 })
    .map((changes) => {
      const bytes = Buffer.from(whole);
      for (const [at, value] of changes) bytes[at] = value;
      return bytes.toString('base64');
    });
  const body = fc.record(
    { base64: fc.oneof(broken, text, anything), url: fc.oneof(text, anything) },
    { requiredKeys: [] },
  );
  await fc.assert(
    fc.asyncProperty(body, async (sent) => fine((await service.api.identify(sent)).status)),
    RUNS,
  );
});
