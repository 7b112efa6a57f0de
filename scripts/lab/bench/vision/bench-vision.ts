import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { calibrationFiguresOf } from '../../../../models/indexing/figures';
import * as fits from '../../../../models/indexing/fit-calibration';
import { addTo } from '../../../../models/multimap';
import { hash } from '../../../../models/random';
import { calibrationOf, UNCALIBRATED } from '../../../../models/vision/confidence';
import { type ChoiceModel, modelReference } from '../../../../models/vision/embedding-model';
import { MATCHES_MAX, MatchContext } from '../../../../models/vision/matches';
import { bundledModel } from '../../../../workers/library/model-library';
import type { Measurement } from '../table';
import { ExampleSource, type Trial } from './labelled-examples';
import * as photoSet from './photo-set';

export interface ConfidenceBenchOptions extends photoSet.VisionBenchOptions {
  /** Whether the calibration fitted on everything goes into the manifest of the model. */
  readonly write?: boolean;
}

/** A call with what was found, and the model that saw nothing of its item. */
interface Judged extends Omit<Trial, 'query'> {
  readonly query: photoSet.Query;
  readonly example: fits.LabelledExample;
  readonly model: ChoiceModel;
}

const FOLDS = 5;
/** Unknown items are one in five; real photos count as much together as distorted ones. */
const UNKNOWN_SHARE = 0.2;
/** Small catalogs count for a fifth of the whole one. */
const SMALL_SHARE = 0.2;
const SIZES = [2, 8, 40, 300];
const SMALL_EVERY = 4;
const FLOORS = [0, 0.05, 0.1, 0.2, 0.25, 0.26, 0.28, 0.3, 0.31, 0.35, 0.4, 0.5, 0.6, 0.7, 0.8];

/** Fits the confidence of the bundled model on real and distorted photos, and judges it on items outside of each fit (five folds). */
export async function benchConfidence(options: ConfidenceBenchOptions): Promise<Measurement> {
  const [set, model] = [await photoSet.readPhotoSet(options), await bundledModel()];
  const source = await ExampleSource.of(set, model);
  const single = [true, false].flatMap((isKnown) =>
    set.queries.map((_, query): Trial => ({ query, isKnown, size: null })),
  );
  const small = single.filter((_, at) => at % SMALL_EVERY === 0);
  const trials = [...single, ...small.flatMap((each) => SIZES.map((size) => ({ ...each, size })))];
  const fitting = await Promise.all(trials.map((each) => weighted(set, each, source)));
  const models = [...Array(FOLDS).keys()].map((fold) =>
    fitted(fitting.filter(({ item }) => foldOf(item) !== fold)),
  );
  const calls = fitting.map(({ trial, ...example }): Judged => {
    const judge = models[foldOf(example.item)] ?? UNCALIBRATED.confidence;
    return { ...trial, example, model: judge, query: source.query(trial) };
  });
  const whole = calls.filter(({ size }) => size === null);
  const final = fitted(fitting);
  const rejected = whole.filter(isRejected).map(({ example }) => example);
  const calibration = { confidence: final, floor: fits.floorFor(rejected, final) };
  if (options.write) await writeCalibration(model.folder, calibration);
  return {
    title: `Confidence of ${modelReference(model.manifest)} on items that it was not fitted on: ${set.photos.length} catalog photos, ${set.queries.length} queries, each with its item and without`,
    head: [
      ...['floor', 'unknown: product first', '(real)', 'any row'],
      ...REAL.map((name) => `${name}: right first`),
      ...REAL.map((name) => `${name}: among the rows`),
      ...['wrong first', 'taxonomy row first'],
    ],
    rows: FLOORS.map((floor) => floorRow(whole, floor)),
    notes: [
      ...groupsOf(whole).map(([name, of]) => `${name}: ${scoresOf(of)}`),
      ...SIZES.map((size) => `${size} products: ${scoresOf(calls.filter((each) => each.size === size))}`),
      `Calibration: ${JSON.stringify(calibration)}`,
    ],
  };
}

const fitted = (examples: readonly fits.LabelledExample[]): ChoiceModel => {
  const model = fits.fitChoiceModel(examples, UNCALIBRATED.confidence);
  if (!model) throw new Error('too few photos to fit the confidence on');
  return model;
};

const foldOf = (item: string): number => hash(item, 'fold') % FOLDS;
const isReal = ({ query }: { readonly query: photoSet.Query }): boolean =>
  query.level === photoSet.OTHER_PHOTO;
const isRejected = ({ isKnown, query }: Judged): boolean =>
  !isKnown && photoSet.LEVELS_REJECTED.includes(query.level);
const chanceOf = ({ isKnown }: Pick<Trial, 'isKnown'>): number =>
  isKnown ? 1 - UNKNOWN_SHARE : UNKNOWN_SHARE;

async function weighted(set: photoSet.PhotoSet, trial: Trial, source: ExampleSource) {
  const real = set.queries.filter(({ level }) => level === photoSet.OTHER_PHOTO).length;
  const isOther = source.query(trial).level === photoSet.OTHER_PHOTO;
  const importance = isOther ? (set.queries.length - real) / Math.max(1, real) : 1;
  const share = trial.size === null ? 1 : (SMALL_SHARE * SMALL_EVERY) / SIZES.length;
  return { ...(await source.example(trial)), trial, weight: chanceOf(trial) * importance * share };
}

const REAL = ['real', 'bags', 'watches'];

