import type { QueryAnswer } from '../../../api/client/schema';
import { at } from '../../../models/random';

export type Row = QueryAnswer['data'][number];

/** A line of a call or a bundle, and which version of which record it is; null for a deletion. */
export interface Change {
  readonly file: 'entities' | 'products' | 'estimates';
  readonly record: object;
  readonly key: string;
  readonly version: number | null;
}

/** What a row tells: versions of records, the record it lacks, what it shows, and what these versions make of it. */
interface RowVersions {
  readonly seen: readonly (readonly [key: string, version: number])[];
  readonly missing: string | null;
  readonly shown: string;
  readonly expected: string;
}

/** Each shelf is a brand of its own, and fits one page. */
export const SHELVES = 4;
export const SHELF_SIZE = 15;
export const SIZE = SHELVES * SHELF_SIZE;
export const COLOURS = 5;
/** No two are misspelt forms of each other, and no other product has them. */
export const WORDS = Array.from('bcdfghjklmnpqrst', (letter) => `zq${letter.repeat(4)}`);
/** Among the popularities of other products. */
const POPULARITIES = 97;

export const colourOf = (version: number): number => version % COLOURS;
export const wordOf = (version: number): string => at(WORDS, version);
const popularityOf = (version: number): number => (version * 7_919) % POPULARITIES;
export const productId = (product: number): string => `product_checked_${product}`;
export const brandId = (shelf: number): string => `brand_checked_${shelf}`;
export const colourId = (colour: number): string => `colour_checked_${colour}`;
const shelfOf = (product: number): number => Math.floor(product / SHELF_SIZE);
export const count = (size: number): number[] => Array.from({ length: size }, (_, number) => number);
export const shelf = (number: number): string[] =>
  count(SHELF_SIZE).map((at) => productId(number * SHELF_SIZE + at));
/** NaN for a row without one. */
export const rowVersionOf = ({ variants }: Row): number => variants?.[0]?.popularity ?? Number.NaN;
const versionOfBrand = (name: string): number => Number(/ turn (\d+)$/.exec(name)?.[1]);

const CATEGORY = { id: 'checked', name: 'Checked', hierarchy: ['brand'], name_fields: ['brand'] };
const entity = (kind: string, id: string, name: string) => ({
  ...{ id, kind, name, parents: {} },
  category: CATEGORY.id,
});

export const TAXONOMY: readonly object[] = [
  { categories: CATEGORY },
  ...count(COLOURS).map((colour) => ({ entities: entity('colour', colourId(colour), `Colour ${colour}`) })),
];

export const brandChange = (number: number, version: number): Change => ({
  file: 'entities',
  record: entity('brand', brandId(number), `Maison ${number} turn ${version}`),
  key: brandId(number),
  version,
});

export const deletion = (product: number): Change => {
  const key = productId(product);
  return { file: 'products', record: { id: key, deleted: true }, key, version: null };
};

/** A product and its price, whose records carry their version in everything that a row shows. */
export function productChanges(product: number, version: number): Change[] {
  const key = productId(product);
  const variants = variantsOf(product, version);
  const attributes = { brand: brandId(shelfOf(product)), colour: colourId(colourOf(version)) };
  const record = {
    ...{ id: key, category: CATEGORY.id, attributes, variants },
    ...{ keywords: [wordOf(version)], popularity: popularityOf(version) },
  };
  const estimate = { variant: variants[0]?.id, ...estimateOf(version) };
  return [
    { file: 'products', record, key, version },
    { file: 'estimates', record: estimate, key: `${key} price`, version },
  ];
}

/** Null for a row that nobody writes. */
export function versionsIn(row: Row): RowVersions | null {
  if (row.id.startsWith('brand_checked_'))
    return { seen: [[row.id, versionOfBrand(row.name)]], missing: null, shown: '', expected: '' };
  const product = Number(/^product_checked_(\d+)$/.exec(row.id)?.[1]);
  if (Number.isNaN(product)) return null;
  const version = rowVersionOf(row);
  const brand = row.attributes?.find(({ field }) => field === 'brand');
  const pricing = row.variants?.[0]?.pricing;
  const [estimate] = pricing?.market_estimates ?? [];
  const price = `${row.id} price`;
  return {
    seen: [
      [row.id, version],
      ...(brand ? [[brand.id, versionOfBrand(brand.name)] as const] : []),
      ...(estimate ? [[price, estimate.D ?? Number.NaN] as const] : []),
    ],
    missing: pricing && !estimate ? price : null,
    shown: JSON.stringify([
      ...[row.name, row.popularity, row.attributes?.map(({ id }) => id), estimate ?? null],
      row.variants?.map(({ id, popularity, fields }) => ({ id, popularity, fields })),
    ]),
    expected: JSON.stringify([
      ...[brand?.name, popularityOf(version)],
      [CATEGORY.id, brandId(shelfOf(product)), colourId(colourOf(version))],
      estimate ? estimateOf(estimate.D ?? Number.NaN) : null,
      variantsOf(product, version),
    ]),
  };
}

const variantsOf = (product: number, version: number) =>
  count(1 + (version % 2)).map((position) => ({
    id: `variant_checked_${product}_${position}`,
    popularity: version + position,
    fields: [{ field: 'edition', name: `${version % 7}` }],
  }));

const estimateOf = (version: number) => ({
  ...{ source: 'first', region: 'NA', A: version + 3, B: version + 2, C: version + 1, D: version },
  ...{ currency: 'usd', estimated_at: new Date(Date.UTC(2026, 0, 1) + version * 1_000).toISOString() },
  confidence: (version % 100) / 100,
});
