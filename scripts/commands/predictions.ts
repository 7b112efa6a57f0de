import type { Command } from 'commander';
import { AppError } from '../../models/errors';
import { PORTS, type Prediction, type PredictionRepository } from '../../models/ports';
import { withStore } from '../container';
import { asTable, printAnswer } from './output';

/** `loupe predictions show`: what was answered to a photo and why (decisions.md 8). */
export function registerPredictions(predictions: Command): void {
  predictions
    .command('show <predictionId>')
    .description('model version, neighbours, distances, times and rows of one identification')
    .option('--json', 'print JSON')
    .action(async (id: string, options: { json?: boolean }) => {
      const prediction = await withStore((container) =>
        container.resolve<PredictionRepository>(PORTS.PredictionRepository).find(id),
      );
      if (!prediction) throw new AppError(404, 'not_found', `There is no prediction "${id}".`);
      printAnswer(options.json, prediction, () => describe(prediction));
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
