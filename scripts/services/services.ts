import { debianSoftware } from './debian-software';
import { startPrivatePostgres } from './private-postgres';
import { startPrivateRedis } from './private-redis';

/** A running server that a test may disturb. After `kill`, `start` brings it back at the same address. */
export interface Service {
  readonly url: string;
  /** Orderly stop and start at the same address. */
  restart(): Promise<void>;
  /** As in a crash. */
  kill(): Promise<void>;
  start(): Promise<void>;
  /** Connections stay open and nothing answers, until `resume`. */
  pause(): Promise<void>;
  resume(): Promise<void>;
  /** Ends the server and removes what it left. */
  stop(): Promise<void>;
}

export interface PostgresService extends Service {
  /** Creates a database, as a copy of `template` when given, and resolves with its URL. */
  createDatabase(name: string, template?: string): Promise<string>;
}

export type RedisService = Service;

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

export interface ServicesOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly log: (line: string) => void;
  readonly postgres?: PostgresOptions;
  readonly redis?: RedisOptions;
}

export interface Services {
  readonly postgres: PostgresService;
  readonly redis: RedisService;
  /** In words, how the servers were brought up. */
  readonly how: string;
  stop(): Promise<void>;
}

export async function bringUpServices(options: ServicesOptions): Promise<Services> {
  const software = await debianSoftware(options);
  const postgres = await startPrivatePostgres(software, options.postgres ?? {});
  const redis = await startPrivateRedis(software, options.redis ?? {});
  return {
    postgres,
    redis,
    how: `Debian packages (${software.description})`,
    async stop() {
      await Promise.all([postgres.stop(), redis.stop()]);
    },
  };
}
