import type { Config } from '../config';
import {
  type DatabaseAdapter,
  EMBEDDED_DATABASE,
  IN_PROCESS,
  POSTGRES,
  type QueueAdapters,
} from './adapters';

/** The one place where embedded and production differ: the database by `DATABASE_URL`, ... */
export const databaseOf = (config: Config): DatabaseAdapter =>
  config.DATABASE_URL === undefined ? EMBEDDED_DATABASE : POSTGRES;

/** ... the queue by `REDIS_URL`. What speaks to Redis is loaded only where there is one. */
export function queuesOf(config: Config): QueueAdapters {
  if (config.REDIS_URL === undefined) return IN_PROCESS;
  const { redisAdapters }: typeof import('./redis-adapters') = require('./redis-adapters');
  return redisAdapters(config.REDIS_URL);
}
