import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { calibrationFiguresOf } from '../../../../models/indexing/figures';
import {
  fitChoiceModel,
  floorFor,
  judged,
  type LabelledSighting,
} from '../../../../models/indexing/fit-calibration';
import { hash } from '../../../../models/random';
import { UNCALIBRATED } from '../../../../models/vision/confidence';
import type { ChoiceModel } from '../../../../models/vision/embedding-model';
import { MATCHES_MAX, Sighting } from '../../../../models/vision/matches';
import type { Measurement } from '../table';
import { combinations, OTHER_PHOTO, onPhotoSet, type PhotoSet, type VisionBenchOptions } from './photo-set';
import { type Asked, Sightings } from './sightings';
import { LEVELS_REJECTED, percent, shareText } from './vision-figures';

export interface ConfidenceBenchOptions extends VisionBenchOptions {
  /** Whether the calibration fitted on everything goes into the manifest of the model. */
  readonly write?: boolean;
}

/** A call with what was found, and the model that saw nothing of its item. */
interface Judged {
  readonly asked: Asked;
  readonly sighting: LabelledSighting;
  readonly model: ChoiceModel;
}

const FOLDS = 5;
/** Unknown items are one in five; real photos count as much together as distorted ones. */
const UNKNOWN_SHARE = 0.2;
/** Small catalogs count for a fifth of the whole one. */
const SMALL_SHARE = 0.2;
const SIZES = [2, 8, 40, 300];
const SMALL_EVERY = 4;
const FLOORS = [0, 0.05, 0.1, 0.2, 0.25, 0.26, 0.27, 0.28, 0.3, 0.35, 0.4, 0.5, 0.6, 0.7, 0.8];

/**
 * Fits the confidence of a model on real and distorted photos, and judges it on items that it was not fitted on (five folds):
 * the floor table, calibration of first rows and of all rows, and several photos. In this process, with an
 * exhaustive search.
 */
export const benchConfidence = (options: ConfidenceBenchOptions): Promise<Measurement> =>
  onPhotoSet(options, async (set, model) => {
    const sightings = await Sightings.of(set, model);
    const single = [true, false].flatMap((isKnown) =>
      set.queries.map((_, query) => ({ queries: [query], isKnown, size: null })),
    );
    const small = single.filter((_, at) => at % SMALL_EVERY === 0);
    const asked: Asked[] = [...single, ...small.flatMap((each) => SIZES.map((size) => ({ ...each, size })))];
    const fitting = asked.map((each) => weighted(set, each, sightings.sighting(each)));
    const models = Array.from({ length: FOLDS }, (_, fold) =>
      fitted(fitting.filter(({ item }) => foldOf(item) !== fold)),
    );
    const judgedAs = (each: Asked, sighting = sightings.sighting(each)): Judged => ({
      asked: each,
      sighting,
      model: models[foldOf(sighting.item)] ?? UNCALIBRATED.confidence,
    });
    const calls = asked.map((each, at) => judgedAs(each, fitting[at]));
    const several = severalOf(set).map((each) => judgedAs(each));
    const final = fitted(fitting);
    const calibration = {
      confidence: final,
      floor: floorFor(
        single.flatMap((each, at) => (isRejected(set, each) ? (fitting[at] ?? []) : [])),
        final,
      ),
    };
    if (options.write) await writeCalibration(model.folder, calibration);
    const whole = calls.filter(({ asked: { size } }) => size === null);
    return {
      title: `Confidence of ${model.manifest.id} ${model.manifest.version} on items that it was not fitted on: ${set.photos.length} catalog photos, ${set.queries.length} queries, each with its item and without`,
      head: [
        'floor',
        'unknown: product first',
        '(real)',
        'any row',
        ...REAL.map((name) => `${name}: right first`),
        ...REAL.map((name) => `${name}: among the rows`),
        'wrong first',
        'taxonomy row first',
      ],
      rows: FLOORS.map((floor) => floorRow(set, whole, floor)),
      notes: [
        ...groupsOf(set, whole).map(([name, of]) => `${name}: ${believed(of)}`),
        ...SIZES.map(
          (size) => `${size} products: ${believed(calls.filter(({ asked: each }) => each.size === size))}`,
        ),
        ...[2, 3].flatMap((photos) =>
          [true, false].map((isReal) => {
            const of = several.filter(
              ({ asked: { queries } }) => queries.length === photos && isRealCall(set, queries) === isReal,
            );
            return `${photos} ${isReal ? 'real' : 'distorted'} photos: ${believed(of)}`;
          }),
        ),
        `Calibration: ${JSON.stringify(calibration)}`,
      ],
    };
  });

