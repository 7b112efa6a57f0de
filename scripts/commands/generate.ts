import { resolve } from 'node:path';
import type { Command } from 'commander';
import { withProgress } from '../composition/terminal-progress';
import { generateBundle } from '../lab/generator/generate-bundle';
import { printAnswer } from './output';
import { wholeNumber } from './whole-number';

interface GenerateOptions {
  readonly products: number;
  readonly seed: number;
  readonly out: string;
  readonly images?: true | number;
  readonly json?: boolean;
}

/** `loupe catalog generate`: a bundle of things that do not exist, to try the service with. */
export function registerGenerate(catalog: Command): void {
  catalog
    .command('generate')
    .description('make a synthetic bundle of fictional maisons, the same for the same seed')
    .requiredOption('--products <products>', 'how many products', wholeNumber)
    .requiredOption('--seed <seed>', 'any whole number', wholeNumber)
    .requiredOption('--out <folder>', 'where to write it')
    .option('--images [views]', 'draw pictures of each product: one, or as many views', wholeNumber)
    .option('--json', 'print JSON')
    .action(async (options: GenerateOptions) => {
      const summary = await withProgress(process.stderr, async (progress) => {
        progress.begin('products', options.products);
        const generated = await generateBundle({
          products: options.products,
          seed: options.seed,
          out: resolve(options.out),
          images: options.images ?? 0,
          onProgress: (done) => progress.reach(done),
        });
        progress.end();
        return generated;
      });
      printAnswer(options.json, { out: resolve(options.out), ...summary }, () =>
        Object.entries(summary)
          .map(([what, count]) => `${count} ${what}`)
          .join(', '),
      );
    });
}
