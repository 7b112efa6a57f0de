import 'reflect-metadata';
import { mkdir, writeFile } from 'node:fs/promises';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { Command, Option } from 'commander';
import { asTable } from '../../commands/output';
import { readConfig, refuseTelemetry } from '../../config';
import { benchBurst } from './burst';
import { benchCatalog } from './catalog/bench-catalog';
import { benchEngines } from './engines';
import { benchFlood } from './flood';
import { benchIdentify } from './identify';
import { benchImport } from './import';
import { benchIntake } from './intake';
import { benchLedger } from './ledger';
import { benchLoop } from './loop';
import type { Measurement } from './measure';
import { benchRecords } from './records';
import { benchReindex } from './reindex';
import { benchSoak } from './soak';
import { benchVectors, PARTS } from './vectors/bench-vectors';
import { benchSeveral } from './vision/bench-several';
import { benchVision } from './vision/bench-vision';
import { MODES } from './vision-installation';

const RESULTS = 'bench-results';

interface CatalogCommandOptions {
  readonly products: string;
  readonly calls: string;
  readonly databaseUrl?: string;
  readonly explain?: string;
  readonly only?: string;
  readonly changes: string;
}

interface FloodCommandOptions {
  readonly seconds: string;
  readonly factor: string;
  readonly products: string;
  readonly only?: string;
  readonly changes: string;
}

type ReindexCommandOptions = Readonly<
  Record<'images' | 'kills' | 'photos' | 'queries' | 'calm' | 'rounds', string>
> & { readonly model: 'bundled' | 'tiny' };

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

