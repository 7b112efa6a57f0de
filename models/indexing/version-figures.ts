import { confidenceOf, UNCALIBRATED } from '../vision/confidence';
import type { Calibration, EmbeddingVersion } from '../vision/embedding-model';
import { isRight, type VersionAnswer } from './ask-version';
import type { AnnFigures, RecallFigures, VersionFigures } from './evaluation';
import { calibrationFiguresOf, rejectionFiguresOf, shareOf } from './figures';

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
  const confidence = (answer: VersionAnswer): number =>
    answer.signals ? confidenceOf((calibration ?? UNCALIBRATED).confidence, answer.signals) : 0;
  const judged = unseen.map((answer) => ({ confidence: confidence(answer), right: isRight(answer) }));
  return {
    model: version.model,
    versionId: version.id,
    recall: recallFigures(answers.filter(({ isUnknown }) => !isUnknown)),
    calibration: calibration ? calibrationFiguresOf(judged) : null,
    rejection: rejectionFiguresOf(
      unseen.filter(isRight).map(confidence),
      unseen.filter(({ isUnknown }) => isUnknown).map(confidence),
    ),
    embedMs: { p50: percentileOf(embedMs, 0.5), p95: percentileOf(embedMs, 0.95) },
    ann,
  };
}

function recallFigures(answers: readonly VersionAnswer[]): RecallFigures[] {
  const names = [...new Set(answers.map(({ query }) => query.name))].sort();
  return names.map((queries) => {
    const places = answers.filter(({ query }) => query.name === queries).map(({ place }) => place);
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
