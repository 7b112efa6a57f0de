import type { Command } from 'commander';
import { readConfig } from '../../../config';
import { benchEngines } from '../engines';
import { benchIdentify } from '../identify';
import { benchIntake } from '../intake';
import { benchVectors, PARTS } from '../vectors/bench-vectors';
import { benchSeveral } from '../vision/bench-several';
import { benchVision } from '../vision/bench-vision';
import { report } from './report';

interface VisionCommandOptions {
  readonly several?: boolean;
  readonly photos: string;
  readonly queries?: string;
  readonly split?: string;
  readonly pairs?: string;
  readonly model?: string;
  readonly databaseUrl?: string;
  readonly sample: string;
}

interface VectorsCommandOptions {
  readonly sizes: string;
  readonly queries: string;
  readonly indexMemory: string;
  readonly databaseUrl?: string;
  readonly parts: string;
}

/** What photos cost, and how well they are answered. */
export function registerVisionBenches(program: Command): void {
  program
    .command('identify')
    .description('identify over HTTP, both modes, concurrency 1 and 16, beside the inference pool alone')
    .option('--calls <calls>', 'calls at concurrency 1; four times as many at 16', '120')
    .option('--products <products>', 'size of the generated catalog', '300')
    .option('--models <references...>', 'one after the other', ['loupe-eye@1.0.0', 'loupe-eye@0.4.1'])
    .action(async (options: { calls: string; products: string; models: string[] }) => {
      const { calls, products, models } = options;
      await report(
        'identify',
        await benchIdentify({ calls: Number(calls), products: Number(products), models }),
      );
    });
  program
    .command('engines')
    .description(
      'the bundled models on each backend that starts here, one thread, beside what the processor can do',
    )
    .option('--models <references...>', 'one after the other', ['loupe-eye@1.0.0', 'loupe-eye@0.4.1'])
    .option('--rounds <rounds>', 'inferences of each sort, in turns', '30')
    .action(async (options: { models: string[]; rounds: string }) =>
      report('engines', await benchEngines(options.models, Number(options.rounds))),
    );
  program
    .command('intake')
    .description("a photo decoded, shrunk and encoded, beside sharp's own on the same photo")
    .option('--calls <calls>', 'photos of each row of the table', '80')
    .action(async ({ calls }: { calls: string }) =>
      report('intake', await benchIntake({ calls: Number(calls) })),
    );
  program
    .command('vision')
    .description(
      'recall, calibration and rejection of unknown items on real photos over HTTP, beside simple baselines',
    )
    .option('--several', 'calls with one to three photos of a piece instead')
    .requiredOption('--photos <folder>', 'items.json and images/ of a set of photos')
    .option(
      '--queries <folder>',
      'queries.json and its photos; without it the photos of the set are distorted',
    )
    .option('--split <name>', 'only the photos of this split')
    .option('--pairs <folder>', 'further things with other photos of each (pairs.json), in the same catalog')
    .option('--model <name>', 'an installed model instead of the bundled one')
    .option('--sample <n>', 'every n-th query of levels 1 to 3', '1')
    .option('--database-url <url>', 'an empty database instead of the embedded one')
    .action(async (options: VisionCommandOptions) => {
      const [name, bench] = options.several
        ? (['several', benchSeveral] as const)
        : (['vision', benchVision] as const);
      await report(
        name,
        await bench({
          photos: options.photos,
          queries: options.queries ?? null,
          split: options.split ?? null,
          pairs: options.pairs ?? null,
          model: options.model ?? null,
          databaseUrl: options.databaseUrl ?? null,
          dataDir: readConfig().DATA_DIR,
          sample: Number(options.sample),
        }),
      );
    });
  program
    .command('vectors')
    .description(
      "nearest neighbours among vectors like the bundled model's: HNSW, the exact scan, HNSW in the process",
    )
    .option('--sizes <sizes>', 'numbers of vectors', '200000,1000000')
    .option('--queries <queries>', 'searches of each sort', '1000')
    .option('--index-memory <MiB>', 'memory of the server for building the index', '2048')
    .option(
      '--database-url <url>',
      'an empty database for one size, which keeps vectors and index for the next run',
    )
    .option('--parts <parts>', 'which of load, search and peer', PARTS.join())
    .action(async (options: VectorsCommandOptions) =>
      report(
        'vectors',
        await benchVectors({
          sizes: options.sizes.split(',').map(Number),
          queries: Number(options.queries),
          indexMemoryMib: Number(options.indexMemory),
          databaseUrl: options.databaseUrl,
          parts: PARTS.filter((part) => options.parts.split(',').includes(part)),
        }),
      ),
    );
}
