import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { Random } from '../../models/random';

/** As the layout model sees a picture: a square of so many cells a side. */
const CELLS = 8;
const SIDE = 192;
/** Products of the small catalog. */
const PRODUCTS = 24;
export const productId = (product: number): string => `product_thing${product}`;

/** Picture number `number` of a product: its own colours beside clutter that is different in each. A faint one is hard to tell apart. */
export function pictureOf(product: number, number: number, isFaint = false): Promise<Buffer> {
  const [least, most, clutterFrom] = isFaint ? [160, 220, 6] : [60, 250, 7];
  const own = new Random('product', product);
  const clutter = new Random('mess', product, number);
  const cells = Array.from({ length: CELLS * CELLS * 3 }, (_, at) =>
    Math.floor(at / 3) % CELLS < clutterFrom ? own.integer(least, most) : clutter.integer(0, 255),
  );
  return sharp(Buffer.from(cells), { raw: { width: CELLS, height: CELLS, channels: 3 } })
    .resize(SIDE, SIDE, { kernel: 'nearest' })
    .jpeg({ quality: 95, chromaSubsampling: '4:4:4' })
    .toBuffer();
}

/** Writes a bundle of products, by default those of the small catalog, each with its first pictures. */
export async function writePictures(
  bundle: string,
  { from = 0, count = PRODUCTS, pictures = 1, isFaint = false } = {},
): Promise<void> {
  await mkdir(join(bundle, 'images'), { recursive: true });
  let lines = '';
  for (let product = from; product < from + count; product += 1) {
    const images = Array.from({ length: pictures }, (_, number) => `images/${product}-${number}.jpg`);
    for (const [number, image] of images.entries())
      await writeFile(join(bundle, image), await pictureOf(product, number, isFaint));
    const record = { id: productId(product), category: 'things', attributes: {}, title: `Thing ${product}` };
    lines += `${JSON.stringify({ ...record, images })}\n`;
  }
  await writeFile(join(bundle, 'categories.jsonl'), '{"id":"things","name":"Things","hierarchy":[]}\n');
  await writeFile(join(bundle, 'products.jsonl'), lines);
}

/** Photo number `at` of the small catalog, of its products in turn, from one of its sides; it is no picture of the catalog. */
export async function photoNumber(at: number, side = 0): Promise<{ jpeg: Buffer; product: string }> {
  const product = at % PRODUCTS;
  return { jpeg: await pictureOf(product, 4 * at + side + 1), product: productId(product) };
}
