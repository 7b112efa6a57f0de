import { randomBytes } from 'node:crypto';
import { Client } from 'pg';

/** A database of a test's own in a server. */
export interface OwnDatabase {
  readonly url: string;
  drop(): Promise<void>;
}

/** What a database begins with: made once in a server, and copied for each test. */
export interface DatabaseTemplate {
  readonly name: string;
  /** Changes with whatever the content depends on. */
  readonly digest: string;
  /** Whether it is to be made again although it is there. */
  readonly isStale?: boolean;
  /** Fills the empty database at an address, and leaves no connection to it. */
  prepare(url: string): Promise<void>;
}

/** Makes a database in the server at `server`: a copy of a template, or an empty one. */
export async function createOwnDatabase(server: string, template?: DatabaseTemplate): Promise<OwnDatabase> {
  const name = `loupe_test_${randomBytes(8).toString('hex')}`;
  await inServer(server, async (client) => {
    const source = template ? await templateIn(client, server, template) : 'template1';
    await client.query(`CREATE DATABASE ${name} TEMPLATE ${source}`);
  });
  const drop = `DROP DATABASE ${name} WITH (FORCE)`;
  return { url: addressOf(server, name), drop: () => inServer(server, (client) => client.query(drop)) };
}

/** The database of a template. Whoever asks first makes it, in place of an older one; the lock ends with the client. */
async function templateIn(client: Client, server: string, template: DatabaseTemplate): Promise<string> {
  const prefix = `loupe_template_${template.name}_`;
  const wanted = `${prefix}${template.digest}`;
  await client.query('SELECT pg_advisory_lock(hashtext($1))', [prefix]);
  const { rows } = await client.query('SELECT datname FROM pg_database WHERE starts_with(datname, $1)', [
    prefix,
  ]);
  const present = rows.map(({ datname }) => String(datname));
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
