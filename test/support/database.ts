import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Knex } from 'knex';
import { connectEmbedded, connectPostgres, type Database } from '../../db/core/knex';
import { rowsOf, sql } from '../../db/core/sql';
import { migrations } from '../../db/migrations';
import { migrate } from '../../db/migrations/migrate';
import { copyDataFolder } from './data-folder';
import { prepareTemplate } from './embedded-template';
import { createOwnDatabase, type DatabaseTemplate } from './own-database';
import { digestOf, ENGINE_SOURCES } from './source-digest';

/** A database of its own with the newest schema and nothing in it. */
export interface TestDatabase {
  readonly knex: Knex;
  readonly kind: Database['kind'];
  /** Another pool of connections to the same database, as a second process would have; closed with it. */
  connect(): Promise<Knex>;
  close(): Promise<void>;
}

/** Such a database for the tests of a file, or of a part of it. */
export function useDatabase(): Omit<TestDatabase, 'close'> {
  let opened: TestDatabase | undefined;
  const database = (): TestDatabase => {
    if (!opened) throw new Error('the database is open in tests only, not while they are collected');
    return opened;
  };
  beforeAll(async () => {
    opened = await testDatabase();
  }, 240_000);
  afterAll(() => opened?.close());
  return {
    get knex() {
      return database().knex;
    },
    get kind() {
      return database().kind;
    },
    connect: () => database().connect(),
  };
}

/** On the server at `TEST_DATABASE_URL` when that is set, else embedded. */
export async function testDatabase(): Promise<TestDatabase> {
  const url = process.env['TEST_DATABASE_URL'];
  return url === undefined || url === '' ? embeddedDatabase() : serverDatabase(url);
}

async function serverDatabase(server: string): Promise<TestDatabase> {
  const { url, drop } = await createOwnDatabase(server, migratedInServer());
  return opened(async () => connectPostgres({ url }), drop);
}

/** A database that earlier tests have used, as empty as a new one. */
async function embeddedDatabase(): Promise<TestDatabase> {
  const { dataDir, isNew, giveBack } = await lendEmbedded(dirname(await migratedTemplate()));
  const database = await opened(
    () => connectEmbedded({ dataDir }),
    async () => giveBack(),
  );
  if (!isNew) {
    await emptySchema(database.knex);
    await migrate(database.knex, migrations);
  }
  return database;
}

async function opened(connect: () => Promise<Database>, remove: () => Promise<void>): Promise<TestDatabase> {
  const first = await connect();
  const pools = [first];
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

/** Drops every table, sequence and function that belongs to no extension. */
async function emptySchema(knex: Knex): Promise<void> {
  const drops = await rowsOf<{ statement: string }>(
    knex,
    sql`SELECT 'DROP ' || kind || ' IF EXISTS ' || string_agg(name, ', ') || ' CASCADE' AS statement
        FROM (
          SELECT oid, CASE relkind WHEN 'S' THEN 'SEQUENCE' ELSE 'TABLE' END AS kind, oid::regclass::text AS name
          FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p', 'S')
          UNION ALL
          SELECT oid, 'ROUTINE', oid::regprocedure::text FROM pg_proc WHERE pronamespace = 'public'::regnamespace
        ) AS objects
        WHERE NOT EXISTS (SELECT FROM pg_depend WHERE objid = oid AND deptype = 'e')
        GROUP BY kind ORDER BY kind DESC`,
  );
  for (const { statement } of drops) await knex.raw(statement);
}

/** A template is copied when it is whole, however busy the machine is. */
const TEMPLATE_CLOSE_MS = 120_000;

/** The folder of a migrated cluster, prepared once per state of the schema and the engine. */
function migratedTemplate(): Promise<string> {
  const key = `migrated-${digestOf(['db/migrations', ...ENGINE_SOURCES])}`;
  return prepareTemplate(join(tmpdir(), 'loupe-templates'), key, (dataDir) =>
    migrated(connectEmbedded({ dataDir, durable: false, closeMs: TEMPLATE_CLOSE_MS })),
  );
}

/** Makes a data folder with a migrated database in which nothing is, and which nobody has open. */
export async function copyMigrated(dataDir: string): Promise<void> {
  copyDataFolder(dirname(await migratedTemplate()), dataDir);
}

/** A migrated database in a server, prepared once per state of the schema. */
export const migratedInServer = (): DatabaseTemplate => ({
  name: 'migrated',
  digest: digestOf(['db/migrations']),
  prepare: (url) => migrated(connectPostgres({ url, poolMax: 1 })),
});

async function migrated(connecting: Database | Promise<Database>): Promise<void> {
  const database = await connecting;
  try {
    await migrate(database.knex, migrations);
  } finally {
    await database.close();
  }
}
