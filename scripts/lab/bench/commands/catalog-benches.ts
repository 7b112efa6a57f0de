import type { Command } from 'commander';
import { benchCatalog } from '../catalog/bench-catalog';
import { benchImport } from '../import';
import { benchLedger } from '../ledger';
import { benchLiving } from '../living';
import { benchRecords } from '../records';
import { report } from './report';

interface CatalogCommandOptions {
  readonly products: string;
  readonly calls: string;
  readonly databaseUrl?: string;
  readonly explain?: string;
  readonly only?: string;
  readonly changes: string;
}

type LivingCommandOptions = Readonly<
  Record<
    'products' | 'pictured' | 'living' | 'minutes' | 'calm' | 'alone' | 'reads' | 'photos' | 'records',
    string
  >
> & { readonly databaseUrl?: string };

/** What the catalog costs: read, written, both. */
export function registerCatalogBenches(program: Command): void {
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
    .command('living')
    .description(
      'ten writers, an import, readers and a rebuilt model at once, and a checker that knows every version written',
    )
    .option('--products <products>', 'of the catalog that only the import writes', '20000')
    .option('--pictured <products>', 'with a picture each', '300')
    .option('--living <products>', 'that writers and import write, all the same ones', '2000')
    .option('--minutes <minutes>', 'of everything at once', '10')
    .option('--calm <seconds>', 'of reads alone, before and once more after', '60')
    .option('--alone <seconds>', 'of one caller who writes, and nothing else', '15')
    .option('--reads <reads>', 'of the catalog, a second', '20')
    .option('--photos <photos>', 'a second', '1')
    .option('--records <records>', 'a second, of all writers together', '200')
    .option('--database-url <url>', 'an empty database instead of one that is brought up')
    .action(async ({ databaseUrl, ...options }: LivingCommandOptions) =>
      report(
        'living',
        await benchLiving({
          products: Number(options.products),
          pictured: Number(options.pictured),
          living: Number(options.living),
          minutes: Number(options.minutes),
          calmSeconds: Number(options.calm),
          aloneSeconds: Number(options.alone),
          readsPerSecond: Number(options.reads),
          photosPerSecond: Number(options.photos),
          recordsPerSecond: Number(options.records),
          databaseUrl,
        }),
      ),
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
}
