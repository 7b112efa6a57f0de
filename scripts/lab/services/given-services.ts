import type { Environment, ObjectStore, PostgresService, RedisService, Service } from './service';

/**
 * The servers whose addresses stand in the environment: `TEST_DATABASE_URL` and `TEST_REDIS_URL`, else `DATABASE_URL`
 * and `REDIS_URL`. They belong to someone else: every method that would disturb them rejects, and `stop` leaves them be.
 */
export function givenServices(environment: Environment): {
  postgres?: PostgresService;
  redis?: RedisService;
} {
  const databaseUrl = environment['TEST_DATABASE_URL'] || environment['DATABASE_URL'];
  const redisUrl = environment['TEST_REDIS_URL'] || environment['REDIS_URL'];
  return {
    ...(databaseUrl ? { postgres: { ...undisturbed(databaseUrl), createDatabase: refuse } } : {}),
    ...(redisUrl ? { redis: undisturbed(redisUrl) } : {}),
  };
}

/** The server with an S3 API whose address, with its key, is `TEST_S3_URL`; likewise not ours to disturb. */
export function givenObjectStore(environment: Environment): ObjectStore | null {
  const url = environment['TEST_S3_URL'];
  return url ? { ...undisturbed(url), how: 'address given' } : null;
}

function undisturbed(url: string): Service {
  return {
    url,
    restart: refuse,
    kill: refuse,
    start: refuse,
    pause: refuse,
    resume: refuse,
    stop: async () => undefined,
  };
}

async function refuse(): Promise<never> {
  throw new Error('this server was given by its address and is not ours to disturb');
}
