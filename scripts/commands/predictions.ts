import { type Command, Option } from '@commander-js/extra-typings';
import { counted, notFound } from '../../models/errors';
import { RELIABILITY_BY, type Reliability } from '../../models/feedback/feedback-service';
import type { Prediction } from '../../models/ports';
import { withStores } from '../composition/services';
import { asTable, FROM_TIME, percent, printAnswer, subcommand, timeOf } from './terminal';

/** `loupe predictions …`: answers to photos, why, and whether they were right (contract 7.11). */
export function register(predictions: Command): void {
  const shown = 'model version, neighbours, distances, times and rows of one identification';
  subcommand(predictions, 'show <predictionId>', shown).action(async (id, { json }) => {
    const prediction = await withStores((services) => services.predictions.find(id));
    if (!prediction) {
      throw notFound(`There is no prediction "${id}"; it may be older than PREDICTION_DAYS, or deleted.`);
    }
    printAnswer(json, prediction, () => describe(prediction));
  });
  const told =
    'how sure answers were, and how many were right, by the feedback of their callers (contract 7.18)';
  subcommand(predictions, 'reliability', told)
    .addOption(
      new Option('--by <what>', 'how answers are grouped (default: each way)').choices(RELIABILITY_BY),
    )
    .option('--model <model>', 'answers of this model only, id or id@version')
    .option('--since <time>', `answers ${FROM_TIME}`, timeOf)
    .action(async ({ by, since = null, model = null, json }) => {
      const wanted = by === undefined ? RELIABILITY_BY : [by];
      const groups = await withStores(({ feedback }) => feedback.reliability(wanted, since, model));
      printAnswer(json, { model, since, groups }, () =>
        groups.length === 0
          ? 'no answer has feedback'
          : wanted.map((each) => describeGroups(groups.filter((group) => group.by === each))).join('\n'),
      );
    });
  subcommand(predictions, 'delete', 'delete the records of the photos of an account, at once')
    .requiredOption('--account <account>', 'id of the account')
    .action(async ({ account, json }) => {
      const deleted = await withStores(({ accounts }) => accounts.deletePredictions(account));
      printAnswer(json, { account, deleted }, () => `${counted(deleted, 'prediction')} deleted`);
    });
}

function describeGroups(groups: readonly Reliability[]): string {
  const by = groups[0]?.by ?? '';
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
    calibration.bins.map((bin) => [of, bin.count, percent(bin.confidence), percent(bin.right / bin.count)]),
  );
  return [
    asTable([by, 'answers', 'claimed', 'right (95 %)', 'calibration error', 'empty and right'], summary),
    asTable([by, 'answers', 'claimed', 'right'], bins),
  ].join('\n');
}

function describe(prediction: Prediction): string {
  const times = Object.entries(prediction.timings).map(([stage, ms]) => `${stage} ${Math.round(Number(ms))}`);
  const rows = prediction.rows.map((row) => [row.id, row.confidence.toFixed(3)]);
  const near = prediction.neighbours.slice(0, 20).map((each) => [each.imageId, each.distance.toFixed(4)]);
  return [
    `${prediction.id}  ${prediction.createdAt.toISOString()}  ${prediction.endpoint}`,
    `request ${prediction.requestId}, account ${prediction.accountId}`,
    `model ${prediction.model}, embedding version ${prediction.versionId}, photos sha256 ${prediction.imageDigests.join(' ')}`,
    times.join(', '),
    asTable(['row', 'confidence'], rows),
    asTable(['image', 'distance'], near),
  ].join('\n');
}
