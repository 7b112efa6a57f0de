import { type Command, Option } from 'commander';
import { notFound } from '../../models/errors';
import { RELIABILITY_BY, type Reliability, type ReliabilityBy } from '../../models/feedback/feedback-service';
import type { Prediction } from '../../models/ports';
import { withStores } from '../composition/services';
import { asTable, printAnswer } from './output';
import { timeOf } from './time-of';

/** `loupe predictions show | reliability | delete`: what was answered to photos, why, and whether it was right (contract 7.11). */
export function registerPredictions(predictions: Command): void {
  predictions
    .command('show <predictionId>')
    .description('model version, neighbours, distances, times and rows of one identification')
    .option('--json', 'print JSON')
    .action(async (id: string, options: { json?: boolean }) => {
      const prediction = await withStores((services) => services.predictions.find(id));
      if (!prediction) {
        throw notFound(`There is no prediction "${id}"; it may be older than PREDICTION_DAYS, or deleted.`);
      }
      printAnswer(options.json, prediction, () => describe(prediction));
    });
  predictions
    .command('reliability')
    .description(
      'how sure answers were, and how many were right, by the feedback of their callers (contract 7.18)',
    )
    .addOption(
      new Option('--by <what>', 'what answers are told apart by (default: each)').choices(RELIABILITY_BY),
    )
    .option('--model <model>', 'answers of this model only, id or id@version')
    .option(
      '--since <time>',
      'answers from this day or time on (ISO 8601, UTC unless it says otherwise)',
      timeOf,
    )
    .option('--json', 'print JSON')
    .action(async ({ by, json, since = null, model = null }: ReliabilityOptions) => {
      const told = by === undefined ? RELIABILITY_BY : [by];
      const groups = await withStores(({ feedback }) => feedback.reliability(told, since, model));
      printAnswer(json, { model, since, groups }, () => describeReliability(told, groups));
    });
  predictions
    .command('delete')
    .description('delete what is recorded of the photos of an account, at once')
    .requiredOption('--account <account>', 'id of the account')
    .option('--json', 'print JSON')
    .action(async ({ account: accountId, json }: { account: string; json?: boolean }) => {
      const deleted = await withStores(({ accounts }) => accounts.deletePredictions(accountId));
      printAnswer(json, { account: accountId, deleted }, () => `${deleted} predictions are deleted`);
    });
}

interface ReliabilityOptions {
  readonly by?: ReliabilityBy;
  readonly model?: string | null;
  readonly since?: Date | null;
  readonly json?: boolean;
}

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;

const describeReliability = (told: readonly ReliabilityBy[], groups: readonly Reliability[]): string =>
  groups.length === 0
    ? 'no answer has feedback'
    : told
        .map((by) =>
          describeGroups(
            by,
            groups.filter((group) => group.by === by),
          ),
        )
        .join('\n');

function describeGroups(by: ReliabilityBy, groups: readonly Reliability[]): string {
  const summary = groups.map(({ of, right, claimed, calibration, empty }) => [
    of,
    right.of,
    claimed === null ? null : percent(claimed),
    right.of === 0
      ? null
      : `${percent(right.right / right.of)} (${percent(right.low)} to ${percent(right.high)})`,
    right.of === 0 ? null : calibration.ece.toFixed(3),
    empty.of === 0 ? null : `${empty.right} of ${empty.of}`,
  ]);
  const bins = groups.flatMap(({ of, calibration }) =>
    calibration.bins.map(({ count, confidence, right }) => [
      of,
      count,
      percent(confidence),
      percent(right / count),
    ]),
  );
  return [
    asTable([by, 'answers', 'claimed', 'right (95 %)', 'calibration error', 'empty and right'], summary),
    asTable([by, 'answers', 'claimed', 'right'], bins),
  ].join('\n');
}

function describe(prediction: Prediction): string {
  const times = Object.entries(prediction.timings).map(([stage, ms]) => `${stage} ${Math.round(Number(ms))}`);
  return [
    `${prediction.id}  ${prediction.createdAt.toISOString()}  ${prediction.endpoint}`,
    `request ${prediction.requestId}, account ${prediction.accountId}`,
    `model ${prediction.model}, embedding version ${prediction.versionId}, photos sha256 ${prediction.imageDigests.join(' ')}`,
    times.join(', '),
    asTable(
      ['row', 'confidence'],
      prediction.rows.map((row) => [row.id, row.confidence.toFixed(3)]),
    ),
    asTable(
      ['image', 'distance'],
      prediction.neighbours.slice(0, 20).map((each) => [each.imageId, each.distance.toFixed(4)]),
    ),
  ].join('\n');
}