const fitted = (sightings: readonly LabelledSighting[]): ChoiceModel => {
  const model = fitChoiceModel(sightings, UNCALIBRATED.confidence);
  if (!model) throw new Error('too few photos to fit the confidence on');
  return model;
};

const foldOf = (item: string): number => hash(item, 'fold') % FOLDS;

const isRealCall = ({ queries }: PhotoSet, asked: readonly number[]): boolean =>
  queries[asked[0] ?? 0]?.level === OTHER_PHOTO;

const isRejected = ({ queries }: PhotoSet, { isKnown, queries: [query = 0] }: Asked): boolean =>
  !isKnown && LEVELS_REJECTED.includes(queries[query]?.level ?? 0);

const chanceOf = ({ isKnown }: Asked): number => (isKnown ? 1 - UNKNOWN_SHARE : UNKNOWN_SHARE);

function weighted(set: PhotoSet, asked: Asked, sighting: LabelledSighting): LabelledSighting {
  const real = set.queries.filter(({ level }) => level === OTHER_PHOTO).length;
  const importance = isRealCall(set, asked.queries) ? (set.queries.length - real) / Math.max(1, real) : 1;
  const share = asked.size === null ? 1 : (SMALL_SHARE * SMALL_EVERY) / SIZES.length;
  return { ...sighting, weight: chanceOf(asked) * importance * share };
}

/** Calls with two and three photos of one item: all real ones, the three levels of every third other item. */
function severalOf({ queries }: PhotoSet): Asked[] {
  const byItem = new Map<string, number[]>();
  for (const [query, { product, level }] of queries.entries()) {
    const name = `${product} ${level === OTHER_PHOTO}`;
    byItem.set(name, [...(byItem.get(name) ?? []), query]);
  }
  return [...byItem.values()].flatMap((own, at) => {
    const isReal = queries[own[0] ?? 0]?.level === OTHER_PHOTO;
    if (!isReal && at % 3 !== 0) return [];
    const calls = [2, 3].flatMap((photos) => combinations(own, photos));
    return calls.flatMap((each) => [true, false].map((isKnown) => ({ queries: each, isKnown, size: null })));
  });
}

const REAL = ['real', 'bags', 'watches'] as const;

function floorRow(set: PhotoSet, calls: readonly Judged[], floor: number): string[] {
  const answers = calls.map(({ asked, sighting, model }) => {
    const own = new Sighting(sighting.shortlist, sighting.ancestry, model);
    const rows = own.rows(floor, () => true);
    return {
      asked,
      rows,
      query: set.queries[asked.queries[0] ?? 0],
      first: rows[0]?.id,
      best: own.products[0]?.id,
    };
  });
  type Answer = (typeof answers)[number];
  const of = (holds: (each: Answer) => boolean, among: readonly Answer[]) =>
    shareText(among.filter(holds).length, among.length);
  const unknown = answers.filter(({ asked }) => isRejected(set, asked));
  const real = answers.filter(({ asked, query }) => asked.isKnown && query?.level === OTHER_PHOTO);
  const groups = [real, ...['bag', 'watch'].map((kind) => real.filter(({ query }) => query?.kind === kind))];
  const isProductFirst = ({ first, best }: Answer) => first !== undefined && first === best;
  const isRightFirst = ({ first, query }: Answer) => first === query?.product;
  return [
    floor.toFixed(2),
    of(isProductFirst, unknown),
    of(
      isProductFirst,
      unknown.filter(({ query }) => query?.level === OTHER_PHOTO),
    ),
    of(({ rows }) => rows.length > 0, unknown),
    ...groups.map((group) => of(isRightFirst, group)),
    ...groups.map((group) => of(({ rows, query }) => rows.some(({ id }) => id === query?.product), group)),
    of((each) => isProductFirst(each) && !isRightFirst(each), real),
    of(({ first, best }) => first !== undefined && first !== best, real),
  ];
}

