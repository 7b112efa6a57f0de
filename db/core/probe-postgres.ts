import { Client } from 'pg';
import { messageOf } from '../../models/errors';
import {
  codeOf,
  type FaultSentence,
  networkFault,
  permanent,
  StoreFault,
  transient,
} from '../../models/store-fault';

const PROBE_MS = 5_000;
const SERVER_VERSION_MIN = 15;
/** Filtered searches need its iterative scans. */
const PGVECTOR_MIN = '0.8.0';
const PGVECTOR_MENDED = '0.8.4';

interface ServerState {
  readonly version_number: number;
  readonly version: string;
  readonly encoding: string;
  readonly standby: boolean;
  readonly read_only: boolean;
  /** Versions of pgvector: in this database, and on the server. Null where there is none. */
  readonly installed: string | null;
  readonly available: string | null;
  readonly may_create: boolean;
}

/** @returns what works but should be fixed, one sentence each @throws StoreFault naming host, port and database, and what to do */
export async function probePostgres(url: string): Promise<readonly string[]> {
  const client = clientOf(url);
  // An error of the abandoned connection must not crash the process.
  client.on('error', () => undefined);
  const place = `the database "${client.database}" at ${client.host}:${client.port}`;
  try {
    await client.connect();
    const { rows } = await client.query<ServerState>(STATE);
    const [state] = rows;
    const fault = state ? stateFault(state, client) : null;
    if (fault) throw new StoreFault(`${place}: ${fault.says}`, fault.isTransient);
    return state ? stateWarnings(state) : [];
  } catch (error) {
    if (error instanceof StoreFault) throw error;
    const { says, isTransient } = connectFault(error, client);
    throw new StoreFault(`${place}: ${says}`, isTransient, error);
  } finally {
    await client.end().catch(() => undefined);
  }
}

const STATE = `
  SELECT current_setting('server_version_num')::int AS version_number,
         current_setting('server_version') AS version,
         current_setting('server_encoding') AS encoding,
         pg_is_in_recovery() AS standby,
         current_setting('transaction_read_only')::boolean AS read_only,
         (SELECT extversion FROM pg_extension WHERE extname = 'vector') AS installed,
         (SELECT default_version FROM pg_available_extensions WHERE name = 'vector') AS available,
         has_database_privilege(current_database(), 'CREATE') AS may_create`;

/** Reads files, such as certificates, that the address names. */
function clientOf(url: string): Client {
  try {
    return new Client({
      connectionString: url,
      connectionTimeoutMillis: PROBE_MS,
      statement_timeout: PROBE_MS,
      query_timeout: PROBE_MS,
    });
  } catch (error) {
    const path = error instanceof Error && 'path' in error ? String(error.path) : null;
    throw new StoreFault(
      path === null
        ? `it cannot be read as an address: ${messageOf(error)}`
        : `the certificate file ${path} that it names cannot be read (${codeOf(error)})`,
      false,
    );
  }
}

type Named = Pick<Client, 'user' | 'database'>;

function connectFault(error: unknown, { user, database }: Named): FaultSentence {
  const message = messageOf(error);
  switch (codeOf(error)) {
    case '28P01':
      return permanent(
        `it refuses the user "${user}" or its password: both stand in the address, special characters percent-encoded`,
      );
    case '28000':
      return permanent(
        /no encryption|SSL off/i.test(message)
          ? 'it lets nobody in without TLS: add ?sslmode=verify-full to the address'
          : `it does not let the user "${user}" in from here (pg_hba.conf, or there is no such user): ${message}`,
      );
    case '3D000':
      return permanent(`there is no such database: create it (createdb ${database}), or name another one`);
    case '42501':
      return permanent(`the user "${user}" lacks a right: ${message}`);
    case '53300':
      return transient('it has no connection left: raise its max_connections, or lower DATABASE_POOL_MAX');
    case '57P01':
    case '57P02':
    case '57P03':
      return transient(`it is starting or stopping: ${message}`);
  }
  if (/SASL.*password/i.test(message)) return permanent('it asks for a password, and the address has none');
  if (/does not support SSL/i.test(message))
    return permanent('it has no TLS: switch it on there, or take sslmode out of the address');
  if (/timeout/i.test(message)) return transient('it does not answer: is a firewall in between?');
  if (/terminated/i.test(message)) return transient('the connection was cut off: is that PostgreSQL?');
  const fault = networkFault(error, 'PostgreSQL');
  if (!fault) return permanent(message);
  return fault.isTransient ? fault : permanent(`${fault.says}, or sslrootcert=… in the address`);
}

function stateFault(state: ServerState, { user, database }: Named): FaultSentence | null {
  if (state.version_number < SERVER_VERSION_MIN * 10_000)
    return permanent(`it is PostgreSQL ${state.version}; Loupe needs ${SERVER_VERSION_MIN} or later`);
  if (state.standby) return transient('it is a standby, which cannot be written: name the primary server');
  if (state.read_only)
    return transient(
      'it can only be read (default_transaction_read_only): name the primary server, or switch that off',
    );
  if (state.encoding !== 'UTF8')
    return permanent(
      `its encoding is ${state.encoding}: create it anew with ENCODING 'UTF8' TEMPLATE template0`,
    );
  const pgvector = state.installed ?? state.available;
  if (pgvector === null) {
    const major = Math.floor(state.version_number / 10_000);
    return permanent(
      `pgvector is not on this server: install it there (Debian: postgresql-${major}-pgvector, Docker: pgvector/pgvector)`,
    );
  }
  if (isOlder(pgvector, PGVECTOR_MIN))
    return permanent(
      `its pgvector is ${pgvector}, Loupe needs ${PGVECTOR_MIN} or later: ${howToUpdate(state)}`,
    );
  if (state.installed === null && !state.may_create)
    return permanent(
      `the user "${user}" may not create extensions: have a superuser run CREATE EXTENSION vector; in "${database}"`,
    );
  return null;
}

function stateWarnings(state: ServerState): string[] {
  const pgvector = state.installed ?? state.available;
  if (pgvector === null || !isOlder(pgvector, PGVECTOR_MENDED)) return [];
  return [
    `pgvector is ${pgvector}: before 0.8.2 a parallel index build may overflow its buffer, before 0.8.4 a vacuum may damage an index; ${howToUpdate(state)}`,
  ];
}

const howToUpdate = ({ installed, available }: ServerState): string =>
  installed !== null && available !== null && isOlder(installed, available)
    ? `the server has ${available}: ALTER EXTENSION vector UPDATE;`
    : `install ${PGVECTOR_MENDED} or later on the server, then ALTER EXTENSION vector UPDATE;`;

export function isOlder(version: string, than: string): boolean {
  return version.localeCompare(than, 'en', { numeric: true }) < 0;
}
