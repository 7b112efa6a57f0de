import { randomBytes } from 'node:crypto';
import type { Knex } from 'knex';
import { Client } from 'pg';
import { connectEmbedded, connectPostgres, type Database } from '../../db/core/knex';
import { migrations } from '../../db/migrations';
import { migrate } from '../../db/migrations/migrate';
import { useAndClose } from '../../models/promises';
import { copyDataFolder, digestOf, ENGINE_SOURCES, prepareTemplate } from './templates';

export interface TestDatabase {
  readonly knex: Knex;
  readonly kind: Database['kind'];
  /** Another pool of connections to the same database, as a second process would have; closed with it. */
  connect(): Promise<Knex>;
  close(): Promise<void>;
}

export function useDatabase(): Omit<TestDatabase, 'close'> {
  let opened: TestDatabase | undefined;
  beforeAll(async () => {
    opened = await testDatabase();
  });
  afterAll(() => opened?.close());
  return new Proxy({} as TestDatabase, {
    get: (_, name: keyof TestDatabase) => {
      if (!opened) throw new Error('the database is open in tests only, not while they are collected');
      return opened[name];
    },
  });
}

/** On the server at `TEST_DATABASE_URL` when that is set; else embedded: one that earlier tests have used, emptied. */
export async function testDatabase(): Promise<TestDatabase> {
  const server = process.env['TEST_DATABASE_URL'];
  if (server) {
    const { url, drop } = await createOwnDatabase(server, migratedInServer());
    return opened(async () => connectPostgres({ url }), drop);
  }
  const { dataDir, isNew, release } = await acquireEmbedded(await migratedTemplate());
  const database = await opened(() => connectEmbedded({ dataDir }), release);
  if (!isNew) {
    await database.knex.raw('DROP SCHEMA public CASCADE; CREATE SCHEMA public');
    await migrate(database.knex, migrations);
  }
  return database;
}

async function opened(connect: () => Promise<Database>, remove: () => unknown): Promise<TestDatabase> {
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

/** The folder of a migrated cluster, prepared once per state of the schema and the engine. */
function migratedTemplate(): Promise<string> {
  const key = `migrated-${digestOf(['db/migrations', ...ENGINE_SOURCES])}`;
  return prepareTemplate(key, (dataDir) => migrated(connectEmbedded({ dataDir, durable: false })));
}

export async function copyMigrated(dataDir: string): Promise<void> {
  copyDataFolder(await migratedTemplate(), dataDir);
}

/** Opens a migrated database in an empty folder, until the returned function is called. */
export async function openMigrated(dataDir: string): Promise<() => Promise<void>> {
  await copyMigrated(dataDir);
  return openEmbedded(dataDir);
}

/** A migrated database in a server, prepared once per state of the schema. */
export const migratedInServer = () => ({
  name: 'migrated',
  digest: digestOf(['db/migrations']),
  prepare: (url: string) => migrated(connectPostgres({ url, poolMax: 1 })),
});

const migrated = (connecting: Database | Promise<Database>) =>
  useAndClose(connecting, async ({ knex }) => void (await migrate(knex, migrations)));

/** What a database begins with: made once in a server, and copied for each test. */
interface DatabaseTemplate {
  readonly name: string;
  /** Changes with whatever the content depends on. */
  readonly digest: string;
  /** Whether to make it again although it exists. */
  readonly isStale?: boolean;
  /** Fills the empty database at an address, and leaves no connection to it. */
  prepare(url: string): Promise<void>;
}

export type OwnDatabase = Awaited<ReturnType<typeof createOwnDatabase>>;

/** Makes a database in the server at `server`: a copy of a template, or an empty one. */
export async function createOwnDatabase(server: string, template?: DatabaseTemplate) {
  const name = `loupe_test_${randomBytes(8).toString('hex')}`;
  await inServer(server, async (client) => {
    const source = template ? await templateIn(client, server, template) : 'template1';
    await client.query(`CREATE DATABASE ${name} TEMPLATE ${source}`);
  });
  const drop = `DROP DATABASE ${name} WITH (FORCE)`;
  return { url: addressOf(server, name), drop: () => inServer(server, (client) => client.query(drop)) };
}

/** The database of a template. Anyone who asks first makes it, in place of an older one; the lock ends with the client. */
async function templateIn(client: Client, server: string, template: DatabaseTemplate): Promise<string> {
  const prefix = `loupe_template_${template.name}_`;
  const wanted = `${prefix}${template.digest}`;
  await client.query('SELECT pg_advisory_lock(hashtext($1))', [prefix]);
  const named = 'SELECT datname FROM pg_database WHERE starts_with(datname, $1)';
  const present = (await client.query(named, [prefix])).rows.map(({ datname }) => String(datname));
  if (present.includes(wanted) && !template.isStale) return wanted;
  for (const old of present) await client.query(`DROP DATABASE ${old} WITH (FORCE)`);
  const draft = `${prefix}draft`;
  await client.query(`CREATE DATABASE ${draft}`);
  await template.prepare(addressOf(server, draft));
  await client.query(`ALTER DATABASE ${draft} RENAME TO ${wanted}`);
  return wanted;
}

function addressOf(server: string, database: string): string {
  const url = new URL(server);
  url.pathname = `/${database}`;
  return url.href;
}

async function inServer(url: string, work: (client: Client) => Promise<unknown>): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}
