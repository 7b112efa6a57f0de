import { calibrationOf } from '../vision/confidence';
import type { Calibration, EmbeddingVersion } from '../vision/embedding-model';
import { MATCHES_MAX } from '../vision/matches';
import type {
  AnnFigures,
  CalibrationFigures,
  RecallFigures,
  RejectionFigures,
  ReliabilityBin,
  Share,
  VersionFigures,
} from './evaluation';
import { isUnknown, type JudgedSighting, judged } from './fit-calibration';
import type { VersionAnswer } from './query-maker';

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

/** What is known of one version before it is put into figures. */
export interface MeasuredVersion {
  readonly version: EmbeddingVersion;
  readonly answers: readonly VersionAnswer[];
  /** The answers that no calibration was fitted on. */
  readonly unseen: readonly VersionAnswer[];
  /** Null while there is none. */
  readonly calibration: Calibration | null;
  readonly embedMs: readonly number[];
  readonly ann: readonly AnnFigures[];
}

const FIRST_FIVE = 5;

/** The figures of a version; its confidence is judged on answers that nothing was fitted on. */
export function versionFigures(measured: MeasuredVersion): VersionFigures {
  const { version, answers, unseen, calibration, embedMs, ann } = measured;
  const model = calibrationOf({ calibration }).confidence;
  const unknown = unseen.filter(isUnknown).map((answer) => judged(answer, model));
  const known = unseen.filter((answer) => !isUnknown(answer)).map((answer) => judged(answer, model));
  const all = [...known, ...unknown];
  const first = ({ products: [best] }: JudgedSighting): number => best?.confidence ?? 0;
  return {
    model: version.model,
    versionId: version.id,
    recall: recallFigures(
      answers
        .filter((answer) => !isUnknown(answer))
        .map((answer) => ({ name: answer.query.name, place: judged(answer, model).place })),
    ),
    calibration: calibration && {
      ...calibrationFiguresOf(all.map(({ products: [best] }) => best ?? NOTHING)),
      rowsEce: calibrationFiguresOf(all.flatMap(({ products }) => products.slice(0, MATCHES_MAX))).ece,
    },
    rejection: rejectionFiguresOf(known.filter(({ place }) => place === 1).map(first), unknown.map(first)),
    embedMs: { p50: percentileOf(embedMs, 0.5), p95: percentileOf(embedMs, 0.95) },
    ann,
  };
}

/** An answer without rows. */
const NOTHING = { confidence: 0, right: false };

function recallFigures(answers: readonly { name: string; place: number | null }[]): RecallFigures[] {
  const names = [...new Set(answers.map(({ name }) => name))].sort();
  return names.map((queries) => {
    const places = answers.filter(({ name }) => name === queries).map(({ place }) => place);
    const within = (most: number) => places.filter((place) => place !== null && place <= most).length;
    return {
      queries,
      first: shareOf(within(1), places.length),
      firstFive: shareOf(within(FIRST_FIVE), places.length),
    };
  });
}

/** By the nearest-rank method; 0 of nothing. */
function percentileOf(values: readonly number[], share: number): number {
  const sorted = [...values].sort((left, right) => left - right);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
}
