import { calibrationOf } from '../vision/confidence';
import type { Calibration, EmbeddingVersion } from '../vision/embedding-model';
import { MATCHES_MAX } from '../vision/matches';
import type { VersionAnswer } from './ask-version';
import type { AnnFigures, RecallFigures, VersionFigures } from './evaluation';
import { calibrationFiguresOf, rejectionFiguresOf, shareOf } from './figures';
import { isUnknown, type JudgedSighting, judged } from './fit-calibration';

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
