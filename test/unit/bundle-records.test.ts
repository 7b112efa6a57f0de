import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import type { z } from 'zod';
import { parseDeletable, parseLine, parseRecord, recordParsers } from '../../scripts/import/parse-record';
import {
  categorySchema,
  entitySchema,
  estimateSchema,
  historySchema,
  listingSchema,
  productDeletion,
  productSchema,
  tagSchema,
} from '../../scripts/import/record-schemas';
import { RejectReport } from '../../scripts/import/reject-report';
import { temporaryFolder } from '../support/temporary-folder';

const NOW = new Date('2026-03-01T12:00:00Z');
const ENTITY = { id: 'style_a', kind: 'style', name: 'A', category: 'handbags' };
const PRODUCT = { id: 'product_a', category: 'handbags', attributes: { brand: 'brand_a' } };
const ESTIMATE = { variant: 'variant_a', source: 'ebay', region: 'NA' };
const HISTORY = { ...ESTIMATE, date: '2026-03-01' };
const LISTING = { variant: 'variant_a', region: 'NA', link: 'https://shop.example/1' };

const fault = (record: unknown, schema: z.ZodType): string => {
  const line = typeof record === 'string' ? record : JSON.stringify(record);
  const parsed = parseLine(line, (value) => parseRecord(value, schema));
  return 'reason' in parsed ? `${parsed.field}: ${parsed.reason}` : 'accepted';
};
const recordOf = <Record>(record: unknown, schema: z.ZodType<Record>): Record => {
  const parsed = parseRecord(record, schema);
  if ('reason' in parsed) throw new Error(`${parsed.field}: ${parsed.reason}`);
  return parsed.record;
};

describe('what a record may leave out is filled in', () => {
  test('in a category', () => {
    expect(recordOf({ id: 'handbags', name: 'Handbags' }, categorySchema)).toEqual({
      id: 'handbags',
      name: 'Handbags',
      hierarchy: [],
      name_fields: ['brand', 'model', 'style'],
      popularity: 0,
      images: [],
      thumbnails: [],
    });
  });

  test('in a tag, whose group is the part of its id before the colon', () => {
    expect(recordOf({ id: 'material:exotic', name: 'Exotic' }, tagSchema)).toEqual({
      id: 'material:exotic',
      group: 'material',
      name: 'Exotic',
      display_order: 0,
      categories: [],
    });
  });

  test('in an entity and a product', () => {
    const rest = { tags: [], keywords: [], popularity: 0, images: [], thumbnails: [] };
    expect(recordOf(ENTITY, entitySchema)).toEqual({ ...ENTITY, parents: {}, ...rest });
    const variants = [{ id: 'variant_a' }];
    expect(recordOf({ ...PRODUCT, variants }, productSchema)).toEqual({
      ...PRODUCT,
      attributes: { brand: ['brand_a'] },
      variants: [{ id: 'variant_a', fields: [], popularity: 0, images: [], thumbnails: [] }],
      ...rest,
    });
  });

  test('in the price records: grades, the currency of the region, the time of the import', () => {
    const grades = { a: null, b: null, c: null, d: null };
    expect(recordOf(ESTIMATE, estimateSchema(NOW))).toEqual({
      variant_id: 'variant_a',
      source: 'ebay',
      region: 'NA',
      ...grades,
      currency: 'usd',
      estimated_at: '2026-03-01T12:00:00.000Z',
      confidence: null,
    });
    expect(recordOf({ ...HISTORY, region: 'EU-UK' }, historySchema)).toMatchObject({
      ...grades,
      currency: 'gbp',
    });
    expect(recordOf({ ...LISTING, region: 'EU-IE' }, listingSchema)).toMatchObject({
      variant_name: '',
      vendor: '',
      price: null,
      currency: 'eur',
      date: null,
    });
  });
});

