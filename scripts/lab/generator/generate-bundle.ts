import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { CATEGORIES, facetEntities } from './bundle/facets';
import { Identifiers } from './bundle/identifiers';
import { LineWriter } from './bundle/line-writer';
import { type PriceSinks, Prices, type PriceVolume } from './bundle/prices';
import { Products } from './bundle/products';
import { TAGS } from './bundle/tags';
import { FamilyTrees } from './look/lineage';
import { lookOfProduct } from './product-look';
import { type PhotoOptions, renderPhoto } from './render-photo';
import { renderProduct } from './render-product';

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
export interface BundleSummary {
  readonly categories: number;
  readonly tags: number;
  readonly entities: number;
  readonly products: number;
  readonly variants: number;
  readonly estimates: number;
  readonly history: number;
  readonly listings: number;
  readonly images: number;
}

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
  const tags = await writeAll(open('tags'), TAGS);
  const entities = await writeAll(open('entities'), taxonomy(products, settings.products));
  const counts = await writeProducts(products, trees, settings, open);
  return { categories, tags, entities, ...counts };
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
  trees: FamilyTrees,
  settings: Settings,
  open: (name: string) => LineWriter,
): Promise<Omit<BundleSummary, 'categories' | 'tags' | 'entities'>> {
  const prices = new Prices(settings.seed, settings, settings.referenceDate);
  const files = {
    products: open('products'),
    estimates: open('estimates'),
    history: open('estimate-history'),
    listings: open('listings'),
  };
  const writers = Object.values(files);
  const sinks: PriceSinks = {
    estimate: (record) => files.estimates.write(record),
    history: (record) => files.history.write(record),
    listing: (record) => files.listings.write(record),
  };
  const pictures = new PictureWriter(settings, trees);
  let variants = 0;
  for (let index = 0; index < settings.products; index++) {
    const product = products.product(index, settings.images ? await pictures.draw(index) : undefined);
    files.products.write(product.record);
    prices.write(product, index, sinks);
    variants += product.record.variants.length;
    for (const writer of writers) if (writer.isFull) await writer.settle();
    if ((index + 1) % PROGRESS_EVERY === 0) settings.onProgress?.(index + 1, settings.products);
  }
  await pictures.close();
  for (const writer of writers) await writer.close();
  settings.onProgress?.(settings.products, settings.products);
  return {
    products: files.products.count,
    variants,
    estimates: files.estimates.count,
    history: files.history.count,
    listings: files.listings.count,
    images: pictures.count,
  };
}

/** Draws pictures into the bundle, a few at once: compressing one runs beside the drawing of the next. */
class PictureWriter {
  private readonly pending = new Set<Promise<void>>();
  count = 0;

  constructor(
    private readonly settings: Settings,
    private readonly trees: FamilyTrees,
  ) {}

  /** Starts a product's picture and answers its path in the bundle; waits while too many are on their way. */
  async draw(index: number): Promise<string> {
    const { seed, imageSize, out } = this.settings;
    const folder = `${Math.floor(index / IMAGES_A_FOLDER)}`.padStart(4, '0');
    const path = `images/${folder}/${productId(seed, index)}.jpg`;
    if (index % IMAGES_A_FOLDER === 0) await mkdir(dirname(join(out, path)), { recursive: true });
    while (this.pending.size >= IMAGES_AT_ONCE) await Promise.race(this.pending);
    const picture = renderProduct(lookOfProduct(seed, index, this.trees), { size: imageSize })
      .then((jpeg) => writeFile(join(out, path), jpeg))
      .finally(() => this.pending.delete(picture));
    this.pending.add(picture);
    this.count += 1;
    return path;
  }

  async close(): Promise<void> {
    await Promise.all(this.pending);
  }
}
