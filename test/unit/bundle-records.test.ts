import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { recordParsers } from '../../scripts/import/parse-record';
import { RejectReport } from '../../scripts/import/reject-report';
import { temporaryFolder } from '../support/temporary-folder';

const parsers = recordParsers(new Date('2026-03-01T12:00:00Z'));
const ENTITY = { id: 'style_a', kind: 'style', name: 'A', category: 'handbags' };
const PRODUCT = { id: 'product_a', category: 'handbags', attributes: { brand: 'brand_a' } };
const ESTIMATE = { variant: 'variant_a', source: 'ebay', region: 'NA' };
const HISTORY = { ...ESTIMATE, date: '2026-03-01' };
const LISTING = { variant: 'variant_a', region: 'NA', link: 'https://shop.example/1' };
const VARIANT = { id: 'variant_a', fields: [{ field: 'size', name: '30' }] };
const records = {
  categories: { id: 'handbags', name: 'Handbags', hierarchy: ['brand'], name_fields: ['brand'] },
  tags: { id: 'material:exotic', name: 'Exotic' },
  synonyms: { id: 'lv', words: ['lv', 'louis vuitton'] },
  entities: { ...ENTITY, parents: { brand: 'brand_a' } },
  products: { ...PRODUCT, variants: [VARIANT, { ...VARIANT, id: 'variant_b' }] },
  estimates: ESTIMATE,
  history: HISTORY,
  listings: LISTING,
} as const;
type Kind = keyof typeof records;

test('estimates without a time have that of their own import', () => {
  const later = recordParsers(new Date('2026-03-02T12:00:00Z')).estimates(ESTIMATE);
  expect(later).toMatchObject({ record: { estimated_at: '2026-03-02T12:00:00.000Z' } });
});

const faultOf = (kind: Kind, record: unknown): [field: string, reason: string] | null => {
  const parsed = parsers[kind](record);
  return 'reason' in parsed ? [parsed.field, parsed.reason] : null;
};

const LISTED = { popularity: 0, images: [], thumbnails: [] };
const DESCRIBED = { tags: [], keywords: [], ...LISTED };
const UNGRADED = { a: null, b: null, c: null, d: null };
const ATTRIBUTES = { brand: 'brand_a', colour: ['colour_b', 'colour_a', 'colour_b'], strap: [] };
const ATTRIBUTE_LISTS = { brand: ['brand_a'], colour: ['colour_b', 'colour_a'] };
const IMPORTED = { currency: 'usd', estimated_at: '2026-03-01T12:00:00.000Z', confidence: null };
const ELSEWHEN = { A: 5, B: null, C: 5, D: 0, estimated_at: '2026-03-15T14:00:00+02:00' };
const PRICELESS = { variant_name: '', vendor: '', price: null, currency: 'eur', date: null };

test.each<[kind: Kind, given: object, filledIn: object]>([
  ['categories', { name_fields: undefined }, { name_fields: ['brand', 'model', 'style'] }],
  ['categories', { hierarchy: undefined }, { hierarchy: [], ...LISTED }],
  // The group is the part of the id before the colon.
  ['tags', {}, { group: 'material', display_order: 0, categories: [] }],
  ['entities', { parents: undefined }, { parents: {}, ...DESCRIBED }],
  ['products', { variants: [{ id: VARIANT.id }] }, { variants: [{ ...LISTED, id: VARIANT.id, fields: [] }] }],
  ['products', { attributes: ATTRIBUTES }, { attributes: ATTRIBUTE_LISTS, ...DESCRIBED }],
  ['estimates', {}, { variant_id: 'variant_a', ...UNGRADED, ...IMPORTED }],
  ['estimates', ELSEWHEN, { a: 5, b: null, c: 5, d: 0, estimated_at: '2026-03-15T12:00:00.000Z' }],
  ['history', { region: 'EU-UK' }, { ...UNGRADED, currency: 'gbp' }],
  ['listings', { region: 'EU-IE' }, PRICELESS],
])('a record is read as intended: %s %j', (kind, change, filledIn) => {
  const given = JSON.parse(JSON.stringify({ ...records[kind], ...change }));
  expect(parsers[kind](given)).toMatchObject({ record: filledIn });
});

test('a record that deletes is accepted as a deletion, whatever its other fields hold', () => {
  const given = { ...records.products, deleted: true, category: 7 };
  expect(parsers.products(given)).toEqual({ record: { id: 'product_a', deleted: true } });
});

