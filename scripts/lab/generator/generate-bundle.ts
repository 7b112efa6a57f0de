import { type FileHandle, mkdir, open, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import pMap from 'p-map';
import { CATEGORIES, Catalog, productId } from './catalog';
import { lookOf } from './looks';
import { type PriceVolume, pricesOf } from './prices';
import { renderProduct } from './render';
import { TAGS } from './vocabulary';

export { productId } from './catalog';
export { photoOfProduct } from './render';

/** What bundle to make. The same options give the same bytes. */
export interface BundleOptions extends Partial<PriceVolume> {
  readonly products: number;
  readonly seed: number;
  /** The bundle's folder; made if it is not there. */
  readonly out: string;
  /** Pictures to draw of each product, each from another side; true is 1. */
  readonly images?: boolean | number;
  /** Side of the pictures in pixels. */
  readonly imageSize?: number;
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

const DEFAULTS = { imageSize: 640, estimatesPerVariant: 3, listingsPerVariant: 2, historyMonths: 3 };
const PROGRESS_EVERY = 1000;
const IMAGES_A_FOLDER = 1000;
const DRAWN_AT_ONCE = 4;

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
  const files = await openFiles(out);
  try {
    const catalog = new Catalog(seed);
    for (const category of CATEGORIES) await files.categories.write(category);
    for (const tag of TAGS) await files.tags.write(tag);
    for (const entity of catalog.entities(products)) await files.entities.write(entity);
    let variants = 0;
    for (let index = 0; index < products; index += 1) {
      const product = catalog.product(index, pathsOf(seed, index, pictures));
      const { estimates, history, listings } = pricesOf(seed, index, product, volume);
      variants += product.record.variants.length;
      await files.products.write(product.record);
      await files.estimates.write(...estimates);
      await files.history.write(...history);
      await files.listings.write(...listings);
      if (pictures === 0) report(options, index + 1);
    }
    await drawPictures(options, pictures, volume.imageSize);
    return {
      categories: files.categories.count,
      tags: files.tags.count,
      entities: files.entities.count,
      products,
      variants,
      estimates: files.estimates.count,
      history: files.history.count,
      listings: files.listings.count,
      images: products * pictures,
    };
  } finally {
    for (const file of Object.values(files)) await file.close();
  }
}

const openFiles = async (folder: string) => ({
  categories: await JsonLines.open(join(folder, 'categories.jsonl')),
  tags: await JsonLines.open(join(folder, 'tags.jsonl')),
  entities: await JsonLines.open(join(folder, 'entities.jsonl')),
  products: await JsonLines.open(join(folder, 'products.jsonl')),
  estimates: await JsonLines.open(join(folder, 'estimates.jsonl')),
  history: await JsonLines.open(join(folder, 'estimate-history.jsonl')),
  listings: await JsonLines.open(join(folder, 'listings.jsonl')),
});

/** A file of JSON Lines that waits for the disk, so that memory stays flat. */
class JsonLines {
  private lines = '';
  count = 0;

  private constructor(private readonly file: FileHandle) {}

  static async open(path: string): Promise<JsonLines> {
    return new JsonLines(await open(path, 'w'));
  }

  async write(...records: readonly object[]): Promise<void> {
    this.count += records.length;
    for (const record of records) this.lines += `${JSON.stringify(record)}\n`;
    if (this.lines.length >= 256 * 1024) await this.flush();
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
  if (pictures === 0) return;
  const { seed, products, out } = options;
  let done = 0;
  await pMap(
    Array(products).keys(),
    async (index) => {
      for (const [view, path] of pathsOf(seed, index, pictures).entries()) {
        const file = join(out, path);
        await mkdir(dirname(file), { recursive: true });
        await writeFile(file, await renderProduct(lookOf(seed, index), { view, side }));
      }
      done += 1;
      report(options, done);
    },
    { concurrency: DRAWN_AT_ONCE },
  );
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
