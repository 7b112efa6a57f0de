import 'reflect-metadata';
import { Command } from 'commander';
import { refuseTelemetry } from '../../config';
import { benchBurst } from './burst';
import { benchCatalog } from './catalog/bench-catalog';
import { benchFlood } from './flood';
import { benchIdentify } from './identify';
import { benchImport } from './import';
import { MODES } from './installation';
import { benchLiving } from './living';
import { benchPeers } from './peers/bench-peers';
import { benchReindex } from './reindex';
import { benchSoak } from './soak';
import { type Measurement, report } from './table';
import { benchVectors } from './vectors';
import { benchAdapt } from './vision/bench-adapt';
import { benchConfidence } from './vision/bench-confidence';
import { benchSeveral } from './vision/bench-several';
import { benchVision } from './vision/bench-vision';

type Flags = readonly (readonly [flags: string, description: string, preset?: unknown])[];
/** A command measures with its options, prints its table and writes it as JSON. */
type Measure = (options: never) => Promise<Measurement>;

const REQUIRED = Symbol('required');
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
      ...[ONLY, AGAINST],
    ],
  ],
  [
    'peers',
    'identify beside FastAPI, ONNX Runtime, OpenCV and pgvector with the same network and vectors',
    benchPeers,
    [
      products(300),
      ['--calls <n>', 'calls of one caller; four times as many of 16', 100],
      ['--turns <n>', 'each subject is measured so often', 5],
    ],
  ],
  [
    'catalog',
    'every sort of catalog query over HTTP, 1 and 16 clients, beside FTS5',
    benchCatalog,
    [
      products(1_000_000),
      ['--calls <n>', 'calls of each sort with one client; twice as many with 16', 150],
      ['--explain <folder>', 'write the executed plan of every statement'],
      ['--only <text>', 'only the questions whose name contains this', ''],
      ['--embedded', 'on the embedded database', false],
      ['--changes <n>', 'products that are changed, to measure before and after by turns', 0],
      AGAINST,
    ],
  ],
  [
    'import',
    'imports of a generated bundle without images, beside COPY of the same rows',
    benchImport,
    [products(100_000), ['--no-repeat', 'leave out the same again, and all estimates anew'], AGAINST],
  ],
  [
    'vectors',
    'nearest neighbours: the service, its index alone, the exact scan',
    benchVectors,
    [
      ['--sizes <n,n...>', 'numbers of vectors', [200_000, 1_000_000]],
      ['--queries <n>', 'searches of each sort', 1000],
    ],
  ],
  [
    'vision',
    'recall, calibration and rejection of unknown items on real photos over HTTP',
    (
      options: Parameters<typeof benchConfidence>[0] & Record<'several' | 'confidence' | 'adapt', boolean>,
    ) => {
      if (options.adapt) return benchAdapt(options);
      if (options.confidence) return benchConfidence(options);
      return options.several ? benchSeveral(options) : benchVision(options);
    },
    [
      ['--several', 'calls with one to three photos of a piece instead', false],
      ['--confidence', 'fit the confidence and judge it by cross-validation instead, without HTTP', false],
      ['--write', 'with --confidence: put the calibration into the manifest of the model', false],
      [
        '--adapt',
        'fit a map to half of the products and judge it on the others instead, without HTTP',
        false,
      ],
      ['--photos <folder>', 'items.json and images/ of a set of photos', REQUIRED],
      ['--queries <folder>', 'queries.json and its photos; without it the photos of the set are distorted'],
      ['--split <name>', 'only the photos of this split'],
      ['--pairs <folder>', 'further things with other photos of each (pairs.json), in the same catalog'],
      ['--model <name>', 'an installed model instead of the bundled one'],
      ['--sample <n>', 'every n-th query of levels 1 to 3', 1],
    ],
  ],
  [
    'reindex',
    'a model built beside the live one under load, then promoted',
    benchReindex,
    [
      ['--images <n>', 'pictures of the catalog', 20_000],
      ['--photos <n>', 'photos a second', 2],
      ['--queries <n>', 'catalog queries a second', 5],
      ['--calm <seconds>', 'of the load alone, before the build and once more after it', 60],
    ],
  ],
  [
    'flood',
    'photos at a multiple of the capacity beside catalog queries',
    benchFlood,
    [
      ['--seconds <n>', 'length of the flood, and of the calm before and after', 60],
      ['--factor <n>', 'arrivals as a multiple of the capacity', 10],
      ...[products(300), ONLY],
    ],
  ],
  [
    'burst',
    'large pages with prices, asked for all at once, beside item lookups',
    benchBurst,
    [products(1000), ['--callers <n,n...>', 'of each burst', [50, 200, 500]], ONLY],
  ],
  [
    'soak',
    'thousands of identifications and lookups: whether memory stays flat',
    benchSoak,
    [
      ['--calls <n>', 'identifications, each of another photo', 10_000],
      ['--lookups <n>', 'lookups of items, between the identifications', 100_000],
      products(300),
    ],
  ],
  [
    'living',
    'writers, an import, readers and a rebuilt model at once, every version checked',
    benchLiving,
    [
      ['--products <n>', 'of the catalog that only the import writes', 20_000],
      ['--pictured <n>', 'with a picture each', 300],
      ['--living <n>', 'that ten writers and the import write, all the same ones', 2000],
      ['--minutes <n>', 'of everything at once', 10],
      ['--calm <seconds>', 'of reads alone, before and once more after', 60],
    ],
  ],
];

/** What is given is of the kind of the preset. */
function parserFor(preset: unknown): ((text: string) => unknown) | undefined {
  if (preset === MODES) return (word) => MODES.filter((mode) => mode.includes(word));
  if (Array.isArray(preset) && typeof preset[0] === 'number') return (text) => text.split(',').map(Number);
  return typeof preset === 'number' ? Number : undefined;
}

const program = new Command('bench').description(
  'measurements, by turns with another version or beside a peer',
);
for (const [name, description, measure, flags] of COMMANDS) {
  const command = program.command(name).description(description);
  for (const [flag, help, preset] of flags) {
    const parse = parserFor(preset);
    if (preset === REQUIRED) command.requiredOption(flag, help);
    else if (parse) command.option(flag, help, parse, preset);
    else command.option(flag, help, preset as string | boolean | string[] | undefined);
  }
  command.action(async (options: object) => report(name, await measure(options as never)));
}
refuseTelemetry();
program.parseAsync().catch((failure: unknown) => {
  process.stderr.write(
    `${failure instanceof Error ? (failure.stack ?? failure.message) : String(failure)}\n`,
  );
  process.exitCode = 1;
});
