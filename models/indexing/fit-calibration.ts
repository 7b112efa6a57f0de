import { Matrix, solve } from 'ml-matrix';
import { hash } from '../random';
import { type Candidate, mean } from '../vision/candidates';
import { choicesOf, softmax, taxonomyConfidence } from '../vision/confidence';
import {
  CANDIDATE_SIGNALS,
  type Calibration,
  type ChoiceModel,
  NONE_SIGNALS,
} from '../vision/embedding-model';
import { type Ancestry, MatchContext } from '../vision/matches';

export interface LabelledExample {
  /** The item shown; all examples of an item are in the fit, or none. */
  readonly item: string;
  readonly shortlist: readonly Candidate[];
  readonly ancestry: Ancestry;
  /** Products that are right; none for an item that the catalog does not have. */
  readonly products: readonly string[];
  /** The taxonomy rows that are right, even for an item that the catalog does not have; null when unknown. */
  readonly above: ReadonlySet<string> | null;
  /** How many examples it counts for; default: 1. */
  readonly weight?: number;
}

/** The product rows, best first, and the position of the right one, from 1; null when it was not found. */
export function judged({ shortlist, ancestry, products: right }: LabelledExample, model: ChoiceModel) {
  const { products } = new MatchContext(shortlist, ancestry, model);
  const marked = products.map((match) => ({ ...match, right: right.includes(match.id) }));
  const rank = marked.findIndex((match) => match.right);
  return { products: marked, rank: rank < 0 ? null : rank + 1 };
}

/** Whether the item is missing from the catalog, or was left out of the search. */
export const isUnknown = ({ products }: LabelledExample): boolean => products.length === 0;

/** The cost of moving a standardised weight by one: a few examples can't produce extreme weights. */
const RIDGE = 0.05;
const STEPS = 60;
const CONVERGED = 1e-5;
const DAMPING_MIN = 1e-6;

const LEAST = 10;

const TWENTIETHS = Array.from({ length: 20 }, (_, index) => (index + 1) / 20);

/** Tried for the floor: below 0.05 an answer is noise with any model. */
const FLOORS = Array.from({ length: 96 }, (_, index) => (index + 5) / 100);

/** Largest share of unknown items that may be answered with a product first. */
const UNKNOWN_ANSWERED_MAX = 0.2;

/** Half of the items: a fit never sees an item that it is judged by. */
export const isForFitting = (item: string): boolean => hash(item, 'half') % 2 === 0;