function floorRow(calls: readonly Judged[], floor: number): string[] {
  const answers = calls.map((call) => {
    const own = new MatchContext(call.example.shortlist, call.example.ancestry, call.model);
    const rows = own.rows(floor, () => true).map(({ id }) => id);
    return { ...call, rows, best: own.products[0]?.id };
  });
  type Answer = (typeof answers)[number];
  const unknown = answers.filter(isRejected);
  const real = answers.filter((each) => each.isKnown && isReal(each));
  const groups = [real, ...['bag', 'watch'].map((kind) => real.filter(({ query }) => query.kind === kind))];
  const isProductFirst = ({ rows: [first], best }: Answer) => first !== undefined && first === best;
  const isRightFirst = ({ rows, query }: Answer) => rows[0] === query.product;
  return [
    floor.toFixed(2),
    photoSet.shareText(unknown, isProductFirst),
    photoSet.shareText(unknown.filter(isReal), isProductFirst),
    photoSet.shareText(unknown, ({ rows }) => rows.length > 0),
    ...groups.map((group) => photoSet.shareText(group, isRightFirst)),
    ...groups.map((group) => photoSet.shareText(group, ({ rows, query }) => rows.includes(query.product))),
    photoSet.shareText(real, (each) => isProductFirst(each) && !isRightFirst(each)),
    photoSet.shareText(real, ({ rows: [first], best }) => first !== undefined && first !== best),
  ];
}

function groupsOf(calls: readonly Judged[]): [string, Judged[]][] {
  const groups = new Map<string, Judged[]>();
  for (const call of calls) {
    const { level, kind, set } = call.query;
    const names = set === null ? ['real', 'real, dev'] : ['real', 'pairs', `pairs, ${kind} ${set}`];
    for (const name of ['all', ...(isReal(call) ? names : [`level ${level}`])]) addTo(groups, name, call);
  }
  return [...groups].sort(([left], [right]) => (left < right ? -1 : 1));
}

/** Recall, log loss and calibration, each known item weighed as four unknown ones. */
function scoresOf(calls: readonly Judged[]): string {
  const all = calls.map(({ isKnown, example, model }) => {
    const { products, rank } = fits.judged(example, model);
    return { isKnown, products, rank, weight: chanceOf({ isKnown }) };
  });
  // Ten bins of whole answers: a known item counts four times.
  const repeated = all.flatMap((call) =>
    Array<typeof call>(Math.round(call.weight / UNKNOWN_SHARE)).fill(call),
  );
  const eceOf = (rowsOf: (call: (typeof all)[number]) => Parameters<typeof calibrationFiguresOf>[0]) =>
    calibrationFiguresOf(repeated.flatMap(rowsOf)).ece.toFixed(3);
  const known = all.filter(({ isKnown }) => isKnown);
  const within = (most: number) => (call: (typeof all)[number]) => call.rank !== null && call.rank <= most;
  const total = all.reduce((sum, { weight }) => sum + weight, 0);
  const loss = all.reduce((sum, { products, weight }) => {
    const none = 1 - products.reduce((claimed, row) => claimed + row.confidence, 0);
    const likely = products.find((row) => row.right)?.confidence ?? none;
    return sum - weight * Math.log(Math.max(1e-9, likely));
  }, 0);
  return `${known.length} known, right first ${photoSet.shareText(known, within(1))}, among five ${photoSet.percent(known.filter(within(5)).length / known.length)}; log loss ${(loss / total).toFixed(3)}; calibration error of first rows ${eceOf(({ products }) => products.slice(0, 1))}, of all rows ${eceOf(({ products }) => products.slice(0, MATCHES_MAX))}`;
}

async function writeCalibration(folder: string, calibration: object): Promise<void> {
  const file = join(folder, 'manifest.json');
  const manifest = JSON.parse(await readFile(file, 'utf8'));
  await writeFile(file, `${JSON.stringify({ ...manifest, calibration }, null, 2)}\n`);
}

/** A query with the products that were found, best first. */
interface Answered {
  readonly query: photoSet.Query;
  readonly products: readonly string[];
}

const isWithin =
  (most: number) =>
  ({ products, query }: Answered): boolean =>
    products.slice(0, most).includes(query.product);

/** Recall of the bundled model by level, kind and set, of items that the catalog has; `--confidence` measures what the floor leaves of it. */
export async function benchRecall(options: photoSet.VisionBenchOptions): Promise<Measurement> {
  const [set, model] = [await photoSet.readPhotoSet(options), await bundledModel()];
  const source = await ExampleSource.of(set, model);
  const { confidence } = calibrationOf(model.manifest);
  const answered = async (query: photoSet.Query, at: number): Promise<Answered> => {
    const { shortlist, ancestry } = await source.example({ query: at, isKnown: true, size: null });
    const { products } = new MatchContext(shortlist, ancestry, confidence);
    return { query, products: products.map(({ id }) => id) };
  };
  const calls = await Promise.all(set.queries.map(answered));
  const sorts = [...new Set(calls.map(sortOf))].sort();
  const groups = sorts.map((sort) => [sort, calls.filter((each) => sortOf(each) === sort)] as const);
  return {
    title: `${modelReference(model.manifest)} in %: ${set.photos.length} catalog photos, product rows only`,
    head: ['queries', 'number', 'recall@1 (95 % limits, Wilson)', 'recall@3', 'recall@5'],
    rows: [['all', calls] as const, ...groups].map(([name, of]) => [
      ...[name, of.length, photoSet.shareText(of, isWithin(1))],
      ...[3, 5].map((most) => photoSet.percent(of.filter(isWithin(most)).length / of.length)),
    ]),
    notes: [],
  };
}

const sortOf = ({ query: { level, kind, set } }: Answered): string =>
  `${level === photoSet.OTHER_PHOTO ? 'other photo,' : `L${level}`} ${kind}${set ? ` (${set})` : ''}`;
