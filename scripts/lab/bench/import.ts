import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { generateBundle } from '../generator/generate-bundle';
import type { Servers } from '../services/servers';
import { writeNightlyBundle } from './import/nightly-bundle';
import { copyAlone, parseAlone } from './import/physical-limits';
import { readsBeside } from './import/reads';
import { type TimedImport, timedImport } from './import/timed-import';
import type { Cell, Measurement } from './measure';
import { createDatabase, inFolder, onServers } from './set-up';

const SEED = 11;
/** A server for a large catalog; the defaults of PostgreSQL are for a machine that does other things. */
const SERVER_SETTINGS = { shared_buffers: '2GB', max_wal_size: '8GB', random_page_cost: '1.1' };

interface ImportBenchOptions {
  readonly products: number;
  /** Also the bundle with history and listings, twice. */
  readonly complete: boolean;
  /** Also the same again, and all estimates anew beside a reader. */
  readonly repeat: boolean;
}

/**
 * Imports of generated bundles without images into PostgreSQL, each by a process of its own: products with variants
 * and estimates into an empty catalog, the same again, all estimates anew while a client reads, and the complete bundle
 * with history and listings into another empty catalog and again. Beside the first: what no import can be faster than, the
 * database alone and the parsing alone.
 */
export async function benchImport({ products, complete, repeat }: ImportBenchOptions): Promise<Measurement> {
  return inFolder((folder) =>
    onServers(SERVER_SETTINGS, async (services) => {
      const priced = await benchPriced(services, folder, { products, repeat });
      const whole = complete ? await benchWhole(services, folder, products) : { rows: [] };
      return {
        title: 'catalog import of a generated bundle, PostgreSQL',
        head: [...['run', 'products', 'records', 'seconds', 'products/s', 'records/s', 'peak MiB']],
        rows: [...priced.rows, ...whole.rows],
        notes: [...priced.notes, 'Memory is that of the importing process.'],
      };
    }),
  );
}

async function benchPriced(
  services: Servers,
  folder: string,
  { products, repeat }: Pick<ImportBenchOptions, 'products' | 'repeat'>,
) {
  const bundle = join(folder, 'priced');
  const prices = { historyMonths: 0, listingsPerVariant: 0 };
  const made = await generateBundle({ seed: SEED, products, out: bundle, ...prices });
  const records = made.categories + made.tags + made.entities + made.products + made.estimates;
  const settings = await settingsOf(services, folder, 'priced');
  const first = await timedImport(settings, bundle);
  const copied = await copyAlone(
    settings.DATABASE_URL,
    await createDatabase(services.postgres.url, 'copied'),
    await mkdtemp(join(folder, 'rows-')),
  );
  const parsed = await parseAlone(bundle, ['products.jsonl', 'estimates.jsonl']);
  const firstRows = [
    row('products, variants, estimates: empty catalog', products, records, first),
    row('limit: the same rows by COPY, ready-made, PostgreSQL alone', products, records, { seconds: copied }),
    row('limit: reading the lines and JSON.parse, alone', products, records, { seconds: parsed }),
  ];
  const notes = [`${made.variants} variants, ${made.estimates} estimates.`];
  if (!repeat) return { rows: firstRows, notes };
  const again = await timedImport(settings, bundle);
  const nightly = join(folder, 'nightly');
  await writeNightlyBundle(bundle, SEED, nightly);
  const reads = await readsBeside(settings, SEED, () => timedImport(settings, nightly));
  return {
    rows: [
      ...firstRows,
      row('the same bundle again', products, records, again),
      row('all estimates anew, beside a reader', products, made.estimates, reads.result),
    ],
    notes: [...notes, ...reads.lines],
  };
}

async function benchWhole(services: Servers, folder: string, products: number) {
  const bundle = join(folder, 'whole');
  const { images, variants, ...made } = await generateBundle({ seed: SEED, products, out: bundle });
  const records = Object.values(made).reduce((sum, count) => sum + count, 0);
  const settings = await settingsOf(services, folder, 'whole');
  const first = await timedImport(settings, bundle);
  const again = await timedImport(settings, bundle);
  return {
    rows: [
      row('with history and listings: empty catalog', products, records, first),
      row('the same bundle again', products, records, again),
    ],
  };
}

/** Of a process on an empty database of its own. */
async function settingsOf(services: Servers, folder: string, name: string) {
  return {
    DATA_DIR: join(folder, 'data', name),
    DATABASE_URL: await createDatabase(services.postgres.url, name),
    REDIS_URL: services.redis.url,
  };
}

/** Memory is left out where it is not an import's. */
function row(
  name: string,
  products: number,
  records: number,
  run: Pick<TimedImport, 'seconds'> & Partial<TimedImport>,
): Cell[] {
  return [
    name,
    products,
    records,
    run.seconds.toFixed(1),
    Math.round(products / run.seconds),
    Math.round(records / run.seconds),
    run.peakMib === undefined ? '' : Math.round(run.peakMib),
  ];
}
