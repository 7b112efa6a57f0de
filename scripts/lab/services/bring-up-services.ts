import { debianProvider } from './debian-provider';
import { dockerProvider } from './docker-provider';
import { givenServices } from './given-services';
import type {
  PostgresOptions,
  PostgresService,
  Provider,
  ProviderOptions,
  RedisOptions,
  RedisService,
} from './service';

export interface BringUpOptions extends ProviderOptions {
  readonly postgres?: PostgresOptions;
  readonly redis?: RedisOptions;
}

export interface Services {
  readonly postgres: PostgresService;
  readonly redis: RedisService;
  /** In words, how the servers were brought up. */
  readonly how: string;
  /** Whether one of them belongs to somebody else, and must not be disturbed. */
  readonly given: boolean;
  stop(): Promise<void>;
}

/**
 * A real PostgreSQL with pgvector and a real Redis, by the first way that works here: addresses given in the environment,
 * a Docker engine, Debian packages (`npm run test:services`). What was started ends with this process, even
 * when that is killed.
 * @throws Error that names what failed in each way.
 */
export async function bringUpServices(options: BringUpOptions): Promise<Services> {
  const given = givenServices(options.environment);
  if (given.postgres !== undefined && given.redis !== undefined) {
    return together(given.postgres, given.redis, 'addresses given', true);
  }
  const failures: string[] = [];
  for (const [name, find] of [
    ['Docker engine', dockerProvider],
    ['Debian packages', debianProvider],
  ] as const) {
    try {
      return await startMissing(await find(options), given, options);
    } catch (error) {
      failures.push(`${name}: ${error instanceof Error ? error.message : String(error)}`);
      options.log(`services: not by ${failures.at(-1)}`);
    }
  }
  throw new Error(`no PostgreSQL and Redis could be brought up; ${failures.join('; ')}`);
}

async function startMissing(
  provider: Provider,
  given: ReturnType<typeof givenServices>,
  options: BringUpOptions,
): Promise<Services> {
  const postgres = given.postgres ?? (await provider.startPostgres(options.postgres ?? {}));
  try {
    const redis = given.redis ?? (await provider.startRedis(options.redis ?? {}));
    const addresses = [given.postgres && 'PostgreSQL', given.redis && 'Redis'].filter(Boolean);
    const rest = addresses.length === 0 ? '' : `; ${addresses.join()} at the address given`;
    return together(postgres, redis, `${provider.how}${rest}`, addresses.length > 0);
  } catch (error) {
    await postgres.stop();
    throw error;
  }
}

function together(postgres: PostgresService, redis: RedisService, how: string, given: boolean): Services {
  return {
    postgres,
    redis,
    how,
    given,
    async stop() {
      await Promise.all([postgres.stop(), redis.stop()]);
    },
  };
}
