import { appendFile, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import pMap from 'p-map';
import { makeFolder } from '../../../db/files/durable-files';
import type { RecordKind } from '../../../models/catalog/import/records';
import { BUNDLE_FILES } from '../../import/bundle';
import { CATEGORIES, Catalog, lookOf, productId } from './catalog';
import { type PriceVolume, pricesOf } from './prices';
import { renderProduct } from './render';
import { TAGS } from './words';

export { productId } from './catalog';
export { photoOfProduct } from './render';

/** What bundle to make. The same options give the same bytes. */
export interface BundleOptions extends Partial<PriceVolume> {
  readonly products: number;
  readonly seed: number;
  /** The bundle's folder; made if it does not exist. */
  readonly out: string;
  /** Pictures to draw of each product, each from another side; true is 1. */
  readonly images?: boolean | number;
  /** Side of the pictures in pixels. */
  readonly imageSize?: number;
  readonly onProgress?: (done: number, total: number) => void;
}

type Kind = Exclude<RecordKind, 'synonyms'>;
export type BundleSummary = Readonly<Record<Kind | 'variants' | 'images', number>>;
const DEFAULTS = { imageSize: 640, estimatesPerVariant: 3, listingsPerVariant: 2, historyMonths: 3 };
const FLUSH_EVERY = 500;
const PROGRESS_EVERY = 1000;
const IMAGES_A_FOLDER = 1000;
const DRAWN_AT_ONCE = 4;

/** A bundle (contract 13). Memory grows slower than the products. A larger bundle of a seed begins with the products of a smaller one. */
export async function generateBundle(options: BundleOptions): Promise<BundleSummary> {
  const { seed, products, out } = options;
  const volume = { ...DEFAULTS, ...options };
  const pictures = Number(options.images ?? 0);
  const counts = { categories: 0, tags: 0, entities: 0, products: 0, estimates: 0, history: 0, listings: 0 };
  const lines = new Map<Kind, string>();
  const add = (kind: Kind, records: readonly object[]): void => {
    counts[kind] += records.length;
    const added = records.map((record) => `${JSON.stringify(record)}\n`);
    lines.set(kind, (lines.get(kind) ?? '') + added.join(''));
  };
  /** Writes what was added, so that memory stays flat. */
  const flush = async (): Promise<void> => {
    for (const [kind, text] of lines) await appendFile(join(out, BUNDLE_FILES[kind]), text);
    lines.clear();
  };
  makeFolder(out);
  for (const kind of Object.keys(counts) as Kind[]) await writeFile(join(out, BUNDLE_FILES[kind]), '');
  let variants = 0;
  const catalog = new Catalog(seed);
  add('categories', CATEGORIES);
  add('tags', TAGS);
  add('entities', [...catalog.entities(products)]);
  for (let index = 0; index < products; index += 1) {
    const product = catalog.product(index, pathsOf(seed, index, pictures));
    const { estimates, history, listings } = pricesOf(seed, index, product, volume);
    variants += product.record.variants.length;
    add('products', [product.record]);
    add('estimates', estimates);
    add('history', history);
    add('listings', listings);
    if (index % FLUSH_EVERY === 0) await flush();
    if (pictures === 0) report(options, index + 1);
  }
  await flush();
  await drawPictures(options, pictures, volume.imageSize);
  return { ...counts, variants, images: products * pictures };
}

/** Draws a few products at once: one is compressed while the next is drawn. */
async function drawPictures(options: BundleOptions, pictures: number, side: number): Promise<void> {
  const { seed, products, out } = options;
  let done = 0;
  const draw = async (index: number): Promise<void> => {
    for (const [view, path] of pathsOf(seed, index, pictures).entries()) {
      const file = join(out, path);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, await renderProduct(lookOf(seed, index), { view, side }));
    }
    done += 1;
    report(options, done);
  };
  if (pictures > 0) await pMap(Array(products).keys(), draw, { concurrency: DRAWN_AT_ONCE });
}

/** The paths of a product's pictures: the first has the name of the product. */
function pathsOf(seed: number, index: number, pictures: number): string[] {
  const folder = String(Math.floor(index / IMAGES_A_FOLDER)).padStart(4, '0');
  return Array.from(
    { length: pictures },
    (_, view) => `images/${folder}/${productId(seed, index)}${view === 0 ? '' : `-${view + 1}`}.jpg`,
  );
}

function report({ products, onProgress }: BundleOptions, done: number): void {
  if (done % PROGRESS_EVERY === 0 || done === products) onProgress?.(done, products);
}
