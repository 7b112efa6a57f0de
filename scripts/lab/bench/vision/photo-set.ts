import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { z } from 'zod';
import { shareOf } from '../../../../models/indexing/figures';
import type { InstalledModel } from '../../../../models/ports';
import { distortPhoto } from '../../../../workers/image/distortion/distort-photo';
import { FolderModelLibrary } from '../../../../workers/library/model-library';
import { readConfig } from '../../../config';
import { inFolder } from '../installation';

/** A line of `items.json`: `catalog` and `distractor` fill the catalog, `query` is another photo of a catalog item. */
const listedPhoto = z.object({
  ...{ id: z.string(), item: z.string(), kind: z.string(), role: z.string(), file: z.string() },
  ...{ set: z.string().default('unknown'), split: z.string().optional(), brand: z.string().nullish() },
});
type ListedPhoto = z.infer<typeof listedPhoto>;

/** A line of `queries.json`: `level` 1 to 3 are distortions, 4 another photo. */
const exportedQuery = z.object({
  ...{ item: z.string(), kind: z.string(), file: z.string() },
  level: z.number().int().min(1).max(4),
});

/** A line of `pairs.json`: a thing with other photos of it. */
const listedPair = z.object({
  ...{ item: z.string(), kind: z.string(), set: z.string(), catalog: z.string() },
  queries: z.array(z.string()),
});

/** A photo to ask with, and the product that it shows. */
export interface Query {
  readonly product: string;
  readonly kind: string;
  readonly level: number;
  /** The set of pairs that it is from; null for the photos of the list. */
  readonly set: string | null;
  readonly file: string;
}

export interface CatalogPhoto {
  readonly product: string;
  readonly category: string;
  readonly brand: string;
  readonly file: string;
}

/** A catalog of photos, as a bundle that can be imported, and what to ask it. */
export interface PhotoSet {
  readonly bundle: string;
  readonly photos: readonly CatalogPhoto[];
  readonly queries: readonly Query[];
}

/** Where photos and queries are. */
export interface VisionBenchOptions {
  /** Folder with `items.json` and `images/`. */
  readonly photos: string;
  /** Folder with `queries.json` and its photos; without it the other photos of the set, and its own distorted. */
  readonly queries?: string;
  /** Only the photos of this split. */
  readonly split?: string;
  /** Folder with `pairs.json` and its photos, in one catalog with the others. */
  readonly pairs?: string;
  /** `id` or `id@version` of an installed model; without it the bundled one. */
  readonly model?: string;
  /** Every n-th query of levels 1 to 3. */
  readonly sample: number;
}

/** Of the photos of the list; of pairs every kind is asked. */
const KINDS_ASKED = ['bag', 'watch'];
export const LEVELS = [1, 2, 3] as const;
/** The level of a query that is another photo of the item, and no distortion. */
export const OTHER_PHOTO = 4;
/** Levels at which unknown items should be recognised as such; hardly any can be of the hardest distortions. */
export const LEVELS_REJECTED = [1, 2, OTHER_PHOTO];

/** Runs `work` with the model and the photos, in a folder that is gone afterwards. */
export const onPhotoSet = <Result>(
  options: VisionBenchOptions,
  work: (set: PhotoSet, model: InstalledModel, folder: string) => Promise<Result>,
): Promise<Result> =>
  inFolder(async (folder) => {
    const model = await new FolderModelLibrary(readConfig().DATA_DIR).find(options.model);
    return work(await readPhotoSet(options, folder), model, folder);
  });

/**
 * Writes the photos of a set as a catalog bundle, one product per item with its brand, kinds as categories.
 *
 * @throws ZodError for a list in another form; the error of a file that is missing
 */
async function readPhotoSet(
  { photos, queries: asked, split: wanted, pairs }: VisionBenchOptions,
  folder: string,
): Promise<PhotoSet> {
  const listed = (await listIn(photos, 'items.json', listedPhoto))
    .filter(({ split }) => wanted === undefined || split === undefined || split === wanted)
    .map((photo) => ({ ...photo, file: join(photos, 'images', photo.file) }));
  const paired = pairs === undefined ? [] : await pairedPhotos(pairs);
  const shown = [...listed, ...paired].filter(({ role }) => role === 'catalog' || role === 'distractor');
  const bundle = join(folder, 'bundle');
  await writeBundle(shown, bundle);
  const own =
    asked === undefined
      ? [...(await distorted(listed, join(folder, 'queries'))), ...otherPhotos(listed, false)]
      : (await listIn(asked, 'queries.json', exportedQuery)).map((query) =>
          queryOf({ ...query, file: join(asked, query.file) }, query.level),
        );
  const queries = [...own.filter(({ kind }) => KINDS_ASKED.includes(kind)), ...otherPhotos(paired, true)];
  const products = new Set(shown.map(({ item }) => productOf(item)));
  return {
    bundle,
    photos: shown.map((photo) => ({
      ...{ product: productOf(photo.item), category: categoryOf(photo.kind) },
      ...{ brand: brandOf(photo), file: photo.file },
    })),
    queries: queries.filter(({ product }) => products.has(product)),
  };
}

