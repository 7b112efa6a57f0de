import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { shareOf } from '../../../../models/indexing/figures';
import { distortPhoto } from '../../../../workers/image/distortion/distort-photo';

/** A line of `items.json`: `catalog` and `distractor` fill the catalog, `query` is another photo of a catalog item. */
const listedPhoto = z.object({
  ...{ id: z.string(), item: z.string(), kind: z.string(), role: z.string(), file: z.string() },
  ...{ set: z.string().default('unknown'), split: z.string().optional(), brand: z.string().nullish() },
});
type ListedPhoto = z.infer<typeof listedPhoto>;

const listedPair = z.object({
  ...{ item: z.string(), kind: z.string(), set: z.string(), catalog: z.string() },
  queries: z.array(z.string()),
});

export interface CatalogPhoto {
  readonly product: string;
  readonly kind: string;
  readonly brand: string;
  jpeg(): Promise<Buffer>;
}

export interface Query {
  readonly product: string;
  readonly kind: string;
  /** 1 to 3 are distortions. */
  readonly level: number;
  /** The set of pairs that it is from; null for the photos of the list. */
  readonly set: string | null;
  jpeg(): Promise<Buffer>;
}

export interface PhotoSet {
  readonly photos: readonly CatalogPhoto[];
  readonly queries: readonly Query[];
}

export interface VisionBenchOptions {
  /** Folder with `items.json` and `images/`. */
  readonly photos: string;
  readonly split?: string;
  /** Folder with `pairs.json` and its photos, in one catalog with the others. */
  readonly pairs?: string;
}

/** Of the photos of the list; of pairs every kind is asked. */
const KINDS = ['bag', 'watch'];
const LEVELS = [1, 2, 3] as const;
/** The level of a query that is another photo of the item, and no distortion. */
export const OTHER_PHOTO = 4;
/** Levels at which unknown items should be recognised as such; hardly any can be of the hardest distortions. */
export const LEVELS_REJECTED = [1, 2, OTHER_PHOTO];

/** Queries are other photos of the items, and the catalog's own, distorted. @throws for a missing file, or a list in another form */
export async function readPhotoSet({ photos, split: wanted, pairs }: VisionBenchOptions): Promise<PhotoSet> {
  const listed = (await listIn(photos, 'items.json', listedPhoto))
    .filter(({ split }) => wanted === undefined || split === undefined || split === wanted)
    .map((photo) => ({ ...photo, file: join(photos, 'images', photo.file) }));
  const paired = pairs === undefined ? [] : await pairedPhotos(pairs);
  const shown = [...listed, ...paired].filter(({ role }) => role === 'catalog' || role === 'distractor');
  const asked = listed.filter(({ kind }) => KINDS.includes(kind));
  const queries = [
    ...asked.filter(({ role }) => role === 'catalog').flatMap(distortions),
    ...otherPhotos(asked, false),
    ...otherPhotos(paired, true),
  ];
  const products = new Set(shown.map(({ item }) => productOf(item)));
  return {
    photos: shown.map(({ item, kind, brand, set, file }) => ({
      ...{ product: productOf(item), kind, brand: `${kind} ${brand ?? set}` },
      jpeg: () => readFile(file),
    })),
    queries: queries.filter(({ product }) => products.has(product)),
  };
}

const listIn = async <Line extends z.ZodType>(folder: string, name: string, line: Line) =>
  z.array(line).parse(JSON.parse(await readFile(join(folder, name), 'utf8')));

async function pairedPhotos(folder: string): Promise<ListedPhoto[]> {
  const pairs = await listIn(folder, 'pairs.json', listedPair);
  return pairs.flatMap(({ item, kind, set, catalog, queries }) =>
    [catalog, ...queries].map((file, place) => ({
      ...{ id: `pair ${file}`, item: `pair ${item}`, set, kind },
      ...{ role: place === 0 ? 'catalog' : 'query', file: join(folder, file) },
    })),
  );
}

const distortions = ({ id, item, kind, file }: ListedPhoto): Query[] =>
  LEVELS.map((level) => ({
    ...{ product: productOf(item), kind, level, set: null },
    jpeg: async () => distortPhoto(await readFile(file), level, id),
  }));

const otherPhotos = (listed: readonly ListedPhoto[], bySet: boolean): Query[] =>
  listed
    .filter(({ role }) => role === 'query')
    .map(({ item, kind, set, file }) => ({
      ...{ product: productOf(item), kind, level: OTHER_PHOTO, set: bySet ? set : null },
      jpeg: () => readFile(file),
    }));

/** Folds and halves of the model card depend on it. */
const productOf = (item: string): string => `product_${item.toLowerCase().replaceAll(/[^a-z0-9]+/g, '_')}`;

/** The share of entries in %, with its 95 % limits (Wilson). */
export function shareText<Entry>(entries: readonly Entry[], holds: (entry: Entry) => boolean): string {
  const right = entries.filter(holds).length;
  const { low, high } = shareOf(right, entries.length);
  return `${percent(right / Math.max(1, entries.length))} (${percent(low)}-${percent(high)})`;
}

export const percent = (share: number): string => (100 * share).toFixed(1);
