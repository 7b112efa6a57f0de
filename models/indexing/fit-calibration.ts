import { hash } from '../random';
import type { Signals } from '../vision/confidence';
import { type Calibration, type LogisticCalibration, SIGNALS } from '../vision/embedding-model';

/** The best answer to a query: what spoke for it, and whether it was right. */
export interface LabelledSignals {
  readonly signals: Signals;
  readonly right: boolean;
}

/** What a large weight of a standardised signal costs, as a share of the queries: few queries make no wild weights. */
const RIDGE = 0.01;
const STEPS = 50;
const CONVERGED = 1e-9;

/** Below this an answer is noise, whatever the model. */
const FLOOR = 0.05;

/** Right and wrong answers that a fit needs at least. */
const LEAST = 10;

/** Half of the items: a fit never sees an item that it is judged by. */
export const isForFitting = (item: string): boolean => hash(item, 'half') % 2 === 0;

/**
 * The calibration of a model that has none; null when there are too few right or too few wrong answers to say.
 *
 * @param products the best products of answers
 * @param taxonomy the taxonomy rows above them; of too few they are judged like products
 */
export function fitCalibration(
  products: readonly LabelledSignals[],
  taxonomy: readonly LabelledSignals[],
): Calibration | null {
  const confidence = fitLogistic(products);
  const above = fitLogistic(taxonomy);
  return confidence && { confidence, ...(above ? { taxonomy: above } : {}), floor: FLOOR };
}

/**
 * The probability of being right, from answers of which it is known: logistic regression with a ridge, by Newton's method
 * over standardised signals. Null when there are too few right or too few wrong ones to say.
 */
export function fitLogistic(answers: readonly LabelledSignals[]): LogisticCalibration | null {
  const right = answers.filter((answer) => answer.right).length;
  if (Math.min(right, answers.length - right) < LEAST) return null;
  const plain = answers.map(({ signals }) => SIGNALS.map((name) => signals[name]));
  const scales = SIGNALS.map((_, column) => scaleOf(plain.map((row) => row[column] ?? 0)));
  const rows = plain.map((row) => [1, ...row.map((value, column) => standardised(value, scales[column]))]);
  const weights = newton(
    rows,
    answers.map((answer) => Number(answer.right)),
  );
  const [bias = 0, ...slopes] = weights;
  const offset = slopes.reduce((sum, slope, column) => {
    const { mean, deviation } = scales[column] ?? NO_SCALE;
    return sum + (slope * mean) / deviation;
  }, 0);
  const entries = SIGNALS.map((name, column) => [
    name,
    rounded((slopes[column] ?? 0) / (scales[column] ?? NO_SCALE).deviation),
  ]);
  return { kind: 'logistic', bias: rounded(bias - offset), weights: Object.fromEntries(entries) };
}

interface Scale {
  readonly mean: number;
  readonly deviation: number;
}

const NO_SCALE: Scale = { mean: 0, deviation: 1 };

function scaleOf(values: readonly number[]): Scale {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length;
  // A signal that never changes says nothing.
  return { mean, deviation: variance < 1e-12 ? 1 : Math.sqrt(variance) };
}

const standardised = (value: number, { mean, deviation }: Scale = NO_SCALE): number =>
  (value - mean) / deviation;

const rounded = (value: number): number => Math.round(value * 10_000) / 10_000;

/** Weights of least loss; the first column of the rows is 1 and its weight is free. */
function newton(rows: readonly (readonly number[])[], labels: readonly number[]): number[] {
  const size = rows[0]?.length ?? 0;
  const penalty = RIDGE * rows.length;
  let weights: number[] = Array(size).fill(0);
  for (let step = 0; step < STEPS; step += 1) {
    const gradient = weights.map((weight, column) => (column === 0 ? 0 : penalty * weight));
    const hessian = weights.map((_, column) =>
      weights.map((__, other) => (column === other ? (column === 0 ? 1e-9 : penalty) : 0)),
    );
    for (const [index, row] of rows.entries()) addTo(gradient, hessian, row, labels[index] ?? 0, weights);
    const change = solved(hessian, gradient);
    weights = weights.map((weight, column) => weight - (change[column] ?? 0));
    if (change.every((value) => Math.abs(value) < CONVERGED)) break;
  }
  return weights;
}

function addTo(
  gradient: number[],
  hessian: number[][],
  row: readonly number[],
  label: number,
  weights: readonly number[],
): void {
  const logit = row.reduce((sum, value, column) => sum + value * (weights[column] ?? 0), 0);
  const probability = 1 / (1 + Math.exp(-logit));
  const certainty = probability * (1 - probability);
  for (const [column, value] of row.entries()) {
    gradient[column] = (gradient[column] ?? 0) + (probability - label) * value;
    const line = hessian[column] ?? [];
    for (const [other, also] of row.entries()) line[other] = (line[other] ?? 0) + certainty * value * also;
  }
}

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
