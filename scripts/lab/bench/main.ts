import 'reflect-metadata';
import { Command } from 'commander';
import { benchCatalog } from './catalog/bench-catalog';
import { benchIdentify } from './identify';
import { benchImport } from './import';
import { MODES, type Mode } from './installation';
import { benchPeers } from './peers/bench-peers';
import { benchCatalogPeers } from './peers/catalog-peers';
import { benchReindex } from './reindex';
import { type Measurement, report } from './table';
import { benchVectors } from './vectors';
import { benchConfidence } from './vision/confidence';
import { benchRecall } from './vision/recall';

const AGAINST = [
  '--against <folder>',
  'a checkout of another version, with its packages, measured by turns',
] as const;
const PRODUCTS = ['--products <n>', 'size of the generated catalog', Number] as const;
const modesCalled = (word: string): Mode[] => MODES.filter((mode) => mode.includes(word));
const numbers = (text: string): number[] => text.split(',').map(Number);

/**
 * Prints what is measured, and writes it as JSON. The first of `variants` whose switch is given measures in place of the command itself,
 * into a file of its own.
 */
const measuring =
  <Options extends object>(
    measure: (options: Options) => Promise<Measurement>,
    variants: Readonly<Record<string, (options: Options) => Promise<Measurement>>> = {},
  ) =>
  async (options: Options & Readonly<Record<string, unknown>>, command: Command): Promise<void> => {
    const [name, variant = measure] = Object.entries(variants).find(([each]) => options[each]) ?? [];
    const embedded = options['embedded'] === true ? ['embedded'] : [];
    await report([command.name(), ...(name ? [name] : []), ...embedded].join('-'), await variant(options));
  };

const program = new Command('bench').description(
  'measurements, by turns with another version or beside a peer',
);
program
  .command('identify')
  .description('identify over HTTP, both modes, 1 and 16 clients')
  .option('--calls <n>', 'calls of one client; four times as many of 16', Number, 120)
  .option(...PRODUCTS, 300)
  .option('--models <references...>', 'one after the other', ['loupe-eye@1.0.0'])
  .option('--vectors <n,n...>', 'sizes of catalogs of drawn vectors, instead of pictures', numbers, [])
  .option('--only <mode>', 'one mode, by a word of its name', modesCalled, [...MODES])
  .option(...AGAINST)
  .action(measuring(benchIdentify));
program
  .command('peers')
  .description('identify beside FastAPI, ONNX Runtime, OpenCV and pgvector with the same network and vectors')
  .option('--catalog', 'catalog queries beside tantivy, SQLite FTS5 and DuckDB instead')
  .option(...PRODUCTS, 300)
  .option('--calls <n>', 'calls of one caller, of each kind of query; of 16 more', Number, 100)
  .option('--turns <n>', 'how often each subject is measured', Number, 5)
  .action(measuring(benchPeers, { catalog: benchCatalogPeers }));
program
  .command('catalog')
  .description('every kind of catalog query over HTTP, 1 and 16 clients')
  .option(...PRODUCTS, 1_000_000)
  .option('--calls <n>', 'calls of each kind with one client; twice as many with 16', Number, 150)
  .option('--embedded', 'on the embedded database', false)
  .option('--changes <n>', 'products that are changed, to measure before and after by turns', Number, 0)
  .option(...AGAINST)
  .action(measuring(benchCatalog));
program
  .command('import')
  .description('imports of a generated bundle without images')
  .option(...PRODUCTS, 100_000)
  .option(...AGAINST)
  .action(measuring(benchImport));
program
  .command('vectors')
  .description('nearest neighbours: the service, its index alone, the exact scan')
  .option('--sizes <n,n...>', 'numbers of vectors', numbers, [200_000, 1_000_000])
  .option('--embedded', 'in the embedded database instead of on PostgreSQL', false)
  .option('--queries <n>', 'searches of each kind', Number, 1000)
  .action(measuring(benchVectors));
program
  .command('vision')
  .description('recall of a model on real photos, with and without their items, by an exhaustive search')
  .option('--confidence', 'fit the confidence and judge it by cross-validation instead')
  .option('--write', 'with --confidence: put the calibration into the manifest of the model')
  .requiredOption('--photos <folder>', 'items.json and images/ of a set of photos')
  .option('--split <name>', 'only the photos of this split')
  .option('--pairs <folder>', 'further things with other photos of each (pairs.json), in the same catalog')
  .option('--model <name>', 'an installed model instead of the bundled one')
  .option('--sample <n>', 'of every n-th item the distortions of its photo', Number, 1)
  .action(measuring(benchRecall, { confidence: benchConfidence }));
program
  .command('reindex')
  .description('a model built beside the live one under load, then promoted')
  .option('--images <n>', 'pictures of the catalog', Number, 20_000)
  .option('--calm <seconds>', 'of the load alone, before the build and once more after it', Number, 60)
  .action(measuring(benchReindex));

program.parseAsync().catch((failure: unknown) => {
  process.stderr.write(
    `${failure instanceof Error ? (failure.stack ?? failure.message) : String(failure)}\n`,
  );
  process.exitCode = 1;
});
