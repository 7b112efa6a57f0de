import { type FileHandle, mkdir, open, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import pMap from 'p-map';
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

const KINDS = ['categories', 'tags', 'entities', 'products', 'estimates', 'history', 'listings'] as const;
/** How many records of each kind a bundle has, and pictures. */
export type BundleSummary = Readonly<Record<(typeof KINDS)[number] | 'variants' | 'images', number>>;

const DEFAULTS = { imageSize: 640, estimatesPerVariant: 3, listingsPerVariant: 2, historyMonths: 3 };
const PROGRESS_EVERY = 1000;
const IMAGES_A_FOLDER = 1000;
const DRAWN_AT_ONCE = 4;
const BUFFER_LENGTH = 256 * 1024;

/**
 * Writes a synthetic catalog bundle (contract 13) of fictional maisons. Memory grows with the taxonomy, which grows slower
 * than the products. A larger bundle of the same seed begins with the products of a smaller one. Rejects when the folder
 * can't be written.
 */
export async function generateBundle(options: BundleOptions): Promise<BundleSummary> {
  const { seed, products, out } = options;
  const volume = { ...DEFAULTS, ...options };
  const pictures = Number(options.images ?? 0);
  await mkdir(out, { recursive: true });
  const files = await Promise.all(
    KINDS.map(
      async (kind) =>
        [
          kind,
          new JsonLines(
            await open(join(out, `${kind === 'history' ? 'estimate-history' : kind}.jsonl`), 'w'),
          ),
        ] as const,
    ),
  );
  const of = Object.fromEntries(files) as Record<(typeof KINDS)[number], JsonLines>;
  let variants = 0;
  try {
    const catalog = new Catalog(seed);
    for (const category of CATEGORIES) await of.categories.write(category);
    for (const tag of TAGS) await of.tags.write(tag);
    for (const entity of catalog.entities(products)) await of.entities.write(entity);
    for (let index = 0; index < products; index += 1) {
      const product = catalog.product(index, pathsOf(seed, index, pictures));
      const { estimates, history, listings } = pricesOf(seed, index, product, volume);
      variants += product.record.variants.length;
      await of.products.write(product.record);
      await of.estimates.write(...estimates);
      await of.history.write(...history);
      await of.listings.write(...listings);
      if (pictures === 0) report(options, index + 1);
    }
    await drawPictures(options, pictures, volume.imageSize);
  } finally {
    for (const [, file] of files) await file.close();
  }
  const counts = Object.fromEntries(files.map(([kind, { count }]) => [kind, count]));
  return { ...(counts as Record<(typeof KINDS)[number], number>), variants, images: products * pictures };
}

/** A file of JSON Lines that waits for the disk, so that memory stays flat. */
class JsonLines {
  private lines = '';
  count = 0;

  constructor(private readonly file: FileHandle) {}

  async write(...records: readonly object[]): Promise<void> {
    this.count += records.length;
    for (const record of records) this.lines += `${JSON.stringify(record)}\n`;
    if (this.lines.length >= BUFFER_LENGTH) await this.flush();
  }

  async close(): Promise<void> {
    await this.flush();
    await this.file.close();
  }

  private async flush(): Promise<void> {
    const lines = this.lines;
    this.lines = '';
    await this.file.appendFile(lines);
  }
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
