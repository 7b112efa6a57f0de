import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { generateBundle, productId } from '../../scripts/lab/generator/generate-bundle';

const SEED = 5;
const PRODUCTS = 24;
const SIDE = 192;
/** Side of the stamp in the corner: too small to change what an 8 x 8 thumbnail looks like. */
const STAMP = 4;
/** The stamp holds the number, and above it the side. */
const SIDE_BITS_FROM = 14;

/** A small catalog, and any number of different photos of its products. */
export class Photos {
  private constructor(private readonly pictures: readonly Buffer[]) {}

  /** Writes the bundle of the catalog; the photos are its pictures made small. */
  static async ofCatalog(bundle: string): Promise<Photos> {
    await generateBundle({ seed: SEED, products: PRODUCTS, out: bundle, images: true, imageSize: 320 });
    const pictures = Array.from({ length: PRODUCTS }, async (_, index) => {
      const file = await readFile(join(bundle, 'images', '0000', `${productId(SEED, index)}.jpg`));
      return sharp(file).resize(SIDE, SIDE).removeAlpha().raw().toBuffer();
    });
    return new Photos(await Promise.all(pictures));
  }

  /** Photo number `at` of a product in turn; its stamp makes its bytes unlike those of any other number or side. */
  async photo(at: number, side = 0): Promise<{ readonly jpeg: Buffer; readonly product: string }> {
    const index = at % PRODUCTS;
    const number = at | (side << SIDE_BITS_FROM);
    const pixels = Buffer.from(this.pictures[index] ?? Buffer.alloc(0));
    for (let bit = 0; bit < STAMP * STAMP; bit += 1) {
      const offset = (Math.floor(bit / STAMP) * SIDE + (bit % STAMP)) * 3;
      pixels.fill((number >> bit) & 1 ? 255 : 192, offset, offset + 3);
    }
    const jpeg = await sharp(pixels, { raw: { width: SIDE, height: SIDE, channels: 3 } })
      .jpeg({ quality: 90, chromaSubsampling: '4:4:4' })
      .toBuffer();
    return { jpeg, product: productId(SEED, index) };
  }
}
