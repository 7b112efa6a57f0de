import 'reflect-metadata';
import { Command, Option } from 'commander';
import { benchCatalog } from './catalog/bench-catalog';
import { benchIdentify } from './identify';
import { benchImport } from './import';
import { MODES } from './installation';
import { benchPeers, type PeersBenchOptions } from './peers/bench-peers';
import { benchCatalogPeers } from './peers/catalog-peers';
import { benchReindex } from './reindex';
import { type Measurement, report } from './table';
import { benchVectors } from './vectors';
import { benchAdapt } from './vision/adapt';
import { benchConfidence } from './vision/confidence';

import { benchRecall, benchSeveral } from './vision/recall';

/** What stands in `<>` or `[]` says how the value is read; without it the flag is a switch. `!`: must be given. */
type Flags = readonly (readonly [flags: string, description: string, preset?: unknown])[];
/** A command measures with its options, prints its table and writes it as JSON. */
type Measure = (options: never) => Promise<Measurement>;

const AGAINST = [
  '--against <folder>',
  'a checkout of another version, with its packages, measured by turns',
] as const;
const ONLY = ['--only <mode>', 'one mode, by a word of its name', MODES] as const;
const products = (preset: number) => ['--products <n>', 'size of the generated catalog', preset] as const;

const COMMANDS: readonly (readonly [name: string, description: string, Measure, Flags])[] = [
  [
    'identify',
    'identify over HTTP, both modes, 1 and 16 clients',
    benchIdentify,
    [
      ['--calls <n>', 'calls of one client; four times as many of 16', 120],
      products(300),
      ['--models <references...>', 'one after the other', ['loupe-eye@1.0.0']],
      ['--vectors <n,n...>', 'sizes of catalogs of drawn vectors, instead of pictures', []],
      ...[ONLY, AGAINST],
    ],
  ],
  [
    'peers',
    'identify beside FastAPI, ONNX Runtime, OpenCV and pgvector with the same network and vectors',
    (options: PeersBenchOptions & { readonly catalog: boolean }) =>
      options.catalog ? benchCatalogPeers(options) : benchPeers(options),
    [
      ['--catalog', 'catalog queries beside tantivy, SQLite FTS5 and DuckDB instead', false],
      products(300),
      ['--calls <n>', 'calls of one caller, of each sort of query; of 16 more', 100],
      ['--turns <n>', 'each subject is measured so often', 5],
    ],
  ],
  [
    'catalog',
    'every kind of catalog query over HTTP, 1 and 16 clients',
    benchCatalog,
    [
      products(1_000_000),
      ['--calls <n>', 'calls of each sort with one client; twice as many with 16', 150],
      ['--embedded', 'on the embedded database', false],
      ['--changes <n>', 'products that are changed, to measure before and after by turns', 0],
      AGAINST,
    ],
  ],
  ['import', 'imports of a generated bundle without images', benchImport, [products(100_000), AGAINST]],
  [
    'vectors',
    'nearest neighbours: the service, its index alone, the exact scan',
    benchVectors,
    [
      ['--sizes <n,n...>', 'numbers of vectors', [200_000, 1_000_000]],
      ['--embedded', 'in the embedded database instead of on PostgreSQL', false],
      ['--queries <n>', 'searches of each sort', 1000],
    ],
  ],
  [
    'vision',
    'recall, calibration and rejection of unknown items on real photos, in this process and with an exhaustive search',
    (
      options: Parameters<typeof benchConfidence>[0] & Record<'several' | 'confidence' | 'adapt', boolean>,
    ) => {
      if (options.adapt) return benchAdapt(options);
      if (options.confidence) return benchConfidence(options);
      return options.several ? benchSeveral(options) : benchRecall(options);
    },
    [
      ['--several', 'calls with one to three photos of a piece instead', false],
      ['--confidence', 'fit the confidence and judge it by cross-validation instead', false],
      ['--write', 'with --confidence: put the calibration into the manifest of the model', false],
      ['--adapt', 'fit a map to half of the products and judge it on the others instead', false],
      ['--photos! <folder>', 'items.json and images/ of a set of photos'],
      ['--split <name>', 'only the photos of this split'],
      ['--pairs <folder>', 'further things with other photos of each (pairs.json), in the same catalog'],
      ['--model <name>', 'an installed model instead of the bundled one'],
      ['--sample <n>', 'of every n-th item the distortions of its photo', 1],
    ],
  ],
  [
    'reindex',
    'a model built beside the live one under load, then promoted',
    benchReindex,
    [
      ['--images <n>', 'pictures of the catalog', 20_000],
      ['--calm <seconds>', 'of the load alone, before the build and once more after it', 60],
    ],
  ],
];

const READERS: Readonly<Record<string, (text: string) => unknown>> = {
  '<n>': Number,
  '<seconds>': Number,
  '<n,n...>': (text) => text.split(',').map(Number),
  '<mode>': (word) => MODES.filter((mode) => mode.includes(word)),
};

const program = new Command('bench').description(
  'measurements, by turns with another version or beside a peer',
);
for (const [name, description, measure, flags] of COMMANDS) {
  const command = program.command(name).description(description);
  for (const [flag, help, preset] of flags) {
    const option = new Option(flag.replace('!', ''), help).default(preset);
    const read = READERS[flag.split(' ')[1] ?? ''];
    if (read) option.argParser(read);
    command.addOption(option.makeOptionMandatory(flag.includes('!')));
  }
  command.action(async (options: Readonly<Record<string, unknown>>) => {
    const switches = flags.flatMap(([flag, , preset]) => (preset === false ? flag.slice(2) : []));
    const file = [name, ...switches.filter((each) => options[each])].join('-');
    await report(file, await measure(options as never));
  });
}
program.parseAsync().catch((failure: unknown) => {
  process.stderr.write(
    `${failure instanceof Error ? (failure.stack ?? failure.message) : String(failure)}\n`,
  );
  process.exitCode = 1;
});