/** All calls, and those of each level and set. */
function groupsOf(set: PhotoSet, calls: readonly Judged[]): [string, Judged[]][] {
  const names = ({ asked: { queries } }: Judged): string[] => {
    const query = set.queries[queries[0] ?? 0];
    if (!query) return [];
    if (query.level !== OTHER_PHOTO) return ['all', `level ${query.level}`];
    return [
      'all',
      'real',
      ...(query.set === null ? ['real, dev'] : ['pairs', `pairs, ${query.kind} ${query.set}`]),
    ];
  };
  const groups = new Map<string, Judged[]>();
  for (const call of calls)
    for (const name of names(call)) groups.set(name, [...(groups.get(name) ?? []), call]);
  return [...groups].sort(([left], [right]) => (left < right ? -1 : 1));
}

/** Recall, log loss and calibration, each known item weighed as four unknown ones. */
function believed(calls: readonly Judged[]): string {
  const judgedCalls = calls.map(({ asked, sighting, model }) => ({
    weight: chanceOf(asked),
    isKnown: asked.isKnown,
    ...judged(sighting, model),
    levels: new Sighting(sighting.shortlist, sighting.ancestry, model)
      .levels(judged(sighting, model).products[0]?.id ?? '')
      .map(({ id, confidence }) => ({ confidence, right: sighting.above?.has(id) ?? null }))
      .flatMap(({ confidence, right }) => (right === null ? [] : { confidence, right })),
  }));
  type Call = (typeof judgedCalls)[number];
  const eceOf = (rowsOf: (call: Call) => readonly { confidence: number; right: boolean }[]) =>
    // Ten bins of whole answers: a known item stands four times.
    calibrationFiguresOf(
      judgedCalls.flatMap((call) =>
        Array(Math.round(call.weight / UNKNOWN_SHARE))
          .fill(rowsOf(call))
          .flat(),
      ),
    ).ece.toFixed(3);
  const known = judgedCalls.filter(({ isKnown }) => isKnown);
  const within = (most: number) => known.filter(({ place }) => place !== null && place <= most).length;
  const total = judgedCalls.reduce((sum, { weight }) => sum + weight, 0);
  const loss = judgedCalls.reduce((sum, { products, weight }) => {
    const likely =
      products.find((row) => row.right)?.confidence ??
      1 - products.reduce((all, row) => all + row.confidence, 0);
    return sum - weight * Math.log(Math.max(1e-9, likely));
  }, 0);
  const brands = judgedCalls.some(({ levels }) => levels.length > 0)
    ? `, of brands ${eceOf(({ levels }) => levels)}`
    : '';
  return `${known.length} known, right first ${shareText(within(1), known.length)}, among five ${percent(within(5) / known.length)}; log loss ${(loss / total).toFixed(3)}; calibration error of first rows ${eceOf(({ products }) => products.slice(0, 1))}, of all rows ${eceOf(({ products }) => products.slice(0, MATCHES_MAX))}${brands}`;
}

async function writeCalibration(folder: string, calibration: object): Promise<void> {
  const file = join(folder, 'manifest.json');
  const manifest = JSON.parse(await readFile(file, 'utf8'));
  await writeFile(file, `${JSON.stringify({ ...manifest, calibration }, null, 2)}\n`);
}