const listIn = async <Line extends z.ZodType>(folder: string, name: string, line: Line) =>
  z.array(line).parse(JSON.parse(await readFile(join(folder, name), 'utf8')));

type Shown = Pick<ListedPhoto, 'item' | 'kind' | 'file'>;
const queryOf = ({ item, kind, file }: Shown, level: number, set: string | null = null): Query => ({
  ...{ product: productOf(item), kind, level, set, file },
});

const otherPhotos = (listed: readonly ListedPhoto[], bySet: boolean): Query[] =>
  listed
    .filter(({ role }) => role === 'query')
    .map((photo) => queryOf(photo, OTHER_PHOTO, bySet ? photo.set : null));

async function pairedPhotos(folder: string): Promise<ListedPhoto[]> {
  const pairs = await listIn(folder, 'pairs.json', listedPair);
  return pairs.flatMap(({ item, kind, set, catalog, queries }) =>
    [catalog, ...queries].map((file, place) => ({
      ...{ id: `pair ${file}`, item: `pair ${item}`, set, kind },
      ...{ role: place === 0 ? 'catalog' : 'query', file: join(folder, file) },
    })),
  );
}

/** Each catalog photo at three levels, as `embeddings evaluate` distorts them. */
async function distorted(listed: readonly ListedPhoto[], folder: string): Promise<Query[]> {
  await mkdir(folder, { recursive: true });
  const queries: Query[] = [];
  for (const photo of listed.filter(({ role, kind }) => role === 'catalog' && KINDS_ASKED.includes(kind))) {
    const picture = await readFile(photo.file);
    for (const level of LEVELS) {
      const file = join(folder, `${wordOf(photo.id)}-${level}.jpg`);
      await writeFile(file, await distortPhoto(picture, level, photo.id));
      queries.push(queryOf({ ...photo, file }, level));
    }
  }
  return queries;
}

async function writeBundle(shown: readonly ListedPhoto[], bundle: string): Promise<void> {
  await mkdir(join(bundle, 'images'), { recursive: true });
  const products = new Map<string, { photo: ListedPhoto; images: string[] }>();
  for (const photo of shown) {
    const name = `images/${wordOf(photo.id)}${extname(photo.file)}`;
    await copyFile(photo.file, join(bundle, name));
    const product = products.get(photo.item) ?? { photo, images: [] };
    product.images.push(name);
    products.set(photo.item, product);
  }
  const brands = new Map(shown.map((photo) => [brandOf(photo), photo]));
  await writeRecords(bundle, {
    categories: [...new Set(shown.map(({ kind }) => kind))].map((name) => ({
      ...{ id: categoryOf(name), name, hierarchy: ['brand'], name_fields: ['brand'] },
      ...{ popularity: 0, images: [], thumbnails: [] },
    })),
    entities: [...brands].map(([id, { brand, set, kind }]) => ({
      ...{ id, kind: 'brand', name: brand ?? set, category: categoryOf(kind), parents: {} },
    })),
    products: [...products.values()].map(({ photo, images }) => ({
      ...{ id: productOf(photo.item), category: categoryOf(photo.kind), images, variants: [] },
      attributes: { brand: brandOf(photo) },
    })),
  });
}

/** Writes a bundle of these records, by the names of their files. */
export async function writeRecords(
  bundle: string,
  records: Readonly<Record<string, readonly object[]>>,
): Promise<void> {
  await mkdir(bundle, { recursive: true });
  for (const [name, list] of Object.entries(records)) {
    const lines = list.map((record) => `${JSON.stringify(record)}\n`);
    await writeFile(join(bundle, `${name}.jsonl`), lines.join(''));
  }
}

/** The first, and every n-th after it. */
export const everyNth = <Value>(values: readonly Value[], every: number): Value[] =>
  values.filter((_, place) => place % every === 0);

/** All ways to take so many of the values, in their order. */
export function combinations<Value>(values: readonly Value[], count: number): Value[][] {
  if (count === 0) return [[]];
  return values.flatMap((value, at) =>
    combinations(values.slice(at + 1), count - 1).map((rest) => [value, ...rest]),
  );
}

/** The share of entries in %, with its 95 % limits (Wilson). */
export function shareText<Entry>(entries: readonly Entry[], holds: (entry: Entry) => boolean): string {
  const right = entries.filter(holds).length;
  const { low, high } = shareOf(right, entries.length);
  return `${percent(right / Math.max(1, entries.length))} (${percent(low)}-${percent(high)})`;
}

export const percent = (share: number): string => (100 * share).toFixed(1);

const wordOf = (text: string): string => text.toLowerCase().replaceAll(/[^a-z0-9]+/g, '_');
const productOf = (item: string): string => `product_${wordOf(item)}`;
const categoryOf = (kind: string): string => `kind_${wordOf(kind)}`;
const brandOf = ({ kind, brand, set }: ListedPhoto): string => `brand_${wordOf(`${kind} ${brand ?? set}`)}`;