// contract 13.3, 13.6, 13.14, 13.16
describe('a bad record is rejected with its field and the reason', () => {
  const LONG_LINK = `https://a.example/${'é'.repeat(1000)}`;
  const NO_FIELD = 'is no field of this record';
  const NO_NUMBER = 'popularity: is no number';
  const SIZE = { field: 'size', name: '30' };
  const variantWith = (fields: readonly object[]) => ({ variants: [{ ...VARIANT, fields }] });

  test.each<[kind: Kind, change: object | string, reason: string]>([
    ['entities', '[]', 'line: is no object'],
    ['entities', { id: undefined }, 'id: is required'],
    ['entities', { name: undefined }, 'name: is required'],
    ['entities', { kind: undefined }, 'kind: is required'],
    ['tags', { order: 1e16 }, 'order: must be at most 2147483647'],
    ['entities', { category: undefined }, 'category: is required'],
    ['entities', { name: ' ' }, 'name: is blank'],
    ['entities', { name: 7 }, 'name: is no string'],
    ['entities', { name: 'x'.repeat(501) }, 'name: is longer than 500 characters'],
    ['entities', { name: 'a\0' }, 'name: holds a character that cannot be stored'],
    ['entities', { keywords: ['\ud800'] }, 'keywords.0: holds a character that cannot be stored'],
    ['entities', { id: 'brand_a' }, 'id: does not start with style_'],
    ['entities', { id: 'style_a,b' }, 'id: is no id: empty, or with white space or one of , / ? # %'],
    ['entities', { id: 'product_a', kind: 'product' }, 'kind: is a reserved field name'],
    ['entities', { parents: { style: 'style_b' } }, 'parents.style: is of its own kind'],
    ['entities', { parents: ['brand_a'] }, 'parents: is no record'],
    ['entities', { popularity: '12' }, NO_NUMBER],
    ['entities', { images: ['http://a.example/a.jpg'] }, 'images.0: is no https:// address'],
    ['entities', { images: ['https://'] }, 'images.0: is no https:// address'],
    ['entities', { images: ['../a.jpg'] }, 'images.0: is a path that leaves the bundle'],
    ['entities', { parent: {} }, `parent: "parent" ${NO_FIELD}`],
    ['entities', { deleted: true, keyword: [] }, `keyword: "keyword" ${NO_FIELD}`],
    ['products', { id: 'bag_a' }, 'id: does not start with product_'],
    ['products', { attributes: undefined }, 'attributes: is required'],
    ['products', { attributes: { brand: 7 } }, 'attributes.brand: is no id and no list of ids'],
    ['products', { variants: [{ id: 'product_a' }] }, 'variants.0.id: does not start with variant_'],
    ['products', { variants: [VARIANT, VARIANT] }, 'variants: names a variant twice'],
    ['products', variantWith([{ field: 'a' }]), 'variants.0.fields.0.name: is required'],
    ['products', '{"id":"product_a","category":"a","attributes":{},"popularity":1e400}', NO_NUMBER],
    ['products', { name: 'Mine' }, `name: "name" ${NO_FIELD}`],
    // Reports the typo rather than the missing field.
    ['products', { attributes: undefined, atributes: {} }, `atributes: "atributes" ${NO_FIELD}`],
    ['products', { variants: [{ ...VARIANT, price: 7 }] }, `variants.0.price: "price" ${NO_FIELD}`],
    ['products', variantWith([{ ...SIZE, value: 7 }]), `variants.0.fields.0.value: "value" ${NO_FIELD}`],
    ['estimates', { A: 1, B: 2 }, 'B: grades do not descend'],
    ['estimates', { A: 3, B: null, C: 3.5 }, 'C: grades do not descend'],
    ['estimates', { A: -1 }, 'A: must be at least 0'],
    ['estimates', { confidence: 1.1 }, 'confidence: must be at most 1'],
    ['history', { confidence: -0.1 }, 'confidence: must be at least 0'],
    ['estimates', { region: 'US' }, 'region: must be one of NA, EU-UK, EU-IE'],
    ['estimates', { currency: 'USD' }, 'currency: NA is priced in usd'],
    ['estimates', { source: undefined }, 'source: is required'],
    ['estimates', { variant: undefined }, 'variant: is required'],
    ['estimates', { estimated_at: '2026-02-30T12:00:00Z' }, 'estimated_at: Invalid ISO datetime'],
    ['estimates', { estimated_at: '2026-02-28T12:00:00' }, 'estimated_at: Invalid ISO datetime'],
    ['estimates', { estimated_at: '9999-12-31T23:59:59-12:00' }, 'estimated_at: is no date'],
    ['estimates', { E: 1 }, `E: "E" ${NO_FIELD}`],
    ['history', { date: '2026-02-29' }, 'date: Invalid ISO date'],
    ['history', { A: 1, D: 2 }, 'D: grades do not descend'],
    ['listings', { link: 'javascript:alert(1)' }, 'link: is no https:// or http:// address'],
    ['listings', { link: LONG_LINK }, 'link: is longer than 2000 bytes'],
    ['tags', { id: 'exotic' }, 'id: is not of the form <group>:<name>'],
    ['tags', { group: 'material' }, `group: "group" ${NO_FIELD}`],
    ['categories', { hierarchy: ['brand', 'brand'] }, 'hierarchy: names an attribute twice'],
    ['categories', { hierarchy: ['product'] }, 'hierarchy.0: is a reserved field name'],
    ['synonyms', { id: undefined }, 'id: is required'],
    ['synonyms', { words: undefined }, 'line: has either "from" and "to" or "words"'],
    ['synonyms', { words: undefined, from: ['a'] }, 'line: has either "from" and "to" or "words"'],
    ['synonyms', { from: ['a'], to: ['b'] }, 'line: has either "from" and "to" or "words"'],
    ['synonyms', { words: ['a'] }, 'words: holds fewer than 2'],
    ['synonyms', { from: [], to: ['b'] }, 'from: holds fewer than 1'],
    ['synonyms', { from: ['a'], to: ['!!!'] }, 'to.0: holds no word'],
    ['synonyms', { from: ['a', 'a b c d e f'], to: ['b'] }, 'from.1: is longer than 5 words'],
    ['synonyms', { words: Array.from({ length: 51 }, (_, at) => `w${at}`) }, 'words: holds more than 50'],
    ['synonyms', { words: 'bag' }, 'words: is no array'],
    ['synonyms', { words: ['bag', 'x'.repeat(501)] }, 'words.1: is longer than 500 characters'],
    ['synonyms', { word: [] }, `word: "word" ${NO_FIELD}`],
    ['categories', { deleted: true }, `deleted: "deleted" ${NO_FIELD}`],
  ])('%s: %j', (kind, change, reason) => {
    const given = typeof change === 'string' ? change : JSON.stringify({ ...records[kind], ...change });
    expect(faultOf(kind, JSON.parse(given))?.join(': ')).toBe(reason);
  });

  test('for an unknown field in any record, whatever its name', () => {
    const names = fc.oneof(
      fc.string().map((text) => `x${text}`),
      fc.constantFrom('__proto__', 'constructor', 'toString', 'hasOwnProperty', 'then', '0', ''),
    );
    const kind = fc.constantFrom(...(Object.keys(records) as Kind[]));
    fc.assert(
      fc.property(kind, names, fc.jsonValue(), fc.boolean(), (kind, key, value, deleted) => {
        const known = JSON.stringify({ ...records[kind], ...(deleted && { deleted: true }) });
        // As JSON.parse makes it: an own property, even of the name __proto__.
        const record = JSON.parse(`{${JSON.stringify(key)}:${JSON.stringify(value)},${known.slice(1)}`);
        const reason = `${JSON.stringify(key)} is no field of this record`;
        // The field is one word, so the parts of a line of the report stay apart.
        expect(faultOf(kind, record)).toEqual([expect.stringMatching(/^[^\s:]+$/), reason]);
      }),
    );
  });
});

test('a reject is one line of readable length, with its field and reason even after the longest path', async () => {
  const report = await RejectReport.create(join(temporaryFolder(), 'rejects.txt'));
  const path = `${'folder/'.repeat(400)}a.jpg`;
  report.add(path, 0, 'file', 'a symbolic link');
  report.add('a\nb\u2028c', 0, 'file', `a\r\nb ${'x'.repeat(9_000)}`);
  await report.close();
  const [first, second = '', ...more] = readFileSync(report.path, 'utf8').split('\n');
  expect([first, ...more]).toEqual([`${path}:0: file: a symbolic link`, '']);
  expect(second).toMatch(/^a b c:0: file: a b x+…$/);
  expect(second.length).toBeLessThan(600);
});
