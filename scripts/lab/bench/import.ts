import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { readTableText, writeTableText } from '../../../db/core/copy-rows';
import { connectPostgres } from '../../../db/core/knex';
import { inTransaction } from '../../../db/core/sql';
import { migrations } from '../../../db/migrations';
import { migrate } from '../../../db/migrations/migrate';
import { GRADES } from '../../../models/pricing/estimate';
import { Random } from '../../../models/random';
import { SEED, writeBundle } from './generated';
import { createDatabase, Installation, onInstallations, type Settings } from './installation';
import { memoryOf } from './process-watch';
import { byTurns, type Cell, type Measurement } from './table';

interface ImportBenchOptions {
  readonly products: number;
  /** Also the same again, and all estimates anew. */
  readonly repeat: boolean;
  readonly against?: string;
}

/** A server for a large catalog; the defaults of PostgreSQL are for a machine that does other things. */
const SERVER_SETTINGS: Settings = { shared_buffers: '2GB', max_wal_size: '8GB', random_page_cost: '1.1' };
const SAMPLE_MS = 100;

/** What an import of products and estimates fills, each after what it refers to. */
const TABLES = [
  ...['categories', 'tags', 'entities', 'products', 'variants', 'market_estimates'],
  ...['catalog_rows', 'catalog_search', 'search_words'],
];

/**
 * Imports of a generated bundle without images into PostgreSQL, each by a process of its own and into an empty database, by turns with
 * another version if one is given; the same again, and all estimates anew. Beside it: PostgreSQL alone, with the rows ready-made.
 */
export const benchImport = (options: ImportBenchOptions): Promise<Measurement> =>
  onInstallations(
    {
      ...{ mode: 'PostgreSQL and Redis', server: SERVER_SETTINGS },
      ...(options.against && { against: options.against }),
    },
    async (installations, folder) => {
      const { products, repeat } = options;
      const [bundle, nightly] = [join(folder, 'bundle'), join(folder, 'nightly')];
      const made = await writeBundle(bundle, { products });
      if (repeat) await writeNightlyBundle(bundle, SEED, nightly);
      const records = made.categories + made.tags + made.entities + made.products + made.estimates;
      const row = (name: string, count: number, seconds: number, peakMib: number | null): Cell[] => [
        ...[
          name,
          products,
          count,
          seconds,
          Math.round(products / seconds),
          Math.round(count / seconds),
          peakMib,
        ],
      ];
      let filled: Settings = {};
      const rows = await byTurns(installations, async (installation) => {
        const into = await emptied(installation);
        filled = into.settings;
        const timed = async (name: string, from: string, count: number) => {
          const { seconds, peakMib } = await timedImport(into, from);
          return row(name, count, seconds, Math.round(peakMib));
        };
        const first = await timed('products, variants, estimates: empty catalog', bundle, records);
        if (!repeat) return [first];
        const again = await timed('the same bundle again', bundle, records);
        return [first, again, await timed('all estimates anew', nightly, made.estimates)];
      });
      const seconds = await copyAlone(filled['DATABASE_URL'] ?? '', folder);
      return {
        title: 'catalog import of a generated bundle, PostgreSQL',
        head: ['version', 'run', 'products', 'records', 'seconds', 'products/s', 'records/s', 'peak MiB'],
        rows: [...rows, ['', ...row('limit: the same rows by COPY, ready-made', records, seconds, null)]],
        notes: [
          `${made.variants} variants, ${made.estimates} estimates. Memory is that of the importing process.`,
        ],
      };
    },
  );

/** The version on a new database. */
async function emptied({ name, root, mode, settings }: Installation): Promise<Installation> {
  const DATABASE_URL = await createDatabase(settings['DATABASE_URL'] ?? '', `import_${name}`);
  return new Installation(name, root, mode, { ...settings, DATABASE_URL });
}

/** Imports a bundle as an operator does, in a process of its own. @throws Error when something was rejected */
async function timedImport(
  { spawnLoupe }: Installation,
  bundle: string,
): Promise<{ seconds: number; peakMib: number }> {
  const startedAt = performance.now();
  const child = spawnLoupe('catalog', 'import', bundle, '--no-wait', '--json');
  child.stdout.resume();
  child.stderr.pipe(process.stderr);
  let peakMib = 0;
  const sampling = setInterval(async () => {
    peakMib = Math.max(peakMib, await memoryOf(child.pid ?? 0, 'VmHWM'));
  }, SAMPLE_MS);
  const [code] = await once(child, 'exit');
  clearInterval(sampling);
  if (code !== 0) throw new Error(`the import exited with ${String(code)}`);
  return { seconds: (performance.now() - startedAt) / 1000, peakMib };
}

/**
 * Seconds that PostgreSQL alone takes for the rows of an imported catalog, ready-made, by COPY over one connection into an
 * empty database: with all indexes and references, without the triggers that derive rows from others.
 *
 * @param source address of the database that has them
 */
async function copyAlone(source: string, folder: string): Promise<number> {
  const [full, empty] = [source, await createDatabase(source, 'bench_copied')].map((url) =>
    connectPostgres({ url, statementMs: 0 }),
  );
  if (!full || !empty) throw new Error('no database');
  const file = (table: string) => join(folder, `${table}.copy`);
  try {
    await inTransaction(full.knex, async (trx) => {
      for (const name of TABLES) await writeTableText(trx, { name }, createWriteStream(file(name)));
    });
    await migrate(empty.knex, migrations);
    for (const table of TABLES) {
      await empty.knex.raw('TRUNCATE ?? CASCADE', [table]);
      await empty.knex.raw('ALTER TABLE ?? DISABLE TRIGGER USER', [table]);
    }
    const from = performance.now();
    await inTransaction(empty.knex, async (trx) => {
      for (const name of TABLES) await readTableText(trx, { name }, createReadStream(file(name)));
    });
    return (performance.now() - from) / 1000;
  } finally {
    await full.close();
    await empty.close();
  }
}

const ESTIMATES = 'estimates.jsonl';
const ESTIMATED_AT = '2026-03-02T03:00:00Z';
/** A price moves by so much of itself at most. */
const MOVE_MAX = 0.03;

/** Writes a bundle of all estimates of another one, a day later and each a little higher or lower. */
export async function writeNightlyBundle(bundle: string, seed: number, out: string): Promise<void> {
  await mkdir(out, { recursive: true });
  const random = new Random(seed, 'nightly');
  const file = await open(join(out, ESTIMATES), 'w');
  const written = file.createWriteStream();
  for await (const line of createInterface({ input: createReadStream(join(bundle, ESTIMATES)) })) {
    const estimate = JSON.parse(line);
    const move = 1 + MOVE_MAX * (2 * random.next() - 1);
    for (const grade of GRADES)
      if (estimate[grade] !== null) estimate[grade] = Math.round(estimate[grade] * move);
    const room = written.write(`${JSON.stringify({ ...estimate, estimated_at: ESTIMATED_AT })}\n`);
    if (!room) await once(written, 'drain');
  }
  written.end();
  await once(written, 'close');
}
