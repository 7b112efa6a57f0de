import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { calibrationFiguresOf, type JudgedAnswer, shareOf } from '../../../../models/indexing/figures';
import { distortPhoto } from '../../../../workers/image/distortion/distort-photo';
import { FolderModelLibrary } from '../../../../workers/library/model-library';
import { readConfig } from '../../../config';
import { type Measurement, runConcurrently } from '../measure';
import { inFolder } from '../set-up';
import { type Answer, identify } from './answer';
import { combinations } from './bench-confidence';
import type { VisionBenchOptions } from './bench-vision';
import { type PhotoService, withPhotoService } from './photo-service';
import { type CatalogPhoto, everyNth, type PhotoSet, readPhotoSet } from './photo-set';

/** One call: photos of a piece, and what it belongs to. */
interface Trial {
  /** The column of the table. */
  readonly sort: string;
  readonly product: CatalogPhoto;
  readonly files: readonly string[];
  /** How many of the photos show something else. */
  readonly others: number;
}

interface Tried extends Trial {
  readonly scoped: boolean;
  readonly isKnown: boolean;
  readonly answer: Answer;
}

const PHOTOS = [1, 2, 3] as const;
const LEVELS = [1, 2, 3] as const;
const OTHER_PHOTO = 4;
const CONCURRENCY = 2;

/**
 * What further photos of a piece are worth, over HTTP through the whole service: recall@1 with one, two and three photos,
 * with and without the category, and with one photo of something else among them; how far the confidence of products and of
 * their brands can be believed, by number of photos, with one item in five unknown. Real photos of pieces with two or more
 * of them, and distorted ones of the pairs and of every `sample`-th other piece.
 */
export async function benchSeveral(options: VisionBenchOptions): Promise<Measurement> {
  return inFolder(async (folder) => {
    const model = await new FolderModelLibrary(readConfig().DATA_DIR).find(options.model);
    const set = await readPhotoSet(options, join(folder, 'bundle'));
    const trials = [...realTrials(set), ...(await distortedTrials(set, folder, options.sample))];
    const tried = await withPhotoService({ set, model, folder }, (service) => tryAll(service, trials));
    const paired = pairedIn(set);
    const ofPairs = tried.filter(({ product }) => paired.has(product.product));
    const sorts = [...new Set(trials.map(({ sort }) => sort))].sort();
    return {
      title: `recall@1 in % by number of photos over HTTP, ${model.manifest.id} ${model.manifest.version}: ${set.photos.length} catalog photos, product rows only`,
      head: ['photos', ...sorts],
      rows: rowsOf(tried, sorts),
      notes: [
        'In brackets the 95 % limits (Wilson) and the number of calls.',
        ...PHOTOS.map((photos) => `${photos} photos: ${believed(tried, photos)}`),
        ...PHOTOS.map((photos) => `${photos} photos, pairs alone: ${believed(ofPairs, photos)}`),
      ],
    };
  });
}

/** Calls with real photos of the pieces that have two or more. */
function realTrials(set: PhotoSet): Trial[] {
  const bySort = new Map<string, { product: CatalogPhoto; files: string[] }[]>();
  const pieces = new Map<string, { sort: string; files: string[] }>();
  for (const { product, kind, level, file, set: source } of set.queries) {
    if (level !== OTHER_PHOTO) continue;
    const piece = pieces.get(product) ?? { sort: `real ${kind} (${source ?? 'dev'})`, files: [] };
    piece.files.push(file);
    pieces.set(product, piece);
  }
  for (const [id, { sort, files }] of pieces) {
    const product = set.photos.find((photo) => photo.product === id);
    if (product && files.length > 1) bySort.set(sort, [...(bySort.get(sort) ?? []), { product, files }]);
  }
  return [...bySort].flatMap(([sort, own]) =>
    own.flatMap(({ product, files }, at) => {
      const stranger = own[(at + 1) % own.length]?.files[0];
      const calls = PHOTOS.flatMap((photos) => combinations(files, photos));
      return [
        ...calls.map((chosen) => ({ sort, product, files: chosen, others: 0 })),
        ...combinations(files, 2)
          .slice(0, 1)
          .flatMap((chosen) =>
            stranger === undefined ? [] : { sort, product, files: [...chosen, stranger], others: 1 },
          ),
      ];
    }),
  );
}

