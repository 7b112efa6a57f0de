import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import pMap from 'p-map';
import type { RecordKind } from '../../../models/catalog/import/records';
import { CATEGORIES, facetEntities } from './bundle/facets';
import { Identifiers } from './bundle/identifiers';
import { LineWriter } from './bundle/line-writer';
import { Prices, type PriceVolume } from './bundle/prices';
import { Products } from './bundle/products';
import { FamilyTrees } from './look/lineage';
import { lookOfProduct } from './product-look';
import { type PhotoOptions, renderPhoto } from './render-photo';
import { renderProduct } from './render-product';
import names from './vocabulary/names.json';

/** What bundle to make. The same options give the same bytes. */
export interface BundleOptions extends Partial<PriceVolume> {
  readonly products: number;
  readonly seed: number;
  /** The bundle's folder; made if it is not there. */
  readonly out: string;
  /** Draw a picture of each product (needs about 30 ms each). */
  readonly images?: boolean;
  /** Side of the pictures in pixels. */
  readonly imageSize?: number;
  /** The day that estimates and listings come before, as `YYYY-MM-DD`. */
  readonly referenceDate?: string;
  /** Bytes a file may keep waiting before the generator waits for it. */
  readonly highWaterMark?: number;
  readonly onProgress?: (done: number, total: number) => void;
}

/** How many records of each kind a bundle has. */
export type BundleSummary = Readonly<Record<Exclude<RecordKind, 'synonyms'> | 'variants' | 'images', number>>;

const DEFAULTS = {
  images: false,
  imageSize: 640,
  referenceDate: '2026-03-01',
  highWaterMark: 256 * 1024,
  estimatesPerVariant: 3,
  listingsPerVariant: 2,
  historyMonths: 3,
} as const;

const PROGRESS_EVERY = 1000;
const IMAGES_A_FOLDER = 1000;
const IMAGES_AT_ONCE = 4;

/**
 * Writes a synthetic catalog bundle (contract 13) of fictional maisons. It streams: memory grows with the
 * taxonomy (slower than the products), not with the catalog. The products of a smaller bundle are those that a larger
 * one of the same seed begins with. Rejects when the folder can't be written.
 */
export async function generateBundle(options: BundleOptions): Promise<BundleSummary> {
  const settings = { ...DEFAULTS, ...options };
  await mkdir(settings.out, { recursive: true });
  const open = (name: string) => new LineWriter(join(settings.out, `${name}.jsonl`), settings.highWaterMark);
  const trees = new FamilyTrees(settings.seed);
  const products = new Products(settings.seed, trees);
  const categories = await writeAll(open('categories'), CATEGORIES);
  const tags = await writeAll(open('tags'), names.tags);
  const entities = await writeAll(open('entities'), taxonomy(products, settings.products));
  const images = settings.images ? await drawPictures(settings, trees) : 0;
  return { categories, tags, entities, ...(await writeProducts(products, settings, open)), images };
}

/** The id of product `index` in the bundles of a seed. */
export function productId(seed: number, index: number): string {
  return new Identifiers(seed).product(index);
}

/**
 * A photo of product `index` that is no picture of its catalog: what a caller would send who has the item before them.
 * `photoSeed` chooses among such photos.
 */
export function photoOfProduct(
  wanted: Omit<PhotoOptions, 'seed'> & {
    readonly seed: number;
    readonly index: number;
    readonly photoSeed: number;
  },
): Promise<Buffer> {
  const { seed, index, photoSeed, ...options } = wanted;
  return renderPhoto(lookOfProduct(seed, index), { ...options, seed: photoSeed });
}

function* taxonomy(products: Products, count: number) {
  yield* products.bags.entities(Math.ceil(count / 2));
  yield* products.watches.entities(Math.floor(count / 2));
  yield* facetEntities();
}

async function writeAll(writer: LineWriter, records: Iterable<object>): Promise<number> {
  for (const record of records) {
    writer.write(record);
    await writer.settle();
  }
  await writer.close();
  return writer.count;
}

type Settings = Required<Omit<BundleOptions, 'onProgress'>> & Pick<BundleOptions, 'onProgress'>;

/** Products and everything about their prices in one pass: the four files are written side by side. */
async function writeProducts(
  products: Products,
  settings: Settings,
  open: (name: string) => LineWriter,
): Promise<Omit<BundleSummary, 'categories' | 'tags' | 'entities' | 'images'>> {
  const { seed, products: count, images } = settings;
  const prices = new Prices(seed, settings, settings.referenceDate);
  const files = {
    products: open('products'),
    estimates: open('estimates'),
    history: open('estimate-history'),
    listings: open('listings'),
  };
  const writers = Object.values(files);
  let variants = 0;
  for (let index = 0; index < count; index++) {
    const product = products.product(index, images ? picturePath(seed, index) : undefined);
    files.products.write(product.record);
    prices.write(product, index, files);
    variants += product.record.variants.length;
    for (const writer of writers) if (writer.isFull) await writer.settle();
    if (!images) report(settings, index + 1);
  }
  for (const writer of writers) await writer.close();
  return {
    products: files.products.count,
    variants,
    estimates: files.estimates.count,
    history: files.history.count,
    listings: files.listings.count,
  };
}

/** A few at once: compressing one runs beside the drawing of the next. Resolves to their number. */
async function drawPictures(settings: Settings, trees: FamilyTrees): Promise<number> {
  const { seed, products, imageSize, out } = settings;
  let drawn = 0;
  await pMap(
    Array(products).keys(),
    async (index) => {
      const file = join(out, picturePath(seed, index));
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, await renderProduct(lookOfProduct(seed, index, trees), { size: imageSize }));
      drawn += 1;
      report(settings, drawn);
    },
    { concurrency: IMAGES_AT_ONCE },
  );
  return drawn;
}

function picturePath(seed: number, index: number): string {
  const folder = `${Math.floor(index / IMAGES_A_FOLDER)}`.padStart(4, '0');
  return `images/${folder}/${productId(seed, index)}.jpg`;
}

function report({ products, onProgress }: Settings, done: number): void {
  if (done % PROGRESS_EVERY === 0 || done === products) onProgress?.(done, products);
}