describe('a record is taken as it is meant', () => {
  test('when a product has one id or several in a field, or none', () => {
    const attributes = { brand: 'brand_a', colour: ['colour_b', 'colour_a', 'colour_b'], strap: [] };
    expect(recordOf({ ...PRODUCT, attributes }, productSchema).attributes).toEqual({
      brand: ['brand_a'],
      colour: ['colour_b', 'colour_a'],
    });
  });

  test('when it deletes, whatever stands in its other fields', () => {
    const given = { id: 'product_a', deleted: true, category: 7 };
    expect(parseDeletable(given, productSchema, productDeletion)).toEqual({
      record: { id: 'product_a', deleted: true },
    });
  });

  test('when a time has an offset', () => {
    const estimate = { ...ESTIMATE, estimated_at: '2026-03-15T14:00:00+02:00' };
    expect(recordOf(estimate, estimateSchema(NOW)).estimated_at).toBe('2026-03-15T12:00:00.000Z');
  });

  test('when grades are equal, or missing between others', () => {
    expect(fault({ ...ESTIMATE, A: 5, B: null, C: 5, D: 0 }, estimateSchema(NOW))).toBe('accepted');
  });
});

// contract 13.3
describe('a bad record is rejected with its field and the reason', () => {
  test.each<[unknown, string]>([
    ['{"id":', 'line: not JSON'],
    ['[]', 'line: is no object'],
    ['null', 'line: is no object'],
    [{ ...ENTITY, id: undefined }, 'id: is required'],
    [{ ...ENTITY, name: undefined }, 'name: is required'],
    [{ ...ENTITY, kind: undefined }, 'kind: is required'],
    [{ ...ENTITY, category: undefined }, 'category: is required'],
    [{ ...ENTITY, name: ' ' }, 'name: is blank'],
    [{ ...ENTITY, name: 7 }, 'name: is no string'],
    [{ ...ENTITY, name: 'x'.repeat(501) }, 'name: is longer than 500 characters'],
    [{ ...ENTITY, name: 'a\0' }, 'name: holds a character that can not be stored'],
    [{ ...ENTITY, keywords: ['\ud800'] }, 'keywords.0: holds a character that can not be stored'],
    [{ ...ENTITY, id: 'brand_a' }, 'id: does not start with style_'],
    [{ ...ENTITY, id: 'style_a,b' }, 'id: is no id: empty, or with white space or one of , / ? # %'],
    [{ ...ENTITY, id: 'product_a', kind: 'product' }, 'kind: is a reserved field name'],
    [{ ...ENTITY, parents: { style: 'style_b' } }, 'parents.style: is of its own kind'],
    [{ ...ENTITY, parents: ['brand_a'] }, 'parents: is no record'],
    [{ ...ENTITY, popularity: '12' }, 'popularity: is no number'],
    [{ ...ENTITY, images: ['http://a.example/a.jpg'] }, 'images.0: is no https:// address'],
    [{ ...ENTITY, images: ['https://'] }, 'images.0: is no https:// address'],
    [{ ...ENTITY, images: ['../a.jpg'] }, 'images.0: is a path that leaves the bundle'],
    [{ ...ENTITY, thumbnails: ['/a.jpg'] }, 'thumbnails.0: is an absolute path'],
  ])('as an entity: %j', (record, reason) => {
    expect(fault(record, entitySchema)).toBe(reason);
  });

  test.each<[unknown, string]>([
    [{ ...PRODUCT, id: 'bag_a' }, 'id: does not start with product_'],
    [{ ...PRODUCT, attributes: undefined }, 'attributes: is required'],
    [{ ...PRODUCT, attributes: { brand: 7 } }, 'attributes.brand: is no id and no list of ids'],
    [{ ...PRODUCT, variants: [{ id: 'product_a' }] }, 'variants.0.id: does not start with variant_'],
    [{ ...PRODUCT, variants: [{ id: 'variant_a' }, { id: 'variant_a' }] }, 'variants: names a variant twice'],
    [
      { ...PRODUCT, variants: [{ id: 'variant_a', fields: [{ field: 'size' }] }] },
      'variants.0.fields.0.name: is required',
    ],
    ['{"id":"product_a","category":"a","attributes":{},"popularity":1e400}', 'popularity: is no number'],
  ])('as a product: %j', (record, reason) => {
    expect(fault(record, productSchema)).toBe(reason);
  });

  test.each<[object, string]>([
    [{ A: 1, B: 2 }, 'B: grades do not descend'],
    [{ A: 3, B: null, C: 3.5 }, 'C: grades do not descend'],
    [{ A: -1 }, 'A: Too small: expected number to be >=0'],
    [{ A: '5' }, 'A: is no number'],
    [{ region: 'US' }, 'region: Invalid option: expected one of "NA"|"EU-UK"|"EU-IE"'],
    [{ currency: 'USD' }, 'currency: NA is priced in usd'],
    [{ source: undefined }, 'source: is required'],
    [{ variant: undefined }, 'variant: is required'],
    [{ estimated_at: '2026-02-30T12:00:00Z' }, 'estimated_at: Invalid ISO datetime'],
    [{ estimated_at: '2026-02-28T12:00:00' }, 'estimated_at: Invalid ISO datetime'],
  ])('as an estimate: %j', (change, reason) => {
    expect(fault({ ...ESTIMATE, ...change }, estimateSchema(NOW))).toBe(reason);
  });

  test('as a point of history, a listing, a tag or a category', () => {
    expect(fault({ ...HISTORY, date: '2026-02-29' }, historySchema)).toBe('date: Invalid ISO date');
    expect(fault({ ...HISTORY, A: 1, D: 2 }, historySchema)).toBe('D: grades do not descend');
    expect(fault({ ...LISTING, link: 'javascript:alert(1)' }, listingSchema)).toBe(
      'link: is no https:// or http:// address',
    );
    expect(fault({ ...LISTING, link: `https://a.example/${'é'.repeat(1000)}` }, listingSchema)).toBe(
      'link: is longer than 2000 bytes',
    );
    expect(fault({ id: 'exotic', name: 'Exotic' }, tagSchema)).toBe('id: is not of the form <group>:<name>');
    expect(fault({ id: 'a', name: 'A', hierarchy: ['brand', 'brand'] }, categorySchema)).toBe(
      'hierarchy: names an attribute twice',
    );
    expect(fault({ id: 'a', name: 'A', hierarchy: ['product'] }, categorySchema)).toBe(
      'hierarchy.0: is a reserved field name',
    );
  });
});

