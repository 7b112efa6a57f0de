import { randomBytes } from 'node:crypto';
import { Client } from 'pg';

/** An empty database of a test's own in a server. */
export interface OwnDatabase {
  readonly url: string;
  drop(): Promise<void>;
}

/** Makes a database in the server that the address leads to. */
export async function createOwnDatabase(server: string): Promise<OwnDatabase> {
  const name = `loupe_test_${randomBytes(8).toString('hex')}`;
  await inServer(server, `CREATE DATABASE ${name}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => inServer(server, `DROP DATABASE ${name} WITH (FORCE)`) };
}

async function inServer(url: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
