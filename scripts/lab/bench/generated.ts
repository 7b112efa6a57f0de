import { once } from 'node:events';
import { join } from 'node:path';
import { type BundleSummary, generateBundle, photoOfProduct } from '../generator/generate-bundle';
import type { Installation } from './installation';
import { memoryOf } from './process-stats';
import { formatCell } from './table';

export const SEED = 11;
const PHOTOS = 24;
/** A 2-megapixel photo, as telephones send it after their own shrinking. */
export const PHOTO_SIDE = 1440;
export const PICTURE_SIDE = 640;
const SAMPLE_MS = 100;

interface Catalog {
  readonly products: number;
  /** Side of the pictures, in pixels; without it there are none. */
  readonly pictures?: number;
}

/**
 * Imports generated products, with three variants and four estimates each, into installations; resolves to the speed of each. With
 * pictures they must be running, to embed them.
 */
export async function fill(
  installations: readonly Installation[],
  folder: string,
  { products, pictures }: Catalog,
): Promise<string[]> {
  const bundle = join(folder, 'bundle');
  const made = await generateBundle({
    ...{ seed: SEED, products, out: bundle, historyMonths: 0, listingsPerVariant: 0 },
    ...(pictures === undefined ? {} : { images: true, imageSize: pictures }),
  });
  const notes: string[] = [];
  for (const each of installations) {
    const done = await timedImport(each, bundle, made, pictures !== undefined);
    notes.push(
      `${each.name}, ${each.mode}: ${made.products} products and ${made.images} pictures imported in ${formatCell(done.seconds)} s, ${formatCell(made.products / done.seconds)} a second, ${Math.round(done.recordRate)} records/s, at most ${Math.round(done.peakMib)} MiB in the importing process.`,
    );
  }
  return notes;
}

/** @throws Error when something was rejected */
async function timedImport(
  { spawnLoupe }: Installation,
  bundle: string,
  made: BundleSummary,
  waits: boolean,
): Promise<{ seconds: number; recordRate: number; peakMib: number }> {
  const startedAt = performance.now();
  const child = spawnLoupe('catalog', 'import', bundle, ...(waits ? [] : ['--no-wait']), '--json');
  child.stdout.resume();
  child.stderr.pipe(process.stderr, { end: false });
  let peakMib = 0;
  const sampling = setInterval(async () => {
    peakMib = Math.max(peakMib, await memoryOf(child.pid ?? 0, 'VmHWM'));
  }, SAMPLE_MS);
  const [code] = await once(child, 'exit').finally(() => clearInterval(sampling));
  if (code !== 0) throw new Error(`the import exited with ${String(code)}`);
  const seconds = (performance.now() - startedAt) / 1000;
  const { categories, tags, entities, products, estimates } = made;
  return { seconds, recordRate: (categories + tags + entities + products + estimates) / seconds, peakMib };
}

/** JPEG photos of products spread over the catalog; none of them is a picture of the catalog. */
export const drawPhotos = (products: number, side: number): Promise<Buffer[]> =>
  Promise.all(
    Array.from({ length: PHOTOS }, (_, photo) =>
      photoOfProduct({
        ...{ seed: SEED, photoSeed: photo, size: side },
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