const parsers = recordParsers(NOW);
const variant = { id: 'variant_a', fields: [{ field: 'size', name: '30' }] };
const records = {
  categories: { id: 'handbags', name: 'Handbags', hierarchy: ['brand'], name_fields: ['brand'] },
  tags: { id: 'material:exotic', name: 'Exotic' },
  synonyms: { id: 'lv', words: ['lv', 'louis vuitton'] },
  entities: { ...ENTITY, parents: { brand: 'brand_a' } },
  products: { ...PRODUCT, variants: [variant, { ...variant, id: 'variant_b' }] },
  estimates: ESTIMATE,
  history: HISTORY,
  listings: LISTING,
} as const;
const kinds = Object.keys(records) as (keyof typeof records)[];
const faultOf = (kind: keyof typeof records, record: unknown) => {
  const parsed = parsers[kind](record);
  return 'reason' in parsed ? [parsed.field, parsed.reason] : null;
};

// contract 13.16
describe('an unknown field is told by its name', () => {
  test.each([
    ['products', { keyword: [] }, 'keyword'],
    ['products', { image: [] }, 'image'],
    ['products', { name: 'Mine' }, 'name'],
    ['listings', { Price: 1 }, 'Price'],
    ['categories', { deleted: true }, 'deleted'],
    ['tags', { group: 'material' }, 'group'],
    ['estimates', { E: 1 }, 'E'],
    ['history', { estimated_at: '2026-03-15T12:00:00Z' }, 'estimated_at'],
    ['synonyms', { word: [] }, 'word'],
    ['entities', { parent: {} }, 'parent'],
    // The typo, rather than what it leaves out.
    ['products', { attributes: undefined, atributes: {} }, 'atributes'],
    ['entities', { deleted: true, keyword: [] }, 'keyword'],
  ] as const)('in %s: %j', (kind, change, field) => {
    expect(faultOf(kind, { ...records[kind], ...change })).toEqual([
      field,
      `"${field}" is no field of this record`,
    ]);
  });

  test('in a variant and its fields', () => {
    const changed = (change: object) => ({
      ...records.products,
      variants: [variant, { ...variant, ...change }],
    });
    expect(faultOf('products', changed({ price: 7 }))?.[0]).toBe('variants.1.price');
    const fields = [{ field: 'size', name: '30', value: 7 }];
    expect(faultOf('products', changed({ fields }))?.[0]).toBe('variants.1.fields.0.value');
  });

  test('wherever an object has a set of fields, and whatever the name', () => {
    const names = fc.oneof(
      fc.string().map((text) => `x${text}`),
      fc.constantFrom('__proto__', 'constructor', 'toString', 'hasOwnProperty', 'then', '0', ''),
    );
    fc.assert(
      fc.property(
        fc.constantFrom(...kinds),
        names,
        fc.jsonValue(),
        fc.boolean(),
        (kind, key, value, deleted) => {
          const known = JSON.stringify({ ...records[kind], ...(deleted && { deleted: true }) });
          // As JSON.parse makes it: an own property, even of the name __proto__.
          const record = JSON.parse(`{${JSON.stringify(key)}:${JSON.stringify(value)},${known.slice(1)}`);
          expect(faultOf(kind, record)?.[1]).toBe(`${JSON.stringify(key)} is no field of this record`);
        },
      ),
    );
  });
});

