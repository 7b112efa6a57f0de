import { join } from 'node:path';
import { generateBundle, photoOfProduct } from '../generator/generate-bundle';
import type { Installation } from './installation';

export const SEED = 11;
const PHOTOS = 24;
/** A 2-megapixel photo, as telephones send it after their own shrinking. */
export const PHOTO_SIDE = 1440;
export const PICTURE_SIDE = 640;

interface Catalog {
  readonly products: number;
  /** Side of the pictures, in pixels; without it there are none. */
  readonly pictures?: number;
}

/** Writes a bundle of generated products, with three variants and four estimates each. */
export const writeBundle = (out: string, { products, pictures }: Catalog) =>
  generateBundle({
    ...{ seed: SEED, products, out, historyMonths: 0, listingsPerVariant: 0 },
    ...(pictures === undefined ? {} : { images: true, imageSize: pictures }),
  });

/** Has installations import a generated catalog. For one with pictures they must run: the import waits until all are embedded. */
export async function fill(
  installations: readonly Installation[],
  folder: string,
  catalog: Catalog,
): Promise<void> {
  const bundle = join(folder, 'bundle');
  await writeBundle(bundle, catalog);
  const waiting = catalog.pictures === undefined ? ['--no-wait'] : [];
  for (const { loupe } of installations) await loupe('catalog', 'import', bundle, ...waiting);
}

/** JPEG photos of products spread over the catalog; none of them is a picture of the catalog. */
export const drawPhotos = (products: number, side: number): Promise<Buffer[]> =>
  Promise.all(
    Array.from({ length: PHOTOS }, (_, photo) =>
      photoOfProduct({
        ...{ seed: SEED, photoSeed: photo, level: 1, size: side },
        index: Math.floor((photo * products) / PHOTOS),
      }),
    ),
  );

/** Bodies of identifications with this many photos each; each photo is the first of one body. */
export function photoBodies(photos: readonly Buffer[], each = 1): Buffer[] {
  const images = photos.map((photo) => ({ base64: photo.toString('base64') }));
  return images.map((image, from) => {
    const chosen = Array.from({ length: each }, (_, next) => images[(from + next) % images.length]);
    return Buffer.from(JSON.stringify(each === 1 ? image : { images: chosen }));
  });
}