/** Calls with photos that are made of the catalog's own, at every level in turn. */
async function distortedTrials(set: PhotoSet, folder: string, sample: number): Promise<Trial[]> {
  const kinds = new Map(set.queries.map(({ product, kind }) => [product, kind]));
  const paired = pairedIn(set);
  const shown = set.photos.filter(({ product }) => kinds.has(product));
  const pieces = [
    ...everyNth(
      shown.filter(({ product }) => !paired.has(product)),
      sample,
    ),
    ...shown.filter(({ product }) => paired.has(product)),
  ];
  const trials: Trial[] = [];
  for (const [at, product] of pieces.entries()) {
    const picture = await readFile(product.file);
    const level = LEVELS[at % LEVELS.length] ?? 1;
    const files = await Promise.all(
      PHOTOS.map(async (photo) => {
        const file = join(folder, `${product.product}-several-${photo}.jpg`);
        await writeFile(file, await distortPhoto(picture, level, product.product, 'several', photo));
        return file;
      }),
    );
    const sort = `L${level} ${kinds.get(product.product)}`;
    for (const photos of PHOTOS) trials.push({ sort, product, files: files.slice(0, photos), others: 0 });
  }
  return trials;
}

/** All calls, with and without the category; then those of items that were taken out of the catalog. */
async function tryAll(service: PhotoService, trials: readonly Trial[]): Promise<Tried[]> {
  const tried: Tried[] = [];
  const ask = async (asked: readonly Trial[], scoped: boolean, isKnown: boolean) => {
    await runConcurrently(asked.length, CONCURRENCY, async (index) => {
      const trial = asked[index];
      if (!trial) return;
      const scope = scoped ? { category_id: trial.product.category } : {};
      const answer = await identify(service, trial.files, { explain: true, min_confidence: 0, ...scope });
      tried.push({ ...trial, scoped, isKnown, answer });
    });
  };
  await ask(trials, false, true);
  await ask(trials.filter(isReal), true, true);
  const removed = await service.removeSome(trials.map(({ product }) => product.product));
  const unknown = trials.filter(({ product, others }) => removed.has(product.product) && others === 0);
  await ask(unknown, false, false);
  return tried;
}

/** The pieces of the pairs, on which no calibration of the bundled model was fitted. */
const pairedIn = ({ queries }: PhotoSet): ReadonlySet<string> =>
  new Set(queries.filter(({ set }) => set !== null).map(({ product }) => product));

const isReal = ({ sort }: Trial): boolean => sort.startsWith('real');

function rowsOf(tried: readonly Tried[], sorts: readonly string[]): string[][] {
  const known = tried.filter(({ isKnown }) => isKnown);
  const rowOf = (name: string, holds: (each: Tried) => boolean) => [
    name,
    ...sorts.map((sort) => recall(known.filter((each) => each.sort === sort && holds(each)))),
  ];
  return [
    ...PHOTOS.flatMap((photos) =>
      [false, true].map((scoped) =>
        rowOf(
          `${photos}${scoped ? ', with its category' : ''}`,
          (each) => each.files.length === photos && each.others === 0 && each.scoped === scoped,
        ),
      ),
    ),
    rowOf('3, one of something else', ({ others, scoped }) => others === 1 && !scoped),
  ];
}

function recall(tried: readonly Tried[]): string {
  if (tried.length === 0) return '-';
  const { right, of, low, high } = shareOf(tried.filter(isRight).length, tried.length);
  return `${percent(right / of)} (${percent(low)}-${percent(high)}, ${of})`;
}

/** Claimed against right, with one item in five unknown: of products, and of their brands. */
function believed(tried: readonly Tried[], photos: number): string {
  const own = tried.filter(({ files, others, scoped }) => files.length === photos && others === 0 && !scoped);
  const removed = new Set(own.filter(({ isKnown }) => !isKnown).map(({ product }) => product.product));
  // Unknown ones take the place of their known twins.
  const mixed = own.filter(({ isKnown, product }) => !isKnown || !removed.has(product.product));
  const products = mixed.flatMap((each): JudgedAnswer[] => {
    const confidence = each.answer.products[0]?.confidence;
    return confidence === undefined ? [] : [{ confidence, right: isRight(each) }];
  });
  const brands = mixed.flatMap(({ answer: { brand }, product }): JudgedAnswer[] =>
    brand ? [{ confidence: brand.confidence, right: brand.id === product.brand }] : [],
  );
  return [['products', products] as const, ['brands', brands] as const]
    .map(([name, judged]) => {
      const claimed = judged.reduce((sum, { confidence }) => sum + confidence, 0) / judged.length;
      const right = judged.filter((each) => each.right).length / judged.length;
      return `${name} ${percent(claimed)} % claimed, ${percent(right)} % right, expected calibration error ${calibrationFiguresOf(judged).ece.toFixed(3)} (${judged.length})`;
    })
    .join('; ');
}

const isRight = ({ isKnown, answer, product }: Tried): boolean =>
  isKnown && answer.products[0]?.id === product.product;

const percent = (share: number): string => (100 * share).toFixed(1);
