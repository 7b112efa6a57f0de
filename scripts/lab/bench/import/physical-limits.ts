import { createReadStream, createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { connectPostgres, type Database } from '../../../../db/core/knex';
import { inTransaction } from '../../../../db/core/sql';
import { readTableText, writeTableText } from '../../../../db/core/table-text';
import { migrations } from '../../../../db/migrations';
import { migrate } from '../../../../db/migrations/migrate';

/** What an import of products and estimates fills, each after what it refers to. */
const TABLES = [
  'categories',
  'tags',
  'entities',
  'products',
  'variants',
  'market_estimates',
  'catalog_rows',
  'catalog_search',
  'term_counts',
  'search_words',
] as const;

/**
 * Seconds that PostgreSQL alone takes for the rows of an imported catalog, ready-made, by COPY over one connection into an
 * empty database: with all indexes and references, without the triggers that derive rows from others, and without
 * statistics or snapshots.
 *
 * @param source address of the database that has them
 * @param target address of the empty one
 * @param folder where they lie in between
 */
export async function copyAlone(source: string, target: string, folder: string): Promise<number> {
  const [full, empty] = [source, target].map((url) => connectPostgres({ url, statementMs: 0 })) as [
    Database,
    Database,
  ];
  try {
    await inTransaction(full.knex, async (trx) => {
      for (const table of TABLES)
        await writeTableText(trx, { name: table }, createWriteStream(join(folder, table)));
    });
    await migrate(empty.knex, migrations);
    for (const table of TABLES) {
      await empty.knex.raw('TRUNCATE ?? CASCADE', [table]);
      await empty.knex.raw('ALTER TABLE ?? DISABLE TRIGGER USER', [table]);
    }
    return await secondsOf(() =>
      inTransaction(empty.knex, async (trx) => {
        for (const table of TABLES)
          await readTableText(trx, { name: table }, createReadStream(join(folder, table)));
      }),
    );
  } finally {
    await full.close();
    await empty.close();
  }
}

/** Seconds in which this process reads the lines of a bundle's files and parses each as JSON, and nothing else. */
export async function parseAlone(bundle: string, files: readonly string[]): Promise<number> {
  return await secondsOf(async () => {
    for (const file of files) {
      for await (const line of createInterface({ input: createReadStream(join(bundle, file)) })) {
        JSON.parse(line);
      }
    }
  });
}

async function secondsOf(work: () => Promise<void>): Promise<number> {
  const from = performance.now();
  await work();
  return (performance.now() - from) / 1000;
}
