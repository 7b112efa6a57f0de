/** `right` of `of`, with the 95 % confidence limits of the true share (Wilson, 1927). */
export interface Share {
  readonly right: number;
  readonly of: number;
  readonly low: number;
  readonly high: number;
}

export type RecallFigures = ReturnType<typeof recallFiguresOf>[number];
export type CalibrationFigures = ReturnType<typeof calibrationFiguresOf>;
export type Comparison = NonNullable<ReturnType<typeof comparisonOf>>;

/** Recall@10 of the approximate search against the exact one under a filter, and the share of images that pass it. */
export interface AnnFigures {
  readonly filter: string;
  readonly selectivity: number;
  readonly recall: number;
}

export interface VersionFigures {
  readonly model: string;
  readonly versionId: number;
  readonly recall: readonly RecallFigures[];
  /** Of the first product rows; null while the version has no calibration. */
  readonly calibration: CalibrationFigures | null;
  /** Share of unknown items that are accepted at the threshold that keeps 95 % of the right answers. */
  readonly falseAcceptsAt95: number;
  /** Milliseconds of one photo, alone, in all views: more than it takes one that is certain by the first. */
  readonly embedMs: { readonly p50: number; readonly p95: number };
  readonly ann: readonly AnnFigures[];
}

export interface Evaluation {
  readonly at: string;
  readonly seed: number;
  readonly source: string;
  readonly images: number;
  readonly candidate: VersionFigures;
  /** Null when nothing was live, or the candidate was. */
  readonly live: VersionFigures | null;
  readonly comparison: Comparison | null;
}

/** Quantile of the normal distribution for 95 of 100 cases. */
const DEVIATIONS_95 = 1.959964;
const BINS = 10;
const KEPT_SHARE = 0.95;

/** Zero of zero may be anywhere between 0 and 1. */
export function shareOf(right: number, of: number): Share {
  if (of === 0) return { right, of, low: 0, high: 1 };
  const share = right / of;
  const square = DEVIATIONS_95 ** 2;
  const middle = (share + square / (2 * of)) / (1 + square / of);
  const reach =
    (DEVIATIONS_95 * Math.sqrt((share * (1 - share)) / of + square / (4 * of * of))) / (1 + square / of);
  return { right, of, low: Math.max(0, middle - reach), high: Math.min(1, middle + reach) };
}

const sumOf = <Each>(values: readonly Each[], of: (each: Each) => number): number =>
  values.reduce((sum, each) => sum + of(each), 0);

/** `ece`: expected calibration error (Guo et al., 2017); `brier`: mean squared error; `bins`: of equal width, without empty ones. */
export function calibrationFiguresOf(
  answers: readonly { readonly confidence: number; readonly right: boolean }[],
) {
  const bins = Array.from({ length: BINS }, (_, bin) => {
    const within = answers.filter((each) => Math.min(BINS - 1, Math.floor(each.confidence * BINS)) === bin);
    const { length: count } = within;
    const confidence = sumOf(within, (each) => each.confidence) / Math.max(1, count);
    const right = within.filter((each) => each.right).length;
    return { from: bin / BINS, to: (bin + 1) / BINS, count, confidence, right };
  }).filter(({ count }) => count > 0);
  const total = Math.max(1, answers.length);
  const weighted = bins.map(({ count, confidence, right }) => count * Math.abs(confidence - right / count));
  return {
    ece: sumOf(weighted, (each) => each) / total,
    brier: sumOf(answers, ({ confidence, right }) => (confidence - Number(right)) ** 2) / total,
    bins,
  };
}

/** How many answers about unknown items pass the confidence threshold that 95 % of the right ones pass. */
export function falseAcceptsAt95(right: readonly number[], unknown: readonly number[]): number {
  const kept = right.toSorted((one, other) => other - one);
  const threshold = kept[Math.ceil(KEPT_SHARE * kept.length) - 1] ?? 0;
  return unknown.filter((confidence) => confidence >= threshold).length / Math.max(1, unknown.length);
}

/** By the nearest-rank method; 0 for an empty list. */
export function percentileOf(values: readonly number[], share: number): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
}

/** How often each kind of query found its item first, or in the first five. @param answers `rank` from 1; null: not found */
export function recallFiguresOf(answers: readonly { readonly name: string; readonly rank: number | null }[]) {
  const names = [...new Set(answers.map(({ name }) => name))].sort();
  return names.map((queries) => {
    const ranks = answers.filter(({ name }) => name === queries).map(({ rank }) => rank);
    const within = (most: number) =>
      shareOf(ranks.filter((rank) => rank !== null && rank <= most).length, ranks.length);
    return { queries, first: within(1), firstFive: within(5) };
  });
}

/** The answers of two versions to one query for a known item; `same`: both have the same item first. */
type PairedAnswer = Readonly<{ product: string } & Record<'candidateRight' | 'liveRight' | 'same', boolean>>;

/**
 * The candidate against the live version on the same queries: how many only one of them had first, the share with the same
 * first item, and the difference of recall@1 with its 95 % limits, over items, whose queries belong together.
 */
export function comparisonOf(answers: readonly PairedAnswer[]) {
  if (answers.length === 0) return null;
  const gainOf = ({ candidateRight, liveRight }: PairedAnswer) => Number(candidateRight) - Number(liveRight);
  const mean = sumOf(answers, gainOf) / answers.length;
  const deviations = new Map<string, number>();
  for (const answer of answers)
    deviations.set(answer.product, (deviations.get(answer.product) ?? 0) + gainOf(answer) - mean);
  const variance = sumOf([...deviations.values()], (deviation) => deviation ** 2);
  const reach = (DEVIATIONS_95 * Math.sqrt(variance)) / answers.length;
  return {
    wins: answers.filter((each) => gainOf(each) > 0).length,
    losses: answers.filter((each) => gainOf(each) < 0).length,
    agreement: answers.filter(({ same }) => same).length / answers.length,
    difference: { mean, low: Math.max(-1, mean - reach), high: Math.min(1, mean + reach) },
  };
}
