import type { Command } from 'commander';
import { modelReference } from '../../models/vision/embedding-model';
import { readConfig } from '../config';
import { installedModels } from '../model-library';
import { asTable, printAnswer } from './output';

/** `loupe models list`: the embedding models that can be used here. */
export function registerModels(program: Command): void {
  const models = program.command('models').description('embedding models');
  models
    .command('list')
    .description('the bundled model and those that were added')
    .option('--json', 'print JSON')
    .action(async (options: { json?: boolean }) => {
      const found = await installedModels(readConfig().DATA_DIR);
      const listed = found.map(({ manifest, bundled }) => ({
        model: modelReference(manifest),
        format: manifest.format,
        dimensions: manifest.output.dimensions,
        licence: manifest.licence,
        bundled,
      }));
      printAnswer(options.json, listed, () =>
        asTable(
          ['model', 'format', 'dimensions', 'licence', 'bundled'],
          listed.map((each) => [
            each.model,
            each.format,
            each.dimensions,
            each.licence,
            each.bundled ? 'yes' : 'no',
          ]),
        ),
      );
    });
}
