import fc from 'fast-check';
import type { z } from 'zod';
import { productSchema } from '../../scripts/import/catalog-records';
import { parseDeletable } from '../../scripts/import/parse-record';
import { plainEstimate, plainProduct } from '../../scripts/import/plain-records';
import { estimateSchema } from '../../scripts/import/price-records';

const NOW = new Date('2026-03-01T12:00:00Z');
const SEED = 20_260_301;

const PRODUCT = {
  id: 'product_a',
  category: 'handbags',
  attributes: { brand: 'brand_a', colour: ['colour_a', 'colour_b'] },
  tags: ['material:exotic'],
  keywords: ['Sac à dépêches'],
  popularity: 3.5,
  images: ['https://shop.example/a.jpg', 'images/a.jpg'],
  thumbnails: [],
  variants: [
    { id: 'variant_a', fields: [{ field: 'size', name: '30' }], popularity: 1, images: [], thumbnails: [] },
    { id: 'variant_b', fields: [], popularity: 0, images: ['images/b.jpg'], thumbnails: [] },
  ],
};
const ESTIMATE = {
  variant: 'variant_a',
  source: 'ebay',
  region: 'NA',
  A: 5190,
  B: 4605,
  C: null,
  D: 12.5,
  currency: 'usd',
  estimated_at: '2026-03-15T12:00:00Z',
  confidence: 0.8,
};

/** What may stand in the place of any value of a record. */
const strange = fc.oneof(
  fc.constantFrom<unknown>(
    '',
    ' ',
    'brand_a',
    'product_',
    'variant_',
    'variant_a',
    'colour:a',
    'a b',
    '\0',
    '🧿',
  ),
  fc.constantFrom<unknown>('\ud83e', 'gbp', 'EU-UK', 'toString', '__proto__', 'category', 'x'.repeat(501)),
  fc.constantFrom<unknown>(
    '2026-02-30T12:00:00Z',
    '2026-03-15T24:00:00Z',
    '2026-03-15T12:00:00.5Z',
    '0000-01-01T00:00:00Z',
  ),
  fc.constantFrom<unknown>(
    '2024-02-29T23:59:59Z',
    '2026-03-15T12:00:60Z',
    '2026-03-15T12:00:00+01:00',
    '../a',
    '/a',
  ),
  fc.constantFrom<unknown>(
    'https://',
    'http://a',
    'https://a/ b',
    `https://a/${'x'.repeat(2_000)}`,
    'brand_a',
  ),
  fc.constantFrom<unknown>(
    -1,
    0,
    -0,
    5190,
    1e300,
    null,
    true,
    false,
    [],
    {},
    [null],
    ['a', 'a'],
    ['a', 'b'],
    [[]],
  ),
  fc.constantFrom<unknown>(
    { brand: [] },
    { brand: ['a', 'a'] },
    { keywords: 'a' },
    { Größe: 'a' },
    { 'a b': 'c' },
  ),
  fc.constantFrom<unknown>(
    PRODUCT.variants,
    [PRODUCT.variants[0], PRODUCT.variants[0]],
    [{ id: 'variant_a' }],
  ),
  fc.jsonValue(),
);

type Change = {
  readonly at: number;
  readonly how: 'replace' | 'drop' | 'add';
  readonly value: unknown;
  readonly key: string;
};
const change: fc.Arbitrary<Change> = fc.record({
  at: fc.nat(200),
  how: fc.constantFrom('replace', 'replace', 'drop', 'add'),
  value: strange,
  key: fc.constantFrom('deleted', 'colour', '__proto__', 'constructor', 'id', 'x y', 'A'),
});

/** The text of a record after a change of one of the values inside it. */
function changed(record: unknown, { at, how, value, key }: Change): string {
  const holders: (Record<string, unknown> | unknown[])[] = [];
  const copy: unknown = JSON.parse(JSON.stringify(record), (_, inside) => {
    if (inside instanceof Object) holders.push(inside);
    return inside;
  });
  const places = holders.flatMap((holder) => Object.keys(holder).map((own) => ({ holder, own })));
  const place = places[at % places.length];
  if (!place) return JSON.stringify(copy);
  const { holder, own } = place;
  if (how === 'drop' && Array.isArray(holder)) holder.splice(Number(own), 1);
  else if (how === 'drop') Reflect.deleteProperty(holder, own);
  else Object.defineProperty(holder, how === 'add' ? key : own, { value, enumerable: true });
  return JSON.stringify(copy);
}

/** Whether the plain reader took the record; if it did, the schema takes it too, as the same. */
function agree<Record>(
  text: string,
  schema: z.ZodType<Record>,
  plain: (value: unknown, line: string) => Record | null,
): boolean {
  const record = plain(JSON.parse(text), text);
  if (record === null) return false;
  expect({ text, parsed: parseDeletable(JSON.parse(text), text, schema) }).toEqual({
    text,
    parsed: { record },
  });
  return true;
}

describe('a record that is plainly right', () => {
  test('is taken without the schema, as what the schema makes of it', () => {
    expect(agree(JSON.stringify(PRODUCT), productSchema, plainProduct)).toBe(true);
    expect(agree(JSON.stringify(ESTIMATE), estimateSchema(NOW), plainEstimate)).toBe(true);
  });

  test('never is one that the schema refuses or reads differently, whatever is changed in it', () => {
    let taken = 0;
    fc.assert(
      fc.property(
        fc.constantFrom('product', 'estimate'),
        fc.array(change, { maxLength: 2 }),
        (kind, changes) => {
          const isProduct = kind === 'product';
          const text = changes.reduce(
            (sofar, each) => changed(JSON.parse(sofar), each),
            JSON.stringify(isProduct ? PRODUCT : ESTIMATE),
          );
          const isTaken = isProduct
            ? agree(text, productSchema, plainProduct)
            : agree(text, estimateSchema(NOW), plainEstimate);
          if (isTaken && changes.length > 0) taken += 1;
        },
      ),
      { seed: SEED, numRuns: 5_000 },
    );
    expect(taken).toBeGreaterThan(100);
  });
});
