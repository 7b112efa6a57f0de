import type { CalibrationFigures, RejectionFigures, ReliabilityBin, Share } from './evaluation';

/** An answer with its confidence, 0 to 1, and whether it was right. */
export interface JudgedAnswer {
  readonly confidence: number;
  readonly right: boolean;
}

/** Of the normal distribution, for 95 of 100 cases. */
const DEVIATIONS_95 = 1.959964;
const BINS = 10;
const KEPT_SHARE = 0.95;

/** A share with its 95 % limits by Wilson (1927); nothing of nothing is anywhere between 0 and 1. */
export function shareOf(right: number, of: number): Share {
  if (of === 0) return { right, of, low: 0, high: 1 };
  const share = right / of;
  const square = DEVIATIONS_95 ** 2;
  const middle = (share + square / (2 * of)) / (1 + square / of);
  const reach =
    (DEVIATIONS_95 * Math.sqrt((share * (1 - share)) / of + square / (4 * of * of))) / (1 + square / of);
  return { right, of, low: Math.max(0, middle - reach), high: Math.min(1, middle + reach) };
}

/** How far confidence can be believed: ten bins of equal width (Guo et al., 2017), empty ones left out. */
export function calibrationFiguresOf(answers: readonly JudgedAnswer[]): CalibrationFigures {
  const bins = Array.from({ length: BINS }, (_, bin) => binOf(answers, bin)).filter(({ count }) => count > 0);
  const total = Math.max(1, answers.length);
  const sum = (values: readonly number[]) => values.reduce((all, each) => all + each, 0);
  return {
    ece: sum(bins.map((bin) => (bin.count / total) * Math.abs(bin.confidence - bin.right / bin.count))),
    brier: sum(answers.map(({ confidence, right }) => (confidence - Number(right)) ** 2)) / total,
    bins,
  };
}

/** How well right answers are told from answers about items that the catalog does not have, by their confidence. */
export function rejectionFiguresOf(
  rightConfidences: readonly number[],
  unknownConfidences: readonly number[],
): RejectionFigures {
  const kept = [...rightConfidences].sort((left, right) => right - left);
  const threshold = kept[Math.ceil(KEPT_SHARE * kept.length) - 1] ?? 0;
  return {
    auroc: areaUnderCurve(rightConfidences, unknownConfidences),
    falseAcceptsAt95:
      unknownConfidences.filter((confidence) => confidence >= threshold).length /
      Math.max(1, unknownConfidences.length),
  };
}

/** Probability that one of the first is greater than one of the second; ties count half (Mann and Whitney, 1947). */
function areaUnderCurve(first: readonly number[], second: readonly number[]): number {
  const all = [
    ...first.map((value) => ({ value, isFirst: true })),
    ...second.map((value) => ({ value, isFirst: false })),
  ].sort((left, right) => left.value - right.value);
  let below = 0;
  let wins = 0;
  for (let from = 0; from < all.length; ) {
    let to = from;
    while (to < all.length && all[to]?.value === all[from]?.value) to += 1;
    const tied = all.slice(from, to);
    const firsts = tied.filter(({ isFirst }) => isFirst).length;
    const seconds = tied.length - firsts;
    wins += firsts * (below + seconds / 2);
    below += seconds;
    from = to;
  }
  return wins / Math.max(1, first.length * second.length);
}

function binOf(answers: readonly JudgedAnswer[], bin: number): ReliabilityBin {
  const within = answers.filter(
    ({ confidence }) => Math.min(BINS - 1, Math.floor(confidence * BINS)) === bin,
  );
  const claimed = within.reduce((sum, { confidence }) => sum + confidence, 0);
  return {
    from: bin / BINS,
    to: (bin + 1) / BINS,
    count: within.length,
    confidence: within.length === 0 ? 0 : claimed / within.length,
    right: within.filter(({ right }) => right).length,
  };
}
