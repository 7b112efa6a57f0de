import type { Socket } from 'node:net';
import knexFactory, { type Knex } from 'knex';
import type { Client } from 'pg';
import { currentParty, FairBudget, type Lease } from '../../models/access/fair-budget';
import { type EmbeddedOptions, ensureEmbedded } from '../embedded/ensure-embedded';
import { clientOptions } from '../embedded/run-folder';
import { valueTypes } from './copy-rows';
import { connectionsToDrop, databaseUnavailable } from './postgres-faults';

export interface Database {
  readonly knex: Knex;
  readonly kind: 'postgres' | 'embedded';
  /** What works but should be fixed on the server, one sentence each. */
  readonly warnings: readonly string[];
  /** Connections of the pool at the moment; `pending` is the number of queries that wait for one. */
  connections(): { used: number; free: number; pending: number };
  /** Closes the pool; of an embedded database also its host, if nobody else uses it. */
  close(): Promise<void>;
}

export interface PoolOptions {
  /** Connections at most. Default 10, embedded 4. */
  readonly poolMax?: number;
  /** Longest statement; 0 = no limit. Default 30 s. The embedded database has no such limit: it can't interrupt itself. */
  readonly statementMs?: number;
  /** How long the server may be silent after the longest statement. Default 10 s. */
  readonly silenceMs?: number;
  /** Shown in `pg_stat_activity`. Default `loupe`. */
  readonly applicationName?: string;
  /** Called for lost connections and failed migrations; the error itself is always thrown too. */
  readonly onWarning?: (message: string) => void;
}

/** How long a query may wait for a connection. */
const ACQUIRE_MS = 10_000;
const STATEMENT_MS = 30_000;
const SILENCE_MS = 10_000;
const KEEP_ALIVE_MS = 10_000;

/** Whatever the server, database or role has: values are read in these forms. Compiling a statement (`jit`) takes a hundred times as long as running it. */
const SESSION =
  '-c datestyle=ISO -c intervalstyle=postgres -c timezone=UTC -c bytea_output=hex -c extra_float_digits=1 ' +
  '-c standard_conforming_strings=on -c default_transaction_isolation=read\\ committed -c jit=off';

/** Settings in the address (`options`) come first: of one name PostgreSQL takes the last. */
function sessionOf(url: string) {
  const address = new URL(url);
  const options = [...address.searchParams.getAll('options'), SESSION].join(' ');
  address.searchParams.delete('options');
  return { connectionString: address.href, options };
}

/** A PostgreSQL server at `url`; connects with the first query. */
export function connectPostgres({
  url,
  warnings = [],
  statementMs = STATEMENT_MS,
  silenceMs = SILENCE_MS,
  ...options
}: PoolOptions & { readonly url: string; readonly warnings?: readonly string[] }): Database {
  const pool = createKnex(
    { poolMax: 10, ...options },
    {
      statement_timeout: statementMs,
      ...sessionOf(url),
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
      ...commonConnection(options),
    },
    statementMs && statementMs + silenceMs,
  );
  return { ...pool, kind: 'postgres', warnings, close: () => pool.knex.destroy() };
}

/** The embedded database. Starts its host if none runs, also at the first query after one died. @throws AppError 503 */
export async function connectEmbedded(
  options: PoolOptions & EmbeddedOptions & { readonly dataDir: string },
): Promise<Database> {
  const embedded = await ensureEmbedded(options.dataDir, options);
  const pool = createKnex({ poolMax: 4, ...options }, async () => {
    const host = await embedded.socketFolder();
    const expirationChecker = () => !embedded.isCurrent(host);
    return { ...clientOptions(host), ...commonConnection(options), expirationChecker };
  });
  const close = async () => {
    await pool.knex.destroy();
    await embedded.close();
  };
  return { ...pool, kind: 'embedded', warnings: [], close };
}

