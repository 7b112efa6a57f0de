import { at } from '../../../../models/random';
import type { BundleFileName } from '../../../import/bundle';

/** The category that the living products are of. */
export const CATEGORY = 'handbags';

/** A picture that products show by turns: its file, and its addresses as answers give them. */
export interface Face {
  readonly file: string;
  readonly images: readonly string[];
  readonly thumbnails: readonly string[];
}

/** A line of a call or of a bundle, and which version of which record it is; null for a deletion. */
export interface Change {
  readonly file: keyof typeof FILES;
  readonly record: object;
  readonly key: string;
  readonly version: number | null;
}

/** The files that changes stand in, in the order in which they are read. */
export const FILES = {
  entities: 'entities.jsonl',
  products: 'products.jsonl',
  estimates: 'estimates.jsonl',
} as const satisfies Readonly<Record<string, BundleFileName>>;

/** How many values each part of a version has; no two parts have a common divisor, so that they part soon. */
export const STYLES = 3;
export const COLOURS = 5;
/** No two of them are misspelt forms of each other, and nothing else is called so. */
export const WORDS = Array.from('bcdfghjklmnpqrst', (letter) => `zq${letter.repeat(4)}`);
/** Among the popularities of other products. */
const POPULARITIES = 97;
/** One product in so many has pictures. */
const PICTURED_EVERY = 5;
const ESTIMATES = [
  { source: 'first', region: 'NA', currency: 'usd' },
  { source: 'second', region: 'EU-UK', currency: 'gbp' },
] as const;
const ESTIMATED_FROM = Date.UTC(2026, 0, 1);

/** What a version is seen by, beside its number. */
export const lookOf = (version: number) => ({
  style: version % STYLES,
  colour: version % COLOURS,
  word: at(WORDS, version),
  popularity: (version * 7_919) % POPULARITIES,
  variants: 1 + (version % 2),
});

/**
 * Products whose records carry their version in all that a row shows: name, attributes, popularity, variants, pictures and
 * prices. They stand on shelves, each a brand of its own, whose name carries a version too; one page holds a shelf.
 */
export class LivingCatalog {
  constructor(
    readonly shelves: number,
    readonly shelfSize: number,
    private readonly faces: readonly Face[],
  ) {}

  get size(): number {
    return this.shelves * this.shelfSize;
  }

  /** Which product an id is of; -1 for another one. */
  productOf(id: string): number {
    const found = /^product_living_(\d+)$/.exec(id);
    return found ? Number(found[1]) : -1;
  }

  /** The products of a shelf. */
  shelf(shelf: number): number[] {
    return Array.from({ length: this.shelfSize }, (_, place) => shelf * this.shelfSize + place);
  }

  /** What all products name, but the brands. */
  taxonomy(): object[] {
    const colours = Array.from({ length: COLOURS }, (_, colour) =>
      entity('colour', colourId(colour), `Colour ${colour}`),
    );
    const shelves = Array.from({ length: this.shelves }, (_, shelf) => {
      const above = { brand: brandId(shelf), model: modelId(shelf) };
      return [
        entity('model', above.model, modelName(shelf), { brand: above.brand }),
        ...Array.from({ length: STYLES }, (__, style) =>
          entity('style', styleId(shelf, style), styleName(style), above),
        ),
      ];
    });
    return [...colours, ...shelves.flat()];
  }

  /** The brand of a shelf gets another name, which all its products begin with. */
  brand(shelf: number, version: number): Change {
    const record = entity('brand', brandId(shelf), `Maison ${shelf} turn ${version}`);
    return { file: 'entities', record, key: brandId(shelf), version };
  }

  deletion(product: number): Change {
    const id = productId(product);
    return { file: 'products', record: { id, deleted: true }, key: id, version: null };
  }