/** The likeliest weights, by Newton's method with a ridge towards `from`; null if too few first products were right, or wrong. */
export function fitChoiceModel(all: readonly LabelledExample[], from: ChoiceModel): ChoiceModel | null {
  const found = all.filter(({ shortlist }) => shortlist.length > 0);
  const right = found.filter((example) => judged(example, from).rank === 1).length;
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

/** The lowest floor at which at most a fifth of unknown items is answered with a product first. */
export function floorFor(all: readonly LabelledExample[], model: ChoiceModel): Calibration['floor'] {
  const unknown = all
    .filter(isUnknown)
    .map(({ shortlist, ancestry }) => new MatchContext(shortlist, ancestry, model));
  const isAnswered = (floor: number) => (context: MatchContext) => {
    const [first] = context.rows(floor, () => true);
    return first !== undefined && first.id === context.products[0]?.id;
  };
  const answered = (floor: number) => unknown.filter(isAnswered(floor)).length / Math.max(1, unknown.length);
  return FLOORS.find((floor) => answered(floor) <= UNKNOWN_ANSWERED_MAX) ?? 1;
}

/** One photo's decision: a row of signals for "none of them" and for each candidate, and which was right. */
interface Decision {
  readonly signals: Matrix;
  readonly right: number;
  readonly weight: number;
}

function decisionsOf({ shortlist, products, weight = 1 }: LabelledExample): Decision[] {
  const right = shortlist.findIndex(({ id }) => products.includes(id)) + 1;
  return choicesOf(shortlist).map(({ none, candidates }) => {
    const signals = new Matrix([
      [...NONE_SIGNALS.map((name) => none[name]), ...CANDIDATE_SIGNALS.map(() => 0)],
      ...candidates.map((each) => [
        ...NONE_SIGNALS.map(() => 0),
        ...CANDIDATE_SIGNALS.map((name) => each[name]),
      ]),
    ]);
    return { signals, right, weight };
  });
}

/** The exponent for which taxonomy rows above the best products were right as often as claimed. */
function fitKin(examples: readonly LabelledExample[], model: ChoiceModel): number {
  const rows = examples.flatMap(({ shortlist, ancestry, above, weight = 1 }) => {
    const context = new MatchContext(shortlist, ancestry, model);
    if (above === null) return [];
    return context
      .levels(context.products[0]?.id ?? '')
      .map(({ id, below }) => ({ below, found: context.found, right: above.has(id), weight }));
  });
  const lossOf = (kin: number) =>
    rows.reduce((loss, { below, found, right, weight }) => {
      const confidence = taxonomyConfidence(below, found, { kin });
      return loss - weight * Math.log(Math.max(1e-6, right ? confidence : 1 - confidence));
    }, 0);
  if (rows.length < LEAST) return model.kin;
  return TWENTIETHS.reduce((best, value) => (lossOf(value) < lossOf(best) ? value : best));
}

function newton(decisions: readonly Decision[], prior: readonly number[]): number[] {
  const scales = prior.map((_, column) => scaleOf(decisions, column));
  const cost = Matrix.diag(scales.map((scale, column) => (column === 0 ? 1e-9 : RIDGE * scale)));
  const away = (weights: Matrix) => Matrix.sub(weights, Matrix.columnVector(prior));
  const lossAt = (weights: Matrix) =>
    decisions.reduce(
      (loss, decision) =>
        loss - decision.weight * Math.log(sharesOf(decision, weights)[decision.right] || Number.MIN_VALUE),
      away(weights).transpose().mmul(cost).mmul(away(weights)).get(0, 0) / 2,
    );
  // Starts where all options are equally likely, not from weights that may be confidently wrong.
  let weights = Matrix.zeros(prior.length, 1);
  let loss = lossAt(weights);
  // As in Levenberg-Marquardt: the less reliable the slope, the shorter and safer the step.
  for (let damping = DAMPING_MIN, step = 0; step < STEPS && damping < 1 / DAMPING_MIN; step += 1) {
    const gradient = cost.mmul(away(weights));
    const curvature = Matrix.add(cost, Matrix.diag(scales.map((scale) => damping * scale)));
    for (const decision of decisions) addTo(gradient, curvature, decision, sharesOf(decision, weights));
    const next = Matrix.sub(weights, solve(curvature, gradient));
    const nextLoss = lossAt(next);
    const gain = loss - nextLoss;
    if (gain > 0) [weights, loss] = [next, nextLoss];
    if (gain >= 0 && gain < CONVERGED) break;
    damping = gain > 0 ? Math.max(DAMPING_MIN, damping / 10) : damping * 10;
  }
  return weights.to1DArray();
}

function scaleOf(decisions: readonly Decision[], column: number): number {
  const values = decisions.flatMap(({ signals }) => {
    const [none, ...candidates] = signals.getColumn(column);
    return column < NONE_SIGNALS.length ? (none ?? 0) : candidates;
  });
  const usual = mean(values);
  return mean(values.map((value) => (value - usual) ** 2)) || 1;
}

const sharesOf = ({ signals }: Decision, weights: Matrix): number[] =>
  softmax(signals.mmul(weights).to1DArray());

/** Adds the slope of a decision's loss, and its curvature: the covariance of the options' signals under their shares. */
function addTo(gradient: Matrix, curvature: Matrix, { signals, right, weight }: Decision, shares: number[]) {
  const expected = signals.transpose().mmul(Matrix.columnVector(shares));
  const weighted = signals.clone().mulColumnVector(shares);
  curvature.add(signals.transpose().mmul(weighted).sub(expected.mmul(expected.transpose())).mul(weight));
  gradient.add(expected.sub(Matrix.columnVector(signals.getRow(right))).mul(weight));
}
