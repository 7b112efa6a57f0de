import { Redis } from 'ioredis';

const PING_LIMIT_MS = 2000;

/** Whether a Redis on 127.0.0.1 takes the password and answers PING, over a connection of its own. */
export async function redisAnswers(port: number, password: string): Promise<boolean> {
  const limits = { connectTimeout: PING_LIMIT_MS, commandTimeout: PING_LIMIT_MS, retryStrategy: () => null };
  const redis = new Redis({ host: '127.0.0.1', port, password, lazyConnect: true, ...limits });
  redis.on('error', () => undefined);
  return redis
    .ping()
    .then(
      (answer) => answer === 'PONG',
      () => false,
    )
    .finally(() => redis.disconnect());
}
