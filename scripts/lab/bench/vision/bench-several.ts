import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { distortPhoto } from '../../../../workers/image/distortion/distort-photo';
import { runConcurrently } from '../load';
import type { Measurement } from '../table';
import { withPhotoService } from './bench-vision';
import {
  type CatalogPhoto,
  combinations,
  everyNth,
  LEVELS,
  OTHER_PHOTO,
  onPhotoSet,
  type PhotoSet,
  type VisionBenchOptions,
} from './photo-set';
import { shareText } from './vision-figures';

/** One call: photos of a piece, and where it belongs in the table. */
interface Trial {
  readonly sort: string;
  readonly row: string;
  readonly product: CatalogPhoto;
  readonly files: readonly string[];
}

const PHOTOS = [1, 2, 3] as const;
const CONCURRENCY = 2;
const SCOPED = ', with its category';

/**
 * What further photos of a piece are worth, over HTTP through the whole service: recall@1 with one, two and three photos,
 * with and without the category, and with one photo of something else among them. Real photos of pieces with two or more
 * of them, and distorted ones of the pairs and of every `sample`-th other piece.
 */
export const benchSeveral = (options: VisionBenchOptions): Promise<Measurement> =>
  onPhotoSet(options, async (set, model, folder) => {
    const real = realTrials(set);
    const scoped = real
      .filter(({ row }) => row.length === 1)
      .map((each) => ({ ...each, row: `${each.row}${SCOPED}` }));
    const trials = [...real, ...scoped, ...(await distortedTrials(set, folder, options.sample))];
    const right = new Set<Trial>();
    await withPhotoService(set, model, ({ identify }) =>
      runConcurrently(trials.length, CONCURRENCY, async (index) => {
        const trial = trials[index];
        if (!trial) return;
        const scope = trial.row.endsWith(SCOPED) ? { category_id: trial.product.category } : {};
        const { products } = await identify(trial.files, { min_confidence: 0, ...scope });
        if (products[0]?.id === trial.product.product) right.add(trial);
      }),
    );
    const sorts = [...new Set(trials.map(({ sort }) => sort))].sort();
    const rows = [...new Set(trials.map(({ row }) => row))].sort();
    return {
      title: `recall@1 in % by number of photos over HTTP, ${model.manifest.id} ${model.manifest.version}: ${set.photos.length} catalog photos, product rows only`,
      head: ['photos', ...sorts],
      rows: rows.map((row) => [
        row,
        ...sorts.map((sort) => {
          const own = trials.filter((each) => each.row === row && each.sort === sort);
          const found = own.filter((each) => right.has(each)).length;
          return own.length === 0 ? null : `${shareText(found, own.length)} of ${own.length}`;
        }),
      ]),
      notes: ['In brackets the 95 % limits (Wilson), then the number of calls.'],
    };
  });

/** Calls with real photos of the pieces that have two or more. */
function realTrials({ queries, photos }: PhotoSet): Trial[] {
  const pieces = new Map<string, { product: CatalogPhoto; sort: string; files: string[] }>();
  for (const { product: id, kind, level, file, set } of queries) {
    const product = photos.find((photo) => photo.product === id);
    if (level !== OTHER_PHOTO || !product) continue;
    const piece = pieces.get(id) ?? { product, sort: `real ${kind} (${set ?? 'dev'})`, files: [] };
    piece.files.push(file);
    pieces.set(id, piece);
  }
  const all = [...pieces.values()].filter(({ files }) => files.length > 1);
  return all.flatMap(({ product, sort, files }) => {
    const calls = PHOTOS.flatMap((count) => combinations(files, count));
    const trials = calls.map((chosen) => ({ sort, product, row: String(chosen.length), files: chosen }));
    const alike = all.filter((piece) => piece.sort === sort);
    const next = alike[(alike.findIndex((piece) => piece.product === product) + 1) % alike.length];
    if (!next?.files[0] || next.product === product) return trials;
    const mixed = [...files.slice(0, 2), next.files[0]];
    return [...trials, { sort, product, row: '3, one of something else', files: mixed }];
  });
}

/** Calls with photos that are made of the catalog's own, at every level in turn. */
async function distortedTrials(
  { queries, photos }: PhotoSet,
  folder: string,
  sample: number,
): Promise<Trial[]> {
  const kinds = new Map(queries.map(({ product, kind }) => [product, kind]));
  const paired = new Set(queries.filter(({ set }) => set !== null).map(({ product }) => product));
  const shown = photos.filter(({ product }) => kinds.has(product));
  const unpaired = shown.filter(({ product }) => !paired.has(product));
  const pieces = [...everyNth(unpaired, sample), ...shown.filter(({ product }) => paired.has(product))];
  const trials: Trial[] = [];
  for (const [at, product] of pieces.entries()) {
    const picture = await readFile(product.file);
    const level = LEVELS[at % LEVELS.length] ?? 1;
    const files = PHOTOS.map((photo) => join(folder, `${product.product}-several-${photo}.jpg`));
    for (const [photo, file] of files.entries()) {
      await writeFile(file, await distortPhoto(picture, level, product.product, 'several', photo + 1));
    }
    const sort = `L${level} ${kinds.get(product.product)}`;
    for (const count of PHOTOS)
      trials.push({ sort, product, row: String(count), files: files.slice(0, count) });
  }
  return trials;
}