const commonConnection = ({ applicationName = 'loupe' }: PoolOptions) => ({
  application_name: applicationName,
  connectionTimeoutMillis: ACQUIRE_MS,
  types: valueTypes,
});

function createKnex(
  { poolMax, onWarning }: PoolOptions & { readonly poolMax: number },
  connection: Knex.PgConnectionConfig | Knex.ConnectionConfigProvider,
  silenceMs = 0,
): Pick<Database, 'knex' | 'connections'> {
  const warn = (message: unknown) => onWarning?.(String(message));
  const knex = knexFactory({
    client: 'pg',
    connection,
    pool: { min: 0, max: poolMax, ...withoutSpentConnections() },
    acquireConnectionTimeout: ACQUIRE_MS,
    log: { warn, error: warn, deprecate: warn, debug: () => undefined },
  });
  const shares = connectionBudget(poolMax, ACQUIRE_MS);
  shareConnections(knex.client, shares, silenceMs);
  // As Knex's pool (tarn) counts them, plus the queries that wait for their party's share.
  const connections = () => {
    const { pool } = knex.client;
    const pending = pool.numPendingAcquires() + shares.state.waiting;
    return { used: pool.numUsed(), free: pool.numFree(), pending };
  };
  return { knex, connections };
}

/** Drops unusable connections: all of them when one breaks, is silent, or leads to a server that is no longer the primary. */
function withoutSpentConnections() {
  const usable = new Set<Client>();
  return {
    afterCreate: (client: Client & Watched, done: (error: null, client: Client) => void) => {
      const { stream } = client.connection;
      // Where a firewall drops packets, TCP alone would let a statement wait for a quarter of an hour.
      const silent = Object.assign(new Error('The connection is silent'), { code: 'ETIMEDOUT' });
      stream.on('timeout', () => client.readyForQuery || stream.destroy(silent));
      usable.add(client);
      client.once('end', () => usable.delete(client));
      const clear = () => usable.has(client) && usable.clear();
      client.once('error', clear);
      client.connection.on('errorMessage', ({ code }: { readonly code?: string }) => {
        const spent = connectionsToDrop(code ?? '');
        if (spent === 'all') clear();
        else if (spent === 'this') usable.delete(client);
      });
      done(null, client);
    },
    validate: (client: Client) => usable.has(client),
  };
}

/** A party holds half of the connections at most, however many calls it makes (contract 12.12). The extra unit rounds the half up. */
export const connectionBudget = (connectionsMax: number, waitMs: number): FairBudget =>
  new FairBudget({
    units: connectionsMax + 1,
    mayExceed: false,
    waitMs,
    refusal: 'Too many calls are under way in the database; call again soon.',
  });

/** The part of Knex's client from which every statement and transaction gets its connection. */
interface ConnectionSource {
  acquireConnection(): Promise<Watched>;
  releaseConnection(connection: Watched): Promise<void>;
}

/** The part of node-postgres that is needed to detect a silent connection. */
interface Watched {
  readonly connection: { readonly stream: Socket };
  /** False while a statement runs. */
  readonly readyForQuery: boolean;
}

/** Counts every connection against the party that it is for (contract 12.12). When none is free in time: 503. */
function shareConnections(client: ConnectionSource, shares: FairBudget, silenceMs: number): void {
  const held = new WeakMap<object, Lease>();
  const acquire = client.acquireConnection.bind(client);
  const release = client.releaseConnection.bind(client);
  client.acquireConnection = async () => {
    const lease = shares.open(currentParty());
    await lease.resize(1);
    try {
      const connection = await acquire();
      connection.connection.stream.setTimeout(silenceMs);
      held.set(connection, lease);
      return connection;
    } catch (failure) {
      lease.close();
      // Why the embedded database can't be started is for its operator.
      throw databaseUnavailable(failure);
    }
  };
  client.releaseConnection = async (connection) => {
    try {
      connection.connection.stream.setTimeout(0);
      await release(connection);
    } finally {
      held.get(connection)?.close();
    }
  };
}
