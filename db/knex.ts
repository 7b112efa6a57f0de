import knexFactory, { type Knex } from 'knex';
import { types } from 'pg';
import { unavailable } from '../models/errors';
import { type EmbeddedOptions, ensureEmbedded } from './embedded/ensure-embedded';

/** A pool of connections to PostgreSQL, whichever kind it is. */
export interface Database {
  readonly knex: Knex;
  readonly kind: 'postgres' | 'embedded';
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
}

const DEFAULTS = { acquireMs: 10_000, statementMs: 30_000, applicationName: 'loupe' } as const;

/** A PostgreSQL server at `url`. Connects with the first query: a server that is away shows in `ping`, not here. */
export function connectPostgres(options: PoolOptions & { readonly url: string }): Database {
  const { url, poolMax = 10, acquireMs, statementMs, applicationName } = { ...DEFAULTS, ...options };
  const knex = createKnex(
    {
      connectionString: url,
      application_name: applicationName,
      connectionTimeoutMillis: acquireMs,
      keepAlive: true,
      statement_timeout: statementMs,
      types: numberTypes,
    } as Knex.PgConnectionConfig,
    { min: 0, max: poolMax },
    acquireMs,
  );
  return { knex, kind: 'postgres', close: () => knex.destroy() };
}

/**
 * The embedded PostgreSQL of `dataDir`, which is started if no process has it open. Connections of a host that died
 * are replaced: the first query afterwards starts it again. @throws AppError 503 if it can't be started
 */
export async function connectEmbedded(
  options: PoolOptions & EmbeddedOptions & { readonly dataDir: string },
): Promise<Database> {
  const {
    dataDir,
    poolMax = 4,
    acquireMs,
    applicationName,
    ...embeddedOptions
  } = { ...DEFAULTS, ...options };
  const embedded = await ensureEmbedded(dataDir, embeddedOptions);
  const connection = async () => {
    const host = await embedded.socketFolder();
    return {
      host,
      user: 'postgres',
      database: 'postgres',
      application_name: applicationName,
      connectionTimeoutMillis: acquireMs,
      types: numberTypes,
      expirationChecker: () => !embedded.isCurrent(host),
    } as Knex.PgConnectionConfig;
  };
  const knex = createKnex(connection, { min: 0, max: poolMax }, acquireMs);
  return {
    knex,
    kind: 'embedded',
    close: async () => {
      await knex.destroy();
      await embedded.close();
    },
  };
}

/** Resolves if the database answers within `timeoutMs`. @throws AppError 503 */
export async function ping(knex: Knex, timeoutMs: number): Promise<void> {
  try {
    await knex.raw('select 1').timeout(timeoutMs);
  } catch (error) {
    throw unavailable('The database does not answer.', 1, error);
  }
}

function createKnex(
  connection: Knex.PgConnectionConfig | Knex.ConnectionConfigProvider,
  pool: Knex.PoolConfig,
  acquireMs: number,
): Knex {
  return knexFactory({ client: 'pg', connection, pool, acquireConnectionTimeout: acquireMs });
}

/** int8 (counts, sums, identities) as numbers; a value that a number can't hold exactly is an error, never rounded. */
function parseBigInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`${text} is too large for a number`);
  return value;
}

const INT8_ARRAY = 1016;
/** The type list of node-postgres names no arrays, but its parsers know them. */
const typeParser = types.getTypeParser as (typeId: number, format?: string) => (text: string) => unknown;
const TEXT_ARRAY = 1009;

/** How values come out: int8 as number; numeric stays text (node-postgres' default), as amounts must be exact. */
const numberTypes = {
  getTypeParser(typeId: number, format?: 'text' | 'binary') {
    if (format !== 'binary' && typeId === types.builtins.INT8) return parseBigInteger;
    if (format !== 'binary' && typeId === INT8_ARRAY) {
      const parseElements = typeParser(TEXT_ARRAY) as (text: string) => (string | null)[];
      return (text: string) =>
        parseElements(text).map((value) => (value === null ? null : parseBigInteger(value)));
    }
    return typeParser(typeId, format);
  },
};
