import 'reflect-metadata';
import { Command, Option } from 'commander';
import { benchCatalog } from './catalog/bench-catalog';
import { benchIdentify } from './identify';
import { benchPeers, type PeersBenchOptions } from './peers/bench-peers';
import { benchCatalogPeers } from './peers/catalog-peers';
import { type Measurement, report } from './table';
import { benchVectors } from './vectors';
import { benchConfidence, benchRecall, type ConfidenceBenchOptions } from './vision/bench-vision';

const AGAINST = [
  '--against <folder>',
  'a checkout of another version, with its packages, measured by turns',
] as const;
const PRODUCTS = ['--products <n>', 'size of the generated catalog', Number] as const;
const numbers = (text: string): number[] => text.split(',').map(Number);

const measuring =
  <Options>(measure: (options: Options) => Promise<Measurement>) =>
  async (options: Options, command: Command): Promise<void> =>
    report(command.name(), await measure(options));

const program = new Command('bench').description(
  'measurements, by turns with another version or beside a peer',
);
program
  .command('identify')
  .description('identify over HTTP, both modes, 1 and 16 clients')
  .option('--calls <n>', 'calls of one client; four times as many of 16', Number, 120)
  .option(...PRODUCTS, 300)
  .option('--vectors <n,n...>', 'sizes of catalogs of drawn vectors, instead of pictures', numbers, [])
  .option('--pictures', 'import pictures beside the drawn vectors')
  .addOption(new Option('--mode <mode>', 'only this one').choices(['embedded', 'postgresql']))
  .option(...AGAINST)
  .action(measuring(benchIdentify));
program
  .command('peers')
  .description('identify beside FastAPI, ONNX Runtime, OpenCV and pgvector with the same network and vectors')
  .option('--catalog', 'catalog queries beside tantivy, SQLite FTS5 and DuckDB instead')
  .option(...PRODUCTS, 300)
  .option('--calls <n>', 'calls of one caller, of each kind of query; of 16 more', Number, 100)
  .action(
    measuring((options: PeersBenchOptions & { readonly catalog?: boolean }) =>
      options.catalog ? benchCatalogPeers(options) : benchPeers(options),
    ),
  );
program
  .command('catalog')
  .description('every kind of catalog query over HTTP, 1 and 16 clients')
  .option(...PRODUCTS, 1_000_000)
  .option('--calls <n>', 'calls of each kind with one client; twice as many with 16', Number, 150)
  .option('--embedded', 'on the embedded database', false)
  .option(...AGAINST)
  .action(measuring(benchCatalog));
program
  .command('vectors')
  .description('nearest neighbours as the service finds them, and by the exact scan')
  .option('--sizes <n,n...>', 'numbers of vectors', numbers, [200_000, 1_000_000])
  .action(measuring(benchVectors));
program
  .command('vision')
  .description('recall of the bundled model on real photos, by an exhaustive search')
  .option('--confidence', 'fit the confidence and judge it by cross-validation instead')
  .option('--write', 'with --confidence: put the calibration into the manifest of the model')
  .requiredOption('--photos <folder>', 'items.json and images/ of a set of photos')
  .option('--split <name>', 'only the photos of this split')
  .option('--pairs <folder>', 'further things with other photos of each (pairs.json), in the same catalog')
  .action(
    measuring((options: ConfidenceBenchOptions & { readonly confidence?: boolean }) =>
      options.confidence ? benchConfidence(options) : benchRecall(options),
    ),
  );

program.parseAsync().catch((failure: unknown) => {
  process.stderr.write(
    `${failure instanceof Error ? (failure.stack ?? failure.message) : String(failure)}\n`,
  );
  process.exitCode = 1;
});
