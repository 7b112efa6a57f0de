import { createReadStream, createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pipeline } from 'node:stream/promises';
import { Client } from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { connectPostgres } from '../../../db/knex';
import { migrate } from '../../../db/migrate';
import { migrations } from '../../../db/migrations';

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
  'catalog_counts',
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
  const schema = connectPostgres({ url: target });
  await migrate(schema.knex, migrations).finally(() => schema.close());
  await onConnection(source, async (client) => {
    for (const table of TABLES) {
      const rows = client.query(copyTo(`COPY ${table} TO STDOUT`));
      await pipeline(rows, createWriteStream(join(folder, table)));
    }
  });
  return await onConnection(target, async (client) => {
    for (const table of TABLES) {
      await client.query(`TRUNCATE ${table} CASCADE`);
      await client.query(`ALTER TABLE ${table} DISABLE TRIGGER USER`);
    }
    return await secondsOf(async () => {
      for (const table of TABLES) {
        const rows = client.query(copyFrom(`COPY ${table} FROM STDIN`));
        await pipeline(createReadStream(join(folder, table)), rows);
      }
    });
  });
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

async function onConnection<Result>(url: string, work: (client: Client) => Promise<Result>): Promise<Result> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

async function secondsOf(work: () => Promise<void>): Promise<number> {
  const from = performance.now();
  await work();
  return (performance.now() - from) / 1000;
}