/** `npm run bench -- <name>`: each prints a table and writes it, with the machine it ran on, as JSON. */
async function main(): Promise<void> {
  refuseTelemetry();
  const program = new Command('bench').description('measurements, side by side with a peer or a limit');
  program
    .command('identify')
    .description('identify over HTTP, both modes, concurrency 1 and 16, beside the inference pool alone')
    .option('--calls <calls>', 'calls at concurrency 1; four times as many at 16', '120')
    .option('--products <products>', 'size of the generated catalog', '300')
    .option('--models <references...>', 'one after the other', ['loupe-eye@1.0.0', 'loupe-eye@0.4.1'])
    .action(async (options: { calls: string; products: string; models: string[] }) => {
      const { calls, products, models } = options;
      report('identify', await benchIdentify({ calls: Number(calls), products: Number(products), models }));
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
    .command('flood')
    .description(
      'photos at a multiple of the capacity beside catalog queries: what is accepted, refused, and how fast',
    )
    .option('--seconds <seconds>', 'length of the flood', '60')
    .option('--factor <factor>', 'arrivals as a multiple of the capacity', '10')
    .option('--products <products>', 'size of the generated catalog', '300')
    .option('--only <mode>', 'one mode, by a word of its name')
    .action(async (options: FloodCommandOptions) =>
      report(
        'flood',
        await benchFlood({
          seconds: Number(options.seconds),
          factor: Number(options.factor),
          products: Number(options.products),
          modes: MODES.filter((mode) => mode.includes(options.only ?? '')),
        }),
      ),
    );
  program
    .command('burst')
    .description('callers that all ask for a large page with prices at the same moment, beside item lookups')
    .option('--products <products>', 'size of the generated catalog', '1000')
    .option('--callers <callers>', 'of each burst', '50,200,500')
    .option('--only <mode>', 'one mode, by a word of its name')
    .action(async (options: { products: string; callers: string; only?: string }) =>
      report(
        'burst',
        await benchBurst({
          products: Number(options.products),
          callers: options.callers.split(',').map(Number),
          modes: MODES.filter((mode) => mode.includes(options.only ?? '')),
        }),
      ),
    );
  program
    .command('reindex')
    .description(
      'another model built beside the live one under load, killed and resumed, promoted and rolled back',
    )
    .option('--images <images>', 'pictures of the catalog', '100000')
    .option('--kills <kills>', 'how often the command or a worker is killed', '5')
    .option('--photos <photos>', 'photos a second', '2')
    .option('--queries <queries>', 'catalog queries a second', '5')
    .option('--calm <seconds>', 'of the load alone, before the build and once more after it', '60')
    .option('--rounds <rounds>', 'builds without a load, each beside the inference pool alone', '3')
    .addOption(
      new Option('--model <model>', 'tiny: one view that costs nothing, for many images')
        .choices(['bundled', 'tiny'] as const)
        .default('bundled'),
    )
    .action(async (options: ReindexCommandOptions) =>
      report(
        'reindex',
        await benchReindex({
          images: Number(options.images),
          kills: Number(options.kills),
          photosPerSecond: Number(options.photos),
          queriesPerSecond: Number(options.queries),
          calmSeconds: Number(options.calm),
          rounds: Number(options.rounds),
          model: options.model,
        }),
      ),
    );
  program
    .command('soak')
    .description(
      'thousands of identifications and lookups: whether memory and all else that is held stays flat',
    )
    .option('--calls <calls>', 'identifications, each of another photo', '10000')
    .option('--lookups <lookups>', 'lookups of items, between the identifications', '100000')
    .option('--products <products>', 'size of the generated catalog', '300')
    .action(async (options: { calls: string; lookups: string; products: string }) => {
      const { calls, lookups, products } = options;
      report(
        'soak',
        await benchSoak({ calls: Number(calls), lookups: Number(lookups), products: Number(products) }),
      );
    });
  program
    .command('loop')
    .description("what inference does to the event loop of the service's main thread")
    .option('--photos <photos>', 'photos to embed', '480')
    .action(async (options: { photos: string }) => report('loop', await benchLoop(Number(options.photos))));
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
  program
    .command('import')
    .description('catalog imports of generated bundles without images, one of them beside a reader')
    .option('--products <products>', 'size of the generated catalog', '100000')
    .option('--no-complete', 'leave out the bundle with history and listings')
    .option('--no-repeat', 'only into an empty catalog: leave out the same again, and all estimates anew')
    .action(async ({ products, ...options }: { products: string; complete: boolean; repeat: boolean }) =>
      report('import', await benchImport({ products: Number(products), ...options })),
    );
  program
    .command('intake')
    .description("a photo decoded, shrunk and encoded, beside sharp's own on the same photo")
    .option('--calls <calls>', 'photos of each row of the table', '80')
    .action(async ({ calls }: { calls: string }) =>
      report('intake', await benchIntake({ calls: Number(calls) })),
    );
  program
    .command('ledger')
    .description(
      'bookings by 16 and 64 callers of one account and of sixteen, beside a bare SELECT and INSERT',
    )
    .option('--bookings <bookings>', 'of each row of the table', '6000')
    .option('--database-url <url>', 'an empty database instead of one that is brought up')
    .action(async ({ bookings, databaseUrl }: { bookings: string; databaseUrl?: string }) =>
      report('ledger', await benchLedger({ bookings: Number(bookings), databaseUrl })),
    );
  program
    .command('records')
    .description('the records of a generated bundle over HTTP, one caller, beside the importer')
    .option('--products <products>', 'size of the generated catalog', '20000')
    .action(async ({ products }: { products: string }) =>
      report('records', await benchRecords(Number(products))),
    );
  program
    .command('catalog')
    .description(
      'every sort of catalog query over HTTP, 1 and 16 clients, beside a bare SELECT and SQLite FTS5',
    )
    .option('--products <products>', 'size of the generated catalog', '1000000')
    .option('--calls <calls>', 'calls of each sort with one client; twice as many with 16', '150')
    .option(
      '--database-url <url>',
      'a server that keeps the catalog: loaded when it has less, used as it is next time',
    )
    .option('--explain <folder>', 'write the executed plan of every statement')
    .option('--only <text>', 'only the questions whose name contains this')
    .option('--changes <changes>', 'products that are changed, to measure before and after by turns', '0')
    .action(async (options: CatalogCommandOptions) =>
      report(
        'catalog',
        await benchCatalog({
          products: Number(options.products),
          calls: Number(options.calls),
          databaseUrl: options.databaseUrl,
          explain: options.explain,
          only: options.only,
          changes: Number(options.changes),
        }),
      ),
    );
  await program.parseAsync();
}

async function report(name: string, measured: Measurement): Promise<void> {
  process.stdout.write(`\n${measured.title}\n${asTable(measured.head, measured.rows)}\n`);
  for (const note of measured.notes) process.stdout.write(`${note}\n`);
  const machine = {
    cpu: cpus()[0]?.model,
    cores: cpus().length,
    memoryBytes: totalmem(),
    node: process.version,
  };
  await mkdir(RESULTS, { recursive: true });
  const file = join(RESULTS, `${name}.json`);
  await writeFile(file, JSON.stringify({ at: new Date().toISOString(), machine, ...measured }, null, 2));
  process.stderr.write(`written to ${file}\n`);
}

main().catch((failure: unknown) => {
  process.stderr.write(
    `${failure instanceof Error ? (failure.stack ?? failure.message) : String(failure)}\n`,
  );
  process.exitCode = 1;
});