  /**
   * A product with its estimates.
   *
   * @param from how pictures are named: by their address, or as `images/<number>.jpg` in a bundle
   */
  product(product: number, version: number, from: 'address' | 'bundle'): Change[] {
    const { style, colour, word, popularity } = lookOf(version);
    const shelf = Math.floor(product / this.shelfSize);
    const record = {
      id: productId(product),
      category: CATEGORY,
      attributes: {
        brand: brandId(shelf),
        model: modelId(shelf),
        style: styleId(shelf, style),
        colour: colourId(colour),
      },
      keywords: [word],
      popularity,
      ...this.#pictures(product, version, from),
      variants: variantsOf(product, version),
    };
    const estimates = ESTIMATES.map(
      (estimate): Change => ({
        file: 'estimates',
        record: { variant: firstVariant(product), ...estimateOf(estimate, version) },
        key: estimateKey(product, estimate),
        version,
      }),
    );
    return [{ file: 'products', record, key: record.id, version }, ...estimates];
  }

  /** All of a row but its names and prices. */
  shown(product: number, version: number): string {
    const shelf = Math.floor(product / this.shelfSize);
    const { style, colour, popularity } = lookOf(version);
    const { images, thumbnails } = this.#pictures(product, version, 'address');
    return JSON.stringify([
      popularity,
      images,
      thumbnails,
      [CATEGORY, brandId(shelf), modelId(shelf), styleId(shelf, style), colourId(colour)],
      variantsOf(product, version).map(({ id, popularity: own, fields }) => [id, own, fields]),
    ]);
  }

  /** What a product is called while its brand has this name. */
  name(product: number, version: number, brand: string): string {
    const shelf = Math.floor(product / this.shelfSize);
    return `${brand} ${modelName(shelf)} ${styleName(lookOf(version).style)}`;
  }

  #pictures(product: number, version: number, from: 'address' | 'bundle') {
    if (product % PICTURED_EVERY > 0 || this.faces.length === 0) return { images: [], thumbnails: [] };
    const number = version % this.faces.length;
    if (from === 'bundle') return { images: [faceInBundle(number)], thumbnails: [] };
    const { images, thumbnails } = at(this.faces, number);
    return { images, thumbnails };
  }
}

export const faceInBundle = (face: number): string => `images/face-${face}.jpg`;
export const productId = (product: number): string => `product_living_${product}`;
export const brandId = (shelf: number): string => `brand_living_${shelf}`;
export const styleId = (shelf: number, style: number): string => `style_living_${shelf}_${style}`;
export const colourId = (colour: number): string => `colour_living_${colour}`;
const modelId = (shelf: number): string => `model_living_${shelf}`;
const modelName = (shelf: number): string => `Model ${shelf}`;
const styleName = (style: number): string => `Style ${style}`;
const firstVariant = (product: number): string => `variant_living_${product}_0`;

/** The version in the name of a brand; NaN when it has none. */
export const versionOfBrand = (name: string): number => Number(/ turn (\d+)$/.exec(name)?.[1]);

/** The keys of a product's estimates. */
export const estimateKeys = (product: number): string[] =>
  ESTIMATES.map((estimate) => estimateKey(product, estimate));

export const estimateKey = (
  product: number,
  { source, region }: { readonly source: string; readonly region: string },
): string => `${firstVariant(product)} ${source} ${region}`;

/** An estimate as answers show it: its lowest grade is the version. */
export const estimateOf = (estimate: (typeof ESTIMATES)[number], version: number) => ({
  source: estimate.source,
  region: estimate.region,
  A: version + 3,
  B: version + 2,
  C: version + 1,
  D: version,
  currency: estimate.currency,
  estimated_at: new Date(ESTIMATED_FROM + version * 1_000).toISOString(),
  confidence: (version % 100) / 100,
});

/** What an answer shows for an estimate of this version; null when there is no such estimate. */
export const estimateShown = (source: string, version: number): string | null => {
  const estimate = ESTIMATES.find((each) => each.source === source);
  return estimate ? JSON.stringify(estimateOf(estimate, version)) : null;
};

/** The popularity of the first one is the version. */
const variantsOf = (product: number, version: number) =>
  Array.from({ length: lookOf(version).variants }, (_, position) => ({
    id: `variant_living_${product}_${position}`,
    popularity: version + position,
    fields: [{ field: 'edition', name: `${version % 7}` }],
  }));

const entity = (kind: string, id: string, name: string, parents: Readonly<Record<string, string>> = {}) => ({
  id,
  kind,
  name,
  category: CATEGORY,
  parents,
});
