import { join } from 'node:path';
import { generateBundle, photoOfProduct, productId } from '../generator/generate-bundle';
import type { Installation } from './installation';

/** Of every catalog here. */
export const SEED = 11;
const PHOTOS = 24;
/** A 2-megapixel photo, as telephones send it after their own shrinking. */
export const PHOTO_SIDE = 1440;

export interface Catalog {
  readonly products: number;
  readonly seed?: number;
  /** Side of the pictures, in pixels; without it there are none. */
  readonly pictures?: number;
  /** Whether products have history and listings too, and not estimates alone. */
  readonly complete?: boolean;
}

/** Writes a bundle of generated products: three variants and four estimates each. */
export const writeBundle = (
  out: string,
  { products, seed = SEED, pictures, complete = false }: Catalog,
): ReturnType<typeof generateBundle> =>
  generateBundle({
    ...{ seed, products, out },
    ...(complete ? {} : { historyMonths: 0, listingsPerVariant: 0 }),
    ...(pictures === undefined ? {} : { images: true, imageSize: pictures }),
  });

/** Has installations import a generated catalog. Those with pictures must be started, for they wait until all are embedded. */
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

/** Photos of products spread over the catalog that are no pictures of it, as JPEG. */
export function drawPhotos(products: number, side: number): Promise<Buffer[]> {
  return Promise.all(
    Array.from({ length: PHOTOS }, (_, photo) =>
      photoOfProduct({
        seed: SEED,
        index: Math.floor((photo * products) / PHOTOS),
        photoSeed: photo,
        level: 1,
        size: side,
      }),
    ),
  );
}

/** Bodies of identifications with so many photos each, beginning with each of the photos. */
export function photoBodies(photos: readonly Buffer[], each = 1): Buffer[] {
  const images = photos.map((photo) => ({ base64: photo.toString('base64') }));
  return images.map((image, from) => {
    const chosen = Array.from({ length: each }, (_, next) => images[(from + next) % images.length]);
    return Buffer.from(JSON.stringify(each === 1 ? image : { images: chosen }));
  });
}

/** Ids of the generated products. */
export const productIds = (products: number): string[] =>
  Array.from({ length: products }, (_, index) => productId(SEED, index));
