import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { z } from 'zod';
import { distortPhoto } from '../../../../workers/image/distortion/distort-photo';

/** A photo of a set: `catalog` and `distractor` fill the catalog, `query` is another photo of a catalog item. */
const listedPhoto = z.object({
  id: z.string(),
  item: z.string(),
  set: z.string().default('unknown'),
  kind: z.string(),
  role: z.string(),
  split: z.string().optional(),
  file: z.string(),
  brand: z.string().nullish(),
});

/** A query that somebody made of the set: `level` 1 to 3 are distortions, 4 another photo. */
const exportedQuery = z.object({
  id: z.string(),
  item: z.string(),
  kind: z.string(),
  level: z.number().int().min(1).max(4),
  file: z.string(),
});

/** Things with other photos of each; files are relative to the list. */
const listedPair = z.object({
  item: z.string(),
  kind: z.string(),
  set: z.string(),
  catalog: z.string(),
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
  /** Its photos: file, and the product that shows it, with its category and brand. */
  readonly photos: readonly CatalogPhoto[];
  readonly queries: readonly Query[];
}

/** Where photos and queries lie. */
export interface PhotoSetSource {
  /** Folder with `items.json` and `images/`. */
  readonly photos: string;
  /** Folder with `queries.json` and the photos that it names; without it the other photos of the set, and its own distorted. */
  readonly queries?: string;
  /** Only the photos of this split. */
  readonly split?: string;
  /** Folder with `pairs.json` and its photos, in one catalog with the others. */
  readonly pairs?: string;
}

/** Of the photos of the list; of pairs every kind is asked. */
const KINDS_ASKED = ['bag', 'watch'];
const PHOTO_LEVELS = [1, 2, 3] as const;
/** The level of a query that is another photo of the item, and no distortion. */
export const OTHER_PHOTO = 4;

/**
 * Writes the photos of a set as a catalog bundle, one product per item with its brand, kinds as categories.
 *
 * @throws ZodError for a list in another form; the fault of a file that is missing
 */
export async function readPhotoSet(source: PhotoSetSource, bundle: string): Promise<PhotoSet> {
  const listed = z
    .array(listedPhoto)
    .parse(JSON.parse(await readFile(join(source.photos, 'items.json'), 'utf8')))
    .filter(({ split }) => source.split === undefined || split === undefined || split === source.split)
    .map((photo) => ({ ...photo, file: join(source.photos, 'images', photo.file) }));
  const paired = source.pairs === undefined ? [] : await pairedPhotos(source.pairs);
  const shown = [...listed, ...paired].filter(({ role }) => role === 'catalog' || role === 'distractor');
  await writeBundle(shown, bundle);
  const products = new Set(shown.map(({ item }) => productOf(item)));
  const queries =
    source.queries === undefined
      ? [...(await distorted(listed, join(bundle, '..', 'queries'))), ...otherPhotos(listed)]
      : await exportedQueries(source.queries);
  const asked = queries.filter(({ kind }) => KINDS_ASKED.includes(kind));
  return {
    bundle,
    photos: shown.map((photo) => ({
      product: productOf(photo.item),
      category: categoryOf(photo.kind),
      brand: brandOf(photo),
      file: photo.file,
    })),
    queries: [...asked, ...otherPhotos(paired, true)].filter(({ product }) => products.has(product)),
  };
}

type ListedPhoto = z.infer<typeof listedPhoto>;

const otherPhotos = (listed: readonly ListedPhoto[], bySet = false): Query[] =>
  listed
    .filter(({ role }) => role === 'query')
    .map(({ item, kind, file, set }) => ({
      product: productOf(item),
      kind,
      level: OTHER_PHOTO,
      set: bySet ? set : null,
      file,
    }));

async function pairedPhotos(folder: string): Promise<ListedPhoto[]> {
  const pairs = z.array(listedPair).parse(JSON.parse(await readFile(join(folder, 'pairs.json'), 'utf8')));
  return pairs.flatMap(({ item, kind, set, catalog, queries }) =>
    [catalog, ...queries].map((file, place) => ({
      id: `pair ${file}`,
      item: `pair ${item}`,
      set,
      kind,
      role: place === 0 ? 'catalog' : 'query',
      file: join(folder, file),
    })),
  );
}

/** Each catalog photo at three levels, as `embeddings evaluate` distorts them. */
async function distorted(shown: readonly ListedPhoto[], folder: string): Promise<Query[]> {
  await mkdir(folder, { recursive: true });
  const asked = shown.filter(({ role, kind }) => role === 'catalog' && KINDS_ASKED.includes(kind));
  const queries: Query[] = [];
  for (const { id, item, kind, file: original } of asked) {
    const picture = await readFile(original);
    for (const level of PHOTO_LEVELS) {
      const file = join(folder, `${wordOf(id)}-${level}.jpg`);
      await writeFile(file, await distortPhoto(picture, level, id));
      queries.push({ product: productOf(item), kind, level, set: null, file });
    }
  }
  return queries;
}

async function exportedQueries(folder: string): Promise<Query[]> {
  const queries = z
    .array(exportedQuery)
    .parse(JSON.parse(await readFile(join(folder, 'queries.json'), 'utf8')));
  return queries.map(({ item, kind, level, file }) => ({
    product: productOf(item),
    kind,
    level,
    set: null,
    file: join(folder, file),
  }));
}

async function writeBundle(shown: readonly ListedPhoto[], bundle: string): Promise<void> {
  await mkdir(join(bundle, 'images'), { recursive: true });
  const images = new Map<string, string[]>();
  for (const { id, item, file } of shown) {
    const name = `images/${wordOf(id)}${extname(file)}`;
    await copyFile(file, join(bundle, name));
    images.set(item, [...(images.get(item) ?? []), name]);
  }
  const items = [...new Map(shown.map((photo) => [photo.item, photo])).values()];
  const brands = new Map(items.map((photo) => [brandOf(photo), photo]));
  await writeLines(
    bundle,
    'categories',
    [...new Set(shown.map(({ kind }) => kind))].map((kind) => ({
      id: categoryOf(kind),
      name: kind,
      hierarchy: ['brand'],
      name_fields: ['brand'],
      popularity: 0,
      images: [],
      thumbnails: [],
    })),
  );
  await writeLines(
    bundle,
    'entities',
    [...brands].map(([id, photo]) => ({
      id,
      kind: 'brand',
      name: photo.brand ?? photo.set,
      category: categoryOf(photo.kind),
      parents: {},
    })),
  );
  await writeLines(
    bundle,
    'products',
    items.map((photo) => ({
      id: productOf(photo.item),
      category: categoryOf(photo.kind),
      attributes: { brand: brandOf(photo) },
      images: images.get(photo.item) ?? [],
      variants: [],
    })),
  );
}

/** A bundle that takes products out of the catalog. */
export async function writeRemoval(bundle: string, products: readonly string[]): Promise<void> {
  await mkdir(bundle, { recursive: true });
  await writeLines(
    bundle,
    'products',
    products.map((id) => ({ id, deleted: true })),
  );
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

const writeLines = (bundle: string, name: string, records: readonly object[]): Promise<void> =>
  writeFile(join(bundle, `${name}.jsonl`), records.map((record) => `${JSON.stringify(record)}\n`).join(''));

const wordOf = (text: string): string => text.toLowerCase().replaceAll(/[^a-z0-9]+/g, '_');
const productOf = (item: string): string => `product_${wordOf(item)}`;
const categoryOf = (kind: string): string => `kind_${wordOf(kind)}`;
const brandOf = ({ kind, brand, set }: ListedPhoto): string => `brand_${wordOf(`${kind} ${brand ?? set}`)}`;
