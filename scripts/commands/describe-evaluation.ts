import type { Evaluation, RecallFigures, Share, VersionFigures } from '../../models/indexing/evaluation';
import type { Recalibration } from '../../models/indexing/recalibration-service';
import { asTable } from './output';

/** An evaluation as tables. */
export function describeEvaluation(evaluation: Evaluation): string {
  const { candidate, live } = evaluation;
  const versions = live ? [candidate, live] : [candidate];
  return [
    `${evaluation.source}, ${evaluation.images} images embedded`,
    recallTable(versions),
    ...comparisonLines(evaluation),
    confidenceTable(versions),
    ...binsTable(candidate),
    ...annLines(versions),
  ].join('\n');
}

/** A recalibration as a table. */
export function describeRecalibration(recalibration: Recalibration): string {
  const { model, version, fittedOn, judgedOn, before, after, overruled } = recalibration;
  const figure = (value: number | undefined) => value?.toFixed(3) ?? null;
  return [
    ...overruled.map((fault) => `overruled: ${fault}`),
    asTable(
      ['fitted on', 'judged on', 'ECE before', 'after', 'Brier before', 'after'],
      [
        [
          fittedOn,
          judgedOn,
          figure(before.ece),
          figure(after?.ece),
          figure(before.brier),
          figure(after?.brier),
        ],
      ],
    ),
    `${model} (version ${version}) answers with it from now on; loupe embeddings rollback undoes it`,
  ].join('\n');
}

function recallTable(versions: readonly VersionFigures[]): string {
  const names = [...new Set(versions.flatMap(({ recall }) => recall.map(({ queries }) => queries)))];
  const of = ({ recall }: VersionFigures, name: string): RecallFigures | undefined =>
    recall.find(({ queries }) => queries === name);
  return asTable(
    ['queries', ...versions.flatMap(({ model }) => [`${model} @1`, '@5'])],
    names.map((name) => [
      name,
      ...versions.flatMap((version) => {
        const figures = of(version, name);
        return figures ? [shareText(figures.first), shareText(figures.firstFive)] : ['', ''];
      }),
    ]),
  );
}

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;

const points = (share: number): string => `${share < 0 ? '' : '+'}${(100 * share).toFixed(1)}`;

const shareText = ({ right, of, low, high }: Share): string =>
  `${percent(of === 0 ? 0 : right / of)} (${percent(low)} to ${percent(high)}, of ${of})`;

function comparisonLines({ comparison, live }: Evaluation): string[] {
  if (!comparison || !live) return ['it is the live version: nothing to compare it with'];
  const { wins, losses, agreement, difference } = comparison;
  return [
    `against ${live.model}: ${wins} queries won, ${losses} lost, the same first item in ${percent(agreement)}`,
    `recall@1 less that of the live version: ${points(difference.mean)} points (${points(difference.low)} to ${points(difference.high)})`,
  ];
}

function confidenceTable(versions: readonly VersionFigures[]): string {
  return asTable(
    [
      'version',
      'ECE',
      'of all rows',
      'Brier',
      'AUROC unknown',
      'unknown accepted at 95 %',
      'embed p50 ms',
      'p95 ms',
    ],
    versions.map(({ model, calibration, rejection, embedMs }) => [
      model,
      calibration ? calibration.ece.toFixed(3) : 'not calibrated',
      calibration ? calibration.rowsEce.toFixed(3) : '-',
      calibration ? calibration.brier.toFixed(3) : '-',
      rejection.auroc.toFixed(3),
      percent(rejection.falseAcceptsAt95),
      embedMs.p50.toFixed(1),
      embedMs.p95.toFixed(1),
    ]),
  );
}

function binsTable({ calibration, model }: VersionFigures): string[] {
  if (!calibration) return [];
  return [
    `confidence of ${model}`,
    asTable(
      ['from', 'to', 'answers', 'claimed', 'right'],
      calibration.bins.map(({ from, to, count, confidence, right }) => [
        from.toFixed(1),
        to.toFixed(1),
        count,
        percent(confidence),
        percent(right / count),
      ]),
    ),
  ];
}

function annLines(versions: readonly VersionFigures[]): string[] {
  return versions.map(({ model, ann }) =>
    ann.length === 0
      ? `${model} is searched exactly: it has no approximate index`
      : `${model}, recall@10 of the index against an exact search:\n${asTable(
          ['filter', 'passes', 'recall'],
          ann.map(({ filter, selectivity, recall }) => [filter, percent(selectivity), percent(recall)]),
        )}`,
  );
}
