import type { Command } from 'commander';
import { notFound } from '../../models/errors';
import type { Prediction } from '../../models/ports';
import { withStores } from '../composition/services';
import { asTable, printAnswer } from './output';

/** `loupe predictions show | delete`: what was answered to a photo and why (contract 7.11). */
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
    .command('delete')
    .description('delete what is recorded of the photos of an account, at once')
    .requiredOption('--account <account>', 'id of the account')
    .option('--json', 'print JSON')
    .action(async ({ account: accountId, json }: { account: string; json?: boolean }) => {
      const deleted = await withStores(({ accounts }) => accounts.deletePredictions(accountId));
      printAnswer(json, { account: accountId, deleted }, () => `${deleted} predictions are deleted`);
    });
}

function describe(prediction: Prediction): string {
  const times = Object.entries(prediction.timings).map(([stage, ms]) => `${stage} ${Math.round(Number(ms))}`);
  return [
    `${prediction.id}  ${prediction.createdAt.toISOString()}  ${prediction.endpoint}`,
    `request ${prediction.requestId}, account ${prediction.accountId}`,
    `model ${prediction.model}, embedding version ${prediction.versionId}, photo sha256 ${prediction.imageDigest}`,
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
