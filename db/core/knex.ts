import knexFactory, { type Knex } from 'knex';
import { unavailable } from '../../models/errors';
import { type EmbeddedOptions, ensureEmbedded } from '../embedded/ensure-embedded';
import { valueTypes } from './value-types';

/** A pool of connections to PostgreSQL, whichever kind it is. */
export interface Database {
  readonly knex: Knex;
  readonly kind: 'postgres' | 'embedded';
  /** What works and should be mended on the server, a sentence each. */
  readonly warnings: readonly string[];
  /** Connections of the pool at the moment; `pending` is the number of queries that wait for one. */
  connections(): { used: number; free: number; pending: number };
  /** Closes the pool; of an embedded database also its host, if nobody else uses it. */
  close(): Promise<void>;
}

export interface PoolOptions {
  /** Connections at most. Default 10, embedded 4. */
  readonly poolMax?: number;
  /** How long a query may wait for a connection. Default 10 s. */
  readonly acquireMs?: number;
  /** Longest statement; 0 = no limit. Default 30 s. The embedded database has no such limit: it can't interrupt itself. */
  readonly statementMs?: number;
  /** Shown in `pg_stat_activity`. Default `loupe`. */
  readonly applicationName?: string;
  /** Hears of connections that were lost and migrations that failed; the error itself is always thrown too. */
  readonly onWarning?: (message: string) => void;
}

const DEFAULTS = {
  acquireMs: 10_000,
  statementMs: 30_000,
  applicationName: 'loupe',
  onWarning: () => undefined,
} as const;

type PoolSettings = Required<Omit<PoolOptions, 'statementMs'>>;

/** A PostgreSQL server at `url`. Connects with the first query: a server that is away shows in `ping`, not here. */
export function connectPostgres(
  options: PoolOptions & { readonly url: string; readonly warnings?: readonly string[] },
): Database {
  const { warnings = [] } = options;
  const settings = { ...DEFAULTS, poolMax: 10, ...options };
  const knex = createKnex(settings, {
    connectionString: settings.url,
    statement_timeout: settings.statementMs,
    // Compiling a statement costs a hundred times what these take.
    options: '-c jit=off',
    keepAlive: true,
    ...commonConnection(settings),
  });
  return {
    knex,
    kind: 'postgres',
    warnings,
    connections: () => connectionsOf(knex),
    close: () => knex.destroy(),
  };
}

/**
 * The embedded PostgreSQL of `dataDir`, which is started if no process has it open. Connections of a host that died
 * are replaced: the first query afterwards starts it again. @throws AppError 503 if it can't be started
 */
export async function connectEmbedded(
  options: PoolOptions & EmbeddedOptions & { readonly dataDir: string },
): Promise<Database> {
  const settings = { ...DEFAULTS, poolMax: 4, ...options };
  const embedded = await ensureEmbedded(settings.dataDir, options);
  const knex = createKnex(settings, async () => {
    const host = await embedded.socketFolder();
    return {
      host,
      user: 'postgres',
      database: 'postgres',
      expirationChecker: () => !embedded.isCurrent(host),
      ...commonConnection(settings),
    };
  });
  const close = async () => {
    await knex.destroy();
    await embedded.close();
  };
  return { knex, kind: 'embedded', warnings: [], connections: () => connectionsOf(knex), close };
}

/** Resolves if the database answers within `timeoutMs`. @throws AppError 503 */
export async function ping(knex: Knex, timeoutMs: number): Promise<void> {
  try {
    await knex.raw('select 1').timeout(timeoutMs);
  } catch (error) {
    throw unavailable('The database does not answer.', 1, error);
  }
}

/** As the pool of Knex (tarn) counts them. */
function connectionsOf({ client: { pool } }: Knex): { used: number; free: number; pending: number } {
  return { used: pool.numUsed(), free: pool.numFree(), pending: pool.numPendingAcquires() };
}

const commonConnection = ({ applicationName, acquireMs }: PoolSettings) => ({
  application_name: applicationName,
  connectionTimeoutMillis: acquireMs,
  types: valueTypes,
});

function createKnex(
  { poolMax, acquireMs, onWarning }: PoolSettings,
  connection: Knex.PgConnectionConfig | Knex.ConnectionConfigProvider,
): Knex {
  const warn = (message: unknown) => onWarning(String(message));
  return knexFactory({
    client: 'pg',
    connection,
    pool: { min: 0, max: poolMax },
    acquireConnectionTimeout: acquireMs,
    log: { warn, error: warn, deprecate: warn, debug: () => undefined },
  });
}
