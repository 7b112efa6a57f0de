import { hash } from '../random';
import { type Candidate, mean } from '../vision/candidates';
import { choicesOf, softmax, taxonomyConfidence } from '../vision/confidence';
import {
  CANDIDATE_SIGNALS,
  type Calibration,
  type ChoiceModel,
  NONE_SIGNALS,
} from '../vision/embedding-model';
import { type Ancestry, type Match, Sighting } from '../vision/matches';

/** What was found of photos, and what they show. */
export interface LabelledSighting {
  /** What is shown; all of one item are fitted on, or none. */
  readonly item: string;
  /** As `shortlistOf` gives it. */
  readonly shortlist: readonly Candidate[];
  readonly ancestry: Ancestry;
  /** Products that are right; none of an item that the catalog does not have. */
  readonly products: readonly string[];
  /** The taxonomy rows that are right, also of an item that the catalog does not have; null when they are not known. */
  readonly above: ReadonlySet<string> | null;
  /** How many sightings it counts for; 1 when left out. */
  readonly weight?: number;
}

/** A sighting as a model judges it. */
export interface JudgedSighting {
  /** Product rows, best first. */
  readonly products: readonly (Match & { readonly right: boolean })[];
  /** Place of the right product, from 1; null when it was not found. */
  readonly place: number | null;
}

export function judged(
  { shortlist, ancestry, products: right }: LabelledSighting,
  model: ChoiceModel,
): JudgedSighting {
  const { products } = new Sighting(shortlist, ancestry, model);
  const marked = products.map((match) => ({ ...match, right: right.includes(match.id) }));
  const place = marked.findIndex((match) => match.right);
  return { products: marked, place: place < 0 ? null : place + 1 };
}

/** Whether the item is one that the catalog does not have, or that was left out of the search. */
export const isUnknown = ({ products }: LabelledSighting): boolean => products.length === 0;

/** What a standardised weight costs that is one away from where it began: few sightings make no wild weights. */
const RIDGE = 0.05;
const STEPS = 60;
const CONVERGED = 1e-5;
const DAMPING_MIN = 1e-6;

/** Right and wrong first products that a fit needs at least. */
const LEAST = 10;

/** Tried for `kin`. */
const TWENTIETHS = Array.from({ length: 20 }, (_, index) => (index + 1) / 20);

/** Tried for the floor: below 0.05 an answer is noise, whatever the model. */
const FLOORS = Array.from({ length: 96 }, (_, index) => (index + 5) / 100);

/** Of unknown items so many are answered with a product first at most. */
const UNKNOWN_ANSWERED_MAX = 0.2;

/** Half of the items: a fit never sees an item that it is judged by. */
export const isForFitting = (item: string): boolean => hash(item, 'half') % 2 === 0;

/**
 * The weights under which what photos show was likeliest, by Newton's method with a ridge towards a model; null where too few
 * first products were right, or too few wrong, to say.
 *
 * @param from what the weights stay near where the sightings say little
 */
export function fitChoiceModel(
  sightings: readonly LabelledSighting[],
  from: ChoiceModel,
): ChoiceModel | null {
  const found = sightings.filter(({ shortlist }) => shortlist.length > 0);
  const right = found.filter((sighting) => judged(sighting, from).place === 1).length;
  if (Math.min(right, found.length - right) < LEAST) return null;
  const start = [
    ...NONE_SIGNALS.map((name) => from.none[name]),
    ...CANDIDATE_SIGNALS.map((name) => from.candidate[name]),
  ];
  const weights = newton(found.flatMap(decisionsOf), start).map((weight) => Math.round(weight * 1e4) / 1e4);
  const named = (names: readonly string[], first: number) =>
    Object.fromEntries(names.map((name, index) => [name, weights[first + index] ?? 0]));
  const model = {
    ...from,
    none: named(NONE_SIGNALS, 0) as ChoiceModel['none'],
    candidate: named(CANDIDATE_SIGNALS, NONE_SIGNALS.length) as ChoiceModel['candidate'],
  };
  return { ...model, kin: fitKin(found, model) };
}

/** The least floor at which at most a fifth of unknown items is answered with a product first. */
export function floorFor(
  sightings: readonly LabelledSighting[],
  confidence: ChoiceModel,
): Calibration['floor'] {
  const unknown = sightings
    .filter(isUnknown)
    .map(({ shortlist, ancestry }) => new Sighting(shortlist, ancestry, confidence));
  const isAnswered = (floor: number) => (sighting: Sighting) => {
    const [first] = sighting.rows(floor, () => true);
    return first !== undefined && first.id === sighting.products[0]?.id;
  };
  const answered = (floor: number) => unknown.filter(isAnswered(floor)).length / Math.max(1, unknown.length);
  return FLOORS.find((floor) => answered(floor) <= UNKNOWN_ANSWERED_MAX) ?? 1;
}

/** One photo's choice: a line of values for "none of them" and for each candidate, and which was right. */
interface Decision {
  readonly options: readonly (readonly number[])[];
  readonly right: number;
  readonly weight: number;
}

function decisionsOf({ shortlist, products, weight = 1 }: LabelledSighting): Decision[] {
  return choicesOf(shortlist).map(({ none, candidates }) => ({
    options: [
      [...NONE_SIGNALS.map((name) => none[name]), ...CANDIDATE_SIGNALS.map(() => 0)],
      ...candidates.map((each) => [
        ...NONE_SIGNALS.map(() => 0),
        ...CANDIDATE_SIGNALS.map((name) => each[name]),
      ]),
    ],
    right: shortlist.findIndex(({ id }) => products.includes(id)) + 1,
    weight,
  }));
}

