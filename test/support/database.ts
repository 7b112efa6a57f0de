import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Knex } from 'knex';
import { prepareTemplate } from '../../db/embedded/template';
import { connectEmbedded, connectPostgres, type Database } from '../../db/knex';
import { migrate } from '../../db/migrate';
import { migrations } from '../../db/migrations';
import { identifier, rowsOf, sql } from '../../db/sql';

/** A database of its own with the newest schema and nothing in it. */
export interface TestDatabase {
  readonly knex: Knex;
  readonly kind: Database['kind'];
  /** Another pool of connections to the same database, as a second process would have; closed with it. */
  connect(): Promise<Knex>;
  close(): Promise<void>;
}

/** On the server at `TEST_DATABASE_URL` when that is set, else embedded. */
export async function testDatabase(): Promise<TestDatabase> {
  const url = process.env['TEST_DATABASE_URL'];
  return url === undefined || url === '' ? embeddedDatabase() : serverDatabase(url);
}

async function serverDatabase(url: string): Promise<TestDatabase> {
  const name = `loupe_test_${randomBytes(8).toString('hex')}`;
  const server = connectPostgres({ url, poolMax: 1 });
  await rowsOf(server.knex, sql`CREATE DATABASE ${identifier(name)}`);
  const own = new URL(url);
  own.pathname = `/${name}`;
  return opened(
    async () => connectPostgres({ url: own.href }),
    async () => {
      await rowsOf(server.knex, sql`DROP DATABASE ${identifier(name)} WITH (FORCE)`);
      await server.close();
    },
  );
}

async function embeddedDatabase(): Promise<TestDatabase> {
  const template = await migratedTemplate();
  const dataDir = mkdtempSync(join(tmpdir(), 'lpt-'));
  return opened(
    () => connectEmbedded({ dataDir, template, durable: false }),
    async () => rmSync(dataDir, { recursive: true, force: true }),
  );
}

async function opened(connect: () => Promise<Database>, remove: () => Promise<void>): Promise<TestDatabase> {
  const pools = [await connect()];
  const [first] = pools;
  if (!first) throw new Error('no pool was opened');
  await migrate(first.knex, migrations);
  return {
    knex: first.knex,
    kind: first.kind,
    async connect() {
      const pool = await connect();
      pools.push(pool);
      return pool.knex;
    },
    async close() {
      for (const pool of pools) await pool.close();
      await remove();
    },
  };
}

/** A migrated cluster, prepared once per state of the schema, the engine and the dependencies. */
async function migratedTemplate(): Promise<string> {
  const root = join(__dirname, '../..');
  const steps = join(root, 'db/migrations');
  const sources = [
    ...readdirSync(steps)
      .sort()
      .map((name) => join(steps, name)),
    join(root, 'db/embedded/engine-thread.ts'),
    join(root, 'package-lock.json'),
  ];
  const hash = createHash('sha256');
  for (const source of sources) hash.update(readFileSync(source));
  const key = `migrated-${hash.digest('hex').slice(0, 16)}`;
  return prepareTemplate(join(tmpdir(), 'loupe-templates'), key, async (dataDir) => {
    const database = await connectEmbedded({ dataDir, durable: false });
    try {
      await migrate(database.knex, migrations);
    } finally {
      await database.close();
    }
  });
}
