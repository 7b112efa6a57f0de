/** A running server that a test may disturb. After `kill`, `start` brings it back at the same address. */
export interface Service {
  /** Where it is reached, password included; the same for its whole life. */
  readonly url: string;
  /** Orderly stop, then start. */
  restart(): Promise<void>;
  /** Ends it at once, as in a crash. */
  kill(): Promise<void>;
  start(): Promise<void>;
  /** Connections stay open and nothing answers, until `resume`. */
  pause(): Promise<void>;
  resume(): Promise<void>;
  /** Ends it for good and removes what it left; a server that was given by its address stays as it is. */
  stop(): Promise<void>;
}

/** A PostgreSQL with pgvector. */
export interface PostgresService extends Service {
  /** Creates a database, as a copy of `template` (to which nobody may be connected) if given; resolves with its URL. */
  createDatabase(name: string, template?: string): Promise<string>;
}

/** A Redis that evicts nothing. */
export type RedisService = Service;

/** A server with an S3 API; user and password of its URL are the key. */
export interface ObjectStore extends Service {
  /** In words, how it was brought up. */
  readonly how: string;
}

export interface PostgresOptions {
  /** Keeps what was committed over a crash, as in production; default false, which is faster. */
  readonly durable?: boolean;
  /** Server settings by name (`shared_buffers`, …). */
  readonly settings?: Readonly<Record<string, string>>;
}

export interface RedisOptions {
  /** Keeps its data over a restart (append-only file); default false. */
  readonly durable?: boolean;
  /** Server settings by name (`maxmemory`, …). */
  readonly settings?: Readonly<Record<string, string>>;
}

/** Variables of the environment, as `process.env` has them. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** What every way of bringing servers up needs to know. */
export interface ProviderOptions {
  readonly environment: Environment;
  /** Hears in one line each what is done and why; nothing is skipped in silence. */
  readonly log: (line: string) => void;
}

/** One way to bring servers up. */
export interface Provider {
  /** In words, with versions. */
  readonly how: string;
  startPostgres(options: PostgresOptions): Promise<PostgresService>;
  startRedis(options: RedisOptions): Promise<RedisService>;
}
