import type { Command } from '@commander-js/extra-typings';
import { withProgress } from '../composition/terminal-progress';
import { generateBundle } from '../lab/generator/generate-bundle';
import { pathOf, printAnswer, subcommand, wholeNumber } from './terminal';

export function register(catalog: Command): void {
  subcommand(catalog, 'generate', 'make a synthetic bundle of fictional maisons, the same for the same seed')
    .requiredOption('--products <products>', 'number of products', wholeNumber)
    .requiredOption('--seed <seed>', 'any whole number', wholeNumber)
    .requiredOption('--out <folder>', 'where to write it', pathOf)
    .option('--images [views]', 'draw pictures of each product: one, or as many views', wholeNumber)
    .action(async ({ products, seed, images = 0, json, out }) => {
      const summary = await withProgress(process.stderr, async (progress) => {
        progress.begin('products', products);
        const onProgress = (done: number) => progress.reach(done);
        const generated = await generateBundle({ products, seed, out, images, onProgress });
        progress.end();
        return generated;
      });
      printAnswer(json, { out, ...summary }, () =>
        Object.entries(summary)
          .map(([what, count]) => `${count} ${what}`)
          .join(', '),
      );
    });
}