/** The exponent under which taxonomy rows above the best products were right as often as they claim. */
function fitKin(sightings: readonly LabelledSighting[], model: ChoiceModel): number {
  const rows = sightings.flatMap(({ shortlist, ancestry, above, weight = 1 }) => {
    const sighting = new Sighting(shortlist, ancestry, model);
    if (above === null) return [];
    return sighting
      .levels(sighting.products[0]?.id ?? '')
      .map(({ id, below }) => ({ below, found: sighting.found, right: above.has(id), weight }));
  });
  const lossOf = (kin: number) =>
    rows.reduce((loss, { below, found, right, weight }) => {
      const confidence = taxonomyConfidence(below, found, { kin });
      return loss - weight * Math.log(Math.max(1e-6, right ? confidence : 1 - confidence));
    }, 0);
  return rows.length < LEAST ? model.kin : leastBy(TWENTIETHS, lossOf);
}

const leastBy = (values: readonly number[], of: (value: number) => number): number =>
  values.reduce((best, value) => (of(value) < of(best) ? value : best));

/** @param prior what the weights stay near */
function newton(decisions: readonly Decision[], prior: readonly number[]): number[] {
  const scales = prior.map((_, column) => varianceOf(decisions, column) || 1);
  const away = (weights: readonly number[], column: number) => at(weights, column) - at(prior, column);
  const costOf = (scale: number, column: number) => (column === 0 ? 1e-9 : RIDGE * scale);
  const lossAt = (weights: readonly number[]) =>
    decisions.reduce(
      (loss, decision) =>
        loss - decision.weight * Math.log(sharesOf(decision, weights)[decision.right] || Number.MIN_VALUE),
      scales.reduce(
        (sum, scale, column) => sum + (costOf(scale, column) / 2) * away(weights, column) ** 2,
        0,
      ),
    );
  // From where every option is as likely as another, not from weights that may be sure of what is wrong.
  let weights: readonly number[] = prior.map(() => 0);
  let loss = lossAt(weights);
  // As Levenberg and Marquardt: the less far the slope can be followed, the shorter and safer the step.
  for (let damping = DAMPING_MIN, step = 0; step < STEPS && damping < 1 / DAMPING_MIN; step += 1) {
    const gradient = scales.map((scale, column) => costOf(scale, column) * away(weights, column));
    const curvature = scales.map((scale, row) =>
      scales.map((_, column) => (row === column ? costOf(scale, column) + damping * scale : 0)),
    );
    for (const decision of decisions) addTo(gradient, curvature, decision, sharesOf(decision, weights));
    const change = solved(curvature, gradient);
    const next = weights.map((each, column) => each - at(change, column));
    const nextLoss = lossAt(next);
    const gain = loss - nextLoss;
    if (gain > 0) [weights, loss] = [next, nextLoss];
    if (gain >= 0 && gain < CONVERGED) break;
    damping = gain > 0 ? Math.max(DAMPING_MIN, damping / 10) : damping * 10;
  }
  return [...weights];
}

/** Of a signal, over the options that it is a signal of. */
function varianceOf(decisions: readonly Decision[], column: number): number {
  const isOfNone = column < NONE_SIGNALS.length;
  const values = decisions.flatMap(({ options }) =>
    (isOfNone ? options.slice(0, 1) : options.slice(1)).map((option) => at(option, column)),
  );
  const usual = mean(values);
  return mean(values.map((value) => (value - usual) ** 2));
}

const sharesOf = ({ options }: Decision, weights: readonly number[]): number[] =>
  softmax(
    options.map((option) => option.reduce((sum, value, column) => sum + value * at(weights, column), 0)),
  );

/** Adds the slope of a decision's loss, and its curvature: the covariance of the options' signals under their shares. */
function addTo(
  gradient: number[],
  curvature: number[][],
  { options, right, weight }: Decision,
  shares: readonly number[],
): void {
  const expected = gradient.map(() => 0);
  const addSquare = (values: readonly number[], share: number) => {
    for (const [row, line] of curvature.entries())
      for (let column = 0; column < line.length; column += 1)
        line[column] = at(line, column) + share * at(values, row) * at(values, column);
  };
  for (const [index, option] of options.entries()) {
    const share = at(shares, index);
    for (const [column, value] of option.entries()) expected[column] = at(expected, column) + share * value;
    addSquare(option, weight * share);
  }
  addSquare(expected, -weight);
  for (const [column, value] of expected.entries())
    gradient[column] = at(gradient, column) + weight * (value - at(options[right] ?? [], column));
}

const at = (values: readonly number[], index: number): number => values[index] ?? 0;

/** `matrix * x = right`, by elimination with pivots. */
function solved(matrix: readonly (readonly number[])[], right: readonly number[]): number[] {
  const rows = matrix.map((row, index) => [...row, right[index] ?? 0]);
  const size = rows.length;
  for (let pivot = 0; pivot < size; pivot += 1) {
    const best = rows
      .map((row, index) => ({ index, value: index < pivot ? -1 : Math.abs(row[pivot] ?? 0) }))
      .reduce((most, each) => (each.value > most.value ? each : most)).index;
    const [lower = [], upper = []] = [rows[pivot], rows[best]];
    rows[pivot] = upper;
    rows[best] = lower;
    for (const [index, row] of rows.entries()) {
      if (index === pivot) continue;
      const factor = (row[pivot] ?? 0) / (upper[pivot] ?? 1);
      for (let column = pivot; column <= size; column += 1) {
        row[column] = (row[column] ?? 0) - factor * (upper[column] ?? 0);
      }
    }
  }
  return rows.map((row, index) => (row[size] ?? 0) / (row[index] ?? 1));
}