const folder = temporaryFolder();

async function reported(rejects: readonly Parameters<RejectReport['add']>[]): Promise<string[]> {
  const report = await RejectReport.create(join(folder, 'rejects.txt'));
  for (const reject of rejects) report.add(...reject);
  await report.close();
  return readFileSync(report.path, 'utf8').split('\n').slice(0, -1);
}

/** Keys and values that a bundle should not hold, besides all that JSON can. */
const strange = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom('', ' ', 'a: b', 'a\nb', '\ud800', 'x'.repeat(3_000), -1, 1e12, true, null, [], {}),
);

/** The line of a record in which one value, at any depth, is replaced, left out, or has come under a strange key. */
const damaged = (record: unknown): fc.Arbitrary<unknown> => {
  if (typeof record !== 'object' || record === null) return strange;
  const entries = Object.entries(record);
  if (entries.length === 0) return strange;
  const changed = fc.constantFrom(...entries).chain(([key, value]) =>
    fc.oneof(
      { weight: 3, arbitrary: damaged(value).map((other) => ({ ...record, [key]: other })) },
      fc.constant(Object.fromEntries(entries.filter(([each]) => each !== key))),
      fc
        .tuple(fc.oneof(fc.string(), fc.constantFrom('', 'a: b', 'k'.repeat(900))), strange)
        .map(([name, other]) => ({
          ...record,
          [name]: other,
        })),
    ),
  );
  return Array.isArray(record) ? changed.map((object) => Object.values(object)) : changed;
};

describe('a line of the report of rejects', () => {
  test('names file, line, field and reason of every record that is refused, whatever it holds', async () => {
    const rejects: Parameters<RejectReport['add']>[] = [];
    for (const kind of kinds) {
      const lines = fc.oneof(
        damaged(records[kind]).map((value) => JSON.stringify(value)),
        fc.string(),
      );
      for (const line of fc.sample(lines, 300)) {
        const parsed = parseLine(line, (value) => parsers[kind](value));
        if ('reason' in parsed) rejects.push(['products.jsonl', 7, parsed.field, parsed.reason]);
      }
    }
    expect(rejects.length).toBeGreaterThan(kinds.length * 100);
    const lines = await reported(rejects);
    expect(lines).toHaveLength(rejects.length);
    for (const line of lines) expect(line).toMatch(/^products\.jsonl:7: [^\s:]+: \S.*$/);
  });

  test('has its field and reason behind the longest path, too', async () => {
    const path = `${'folder/'.repeat(400)}a.jpg`;
    expect(await reported([[path, 0, 'file', 'a symbolic link']])).toEqual([
      `${path}:0: file: a symbolic link`,
    ]);
  });

  test('is one line, whatever stands in a name, and no longer than a reader bears', async () => {
    const [line, ...more] = await reported([['a\nb\u2028c', 0, 'file', `a\r\nb ${'x'.repeat(9_000)}`]]);
    expect(more).toEqual([]);
    expect(line).toMatch(/^a b c:0: file: a b x+…$/);
    expect(line?.length).toBeLessThan(600);
  });
});
