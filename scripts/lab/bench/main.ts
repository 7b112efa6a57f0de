import 'reflect-metadata';
import { Command, Option } from 'commander';
import { refuseTelemetry } from '../../config';
import { benchBurst } from './burst';
import { benchCatalog } from './catalog/bench-catalog';
import { benchEngines } from './engines';
import { benchFlood } from './flood';
import { benchIdentify } from './identify';
import { benchImport } from './import';
import { benchLiving } from './living';
import type { Measurement } from './measure';
import { benchReindex } from './reindex';
import { report } from './report';
import { benchSoak } from './soak';
import { benchVectors } from './vectors/bench-vectors';
import { benchConfidence, type ConfidenceBenchOptions } from './vision/bench-confidence';
import { benchSeveral } from './vision/bench-several';
import { benchVision } from './vision/bench-vision';
import { MODES, type Mode } from './vision-installation';

const program = new Command('bench').description('measurements, side by side with a peer or a limit');

/** `npm run bench -- <name>`: measures with its options, prints the table and writes it as JSON. */
const bench = <Options>(
  name: string,
  description: string,
  measure: (options: Options) => Promise<Measurement>,
): Command =>
  program
    .command(name)
    .description(description)
    .action(async (options: Options) => report(name, await measure(options)));

const numbers = (text: string): number[] => text.split(',').map(Number);
const modes = (word: string): readonly Mode[] => MODES.filter((mode) => mode.includes(word));
const models = ['loupe-eye@1.0.0', 'loupe-eye@0.4.1'];

bench('identify', 'identify over HTTP, both modes, 1 and 16 clients, beside inference alone', benchIdentify)
  .option('--calls <calls>', 'calls at concurrency 1; four times as many at 16', Number, 120)
  .option('--products <products>', 'size of the generated catalog', Number, 300)
  .option('--models <references...>', 'one after the other', models);
bench(
  'engines',
  'the bundled models on each backend, one thread, beside what the processor can do',
  benchEngines,
)
  .option('--models <references...>', 'one after the other', models)
  .option('--rounds <rounds>', 'inferences of each sort, in turns', Number, 30);
bench(
  'vision',
  'recall, calibration and rejection of unknown items on real photos over HTTP, beside simple baselines',
  ({
    several,
    confidence,
    ...options
  }: ConfidenceBenchOptions & { several?: boolean; confidence?: boolean }) => {
    if (confidence) return benchConfidence(options);
    return several ? benchSeveral(options) : benchVision(options);
  },
)
  .option('--several', 'calls with one to three photos of a piece instead')
  .option('--confidence', 'fits the confidence and judges it by cross-validation instead, without HTTP')
  .option('--write', 'with --confidence: puts the calibration into the manifest of the model')
  .requiredOption('--photos <folder>', 'items.json and images/ of a set of photos')
  .option('--queries <folder>', 'queries.json and its photos; without it the photos of the set are distorted')
  .option('--split <name>', 'only the photos of this split')
  .option('--pairs <folder>', 'further things with other photos of each (pairs.json), in the same catalog')
  .option('--model <name>', 'an installed model instead of the bundled one')
  .option('--sample <n>', 'every n-th query of levels 1 to 3', Number, 1);
bench('vectors', 'nearest neighbours: HNSW, the exact scan, HNSW in the process', benchVectors)
  .option('--sizes <sizes>', 'numbers of vectors', numbers, [200_000, 1_000_000])
  .option('--queries <queries>', 'searches of each sort', Number, 1000);
bench('import', 'imports of generated bundles without images, one of them beside a reader', benchImport)
  .option('--products <products>', 'size of the generated catalog', Number, 100_000)
  .option('--no-complete', 'leave out the bundle with history and listings')
  .option('--no-repeat', 'only into an empty catalog: leave out the same again, and all estimates anew');
bench('living', 'writers, an import, readers and a rebuilt model at once, every version checked', benchLiving)
  .option('--products <products>', 'of the catalog that only the import writes', Number, 20_000)
  .option('--pictured <products>', 'with a picture each', Number, 300)
  .option('--living <products>', 'that ten writers and the import write, all the same ones', Number, 2000)
  .option('--minutes <minutes>', 'of everything at once', Number, 10)
  .option('--calm <seconds>', 'of reads alone, before and once more after', Number, 60)
  .option('--alone <seconds>', 'of one caller who writes, and nothing else', Number, 15)
  .option('--reads <reads>', 'of the catalog, a second', Number, 20)
  .option('--photos <photos>', 'a second', Number, 1)
  .option('--records <records>', 'a second, of all writers together', Number, 200);
bench(
  'catalog',
  'every sort of catalog query over HTTP, 1 and 16 clients, beside SELECT and FTS5',
  benchCatalog,
)
  .option('--products <products>', 'size of the generated catalog', Number, 1_000_000)
  .option('--calls <calls>', 'calls of each sort with one client; twice as many with 16', Number, 150)
  .option('--explain <folder>', 'write the executed plan of every statement')
  .option('--only <text>', 'only the questions whose name contains this', '')
  .option('--embedded', 'on the embedded database', false)
  .option(
    '--changes <changes>',
    'products that are changed, to measure before and after by turns',
    Number,
    0,
  );
bench('flood', 'photos at a multiple of the capacity beside catalog queries', benchFlood)
  .option('--seconds <seconds>', 'length of the flood', Number, 60)
  .option('--factor <factor>', 'arrivals as a multiple of the capacity', Number, 10)
  .option('--products <products>', 'size of the generated catalog', Number, 300)
  .option('--only <mode>', 'one mode, by a word of its name', modes, MODES);
bench('burst', 'large pages with prices, asked for all at once, beside item lookups', benchBurst)
  .option('--products <products>', 'size of the generated catalog', Number, 1000)
  .option('--callers <callers>', 'of each burst', numbers, [50, 200, 500])
  .option('--only <mode>', 'one mode, by a word of its name', modes, MODES);
bench('reindex', 'a model built beside the live one under load, then promoted', benchReindex)
  .option('--images <images>', 'pictures of the catalog', Number, 100_000)
  .option('--photos <photos>', 'photos a second', Number, 2)
  .option('--queries <queries>', 'catalog queries a second', Number, 5)
  .option('--calm <seconds>', 'of the load alone, before the build and once more after it', Number, 60)
  .option('--rounds <rounds>', 'builds without a load, each beside the inference pool alone', Number, 3)
  .addOption(
    new Option('--model <model>', 'tiny: one view that costs nothing, for many images')
      .choices(['bundled', 'tiny'])
      .default('bundled'),
  );
bench('soak', 'thousands of identifications and lookups: whether memory stays flat', benchSoak)
  .option('--calls <calls>', 'identifications, each of another photo', Number, 10_000)
  .option('--lookups <lookups>', 'lookups of items, between the identifications', Number, 100_000)
  .option('--products <products>', 'size of the generated catalog', Number, 300);

refuseTelemetry();
program.parseAsync().catch((failure: unknown) => {
  process.stderr.write(
    `${failure instanceof Error ? (failure.stack ?? failure.message) : String(failure)}\n`,
  );
  process.exitCode = 1;
});
