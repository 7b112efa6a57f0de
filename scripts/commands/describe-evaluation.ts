import type { Evaluation, Share, VersionFigures } from '../../models/indexing/figures';
import type { Recalibration } from '../../models/indexing/recalibration-service';
import { asTable, percent } from './terminal';

export function describeEvaluation(evaluation: Evaluation): string {
  const { candidate, live, comparison } = evaluation;
  const versions: [VersionFigures, ...VersionFigures[]] = live ? [candidate, live] : [candidate];
  return [
    `${evaluation.source}, ${evaluation.images} images embedded`,
    recallTable(versions),
    ...(comparison && live
      ? [
          `against ${live.model}: ${comparison.wins} queries won, ${comparison.losses} lost, the same first item in ${percent(comparison.agreement)}`,
          `recall@1 less that of the live version: ${differenceText(comparison.difference)}`,
        ]
      : ['it is the live version: nothing to compare it with']),
    asTable(
      Object.keys(CONFIDENCE),
      versions.map((version) => Object.values(CONFIDENCE).map((cell) => cell(version))),
    ),
    ...binsTable(candidate),
    ...versions.map(annText),
  ].join('\n');
}

export function describeRecalibration(recalibration: Recalibration): string {
  const { model, version, fittedOn, judgedOn, before, after, overruled } = recalibration;
  const figures = [before.ece, after?.ece, before.brier, after?.brier];
  return [
    ...overruled.map((fault) => `overruled: ${fault}`),
    asTable(
      ['fitted on', 'judged on', 'ECE before', 'after', 'Brier before', 'after'],
      [[fittedOn, judgedOn, ...figures.map((value) => value?.toFixed(3) ?? null)]],
    ),
    `${model} (version ${version}) answers with it from now on; loupe embeddings rollback undoes it`,
  ].join('\n');
}

/** All versions were asked the same queries. */
const recallTable = (versions: readonly [VersionFigures, ...VersionFigures[]]): string =>
  asTable(
    ['queries', ...versions.flatMap(({ model }) => [`${model} @1`, '@5'])],
    versions[0].recall.map(({ queries }, at) => [
      queries,
      ...versions.flatMap(({ recall }) =>
        [recall[at]?.first, recall[at]?.firstFive].map((share) => (share ? shareText(share) : '')),
      ),
    ]),
  );

const shareText = ({ right, of, low, high }: Share): string =>
  `${percent(of === 0 ? 0 : right / of)} (${percent(low)} to ${percent(high)}, of ${of})`;

function differenceText(difference: Readonly<Record<'mean' | 'low' | 'high', number>>): string {
  const points = (share: number) => `${share < 0 ? '' : '+'}${(100 * share).toFixed(1)}`;
  return `${points(difference.mean)} points (${points(difference.low)} to ${points(difference.high)})`;
}

const CONFIDENCE: Readonly<Record<string, (version: VersionFigures) => string>> = {
  version: ({ model }) => model,
  ECE: ({ calibration }) => calibration?.ece.toFixed(3) ?? 'not calibrated',
  Brier: ({ calibration }) => calibration?.brier.toFixed(3) ?? '-',
  'unknown accepted at 95 %': ({ falseAcceptsAt95 }) => percent(falseAcceptsAt95),
  'embed p50 ms': ({ embedMs }) => embedMs.p50.toFixed(1),
  'p95 ms': ({ embedMs }) => embedMs.p95.toFixed(1),
};

function binsTable({ calibration, model }: VersionFigures): string[] {
  if (!calibration) return [];
  const rows = calibration.bins.map(({ from, to, count, confidence, right }) => [
    ...[from.toFixed(1), to.toFixed(1), count],
    ...[percent(confidence), percent(right / count)],
  ]);
  return [`confidence of ${model}`, asTable(['from', 'to', 'answers', 'claimed', 'right'], rows)];
}

function annText({ model, ann }: VersionFigures): string {
  if (ann.length === 0) return `${model} is searched exactly: it has no approximate index`;
  const rows = ann.map(({ filter, selectivity, recall }) => [filter, percent(selectivity), percent(recall)]);
  return [
    `${model}, recall@10 of the index against an exact search:`,
    asTable(['filter', 'passes', 'recall'], rows),
  ].join('\n');
}
