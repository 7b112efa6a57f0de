import type { PostgresOptions, RedisOptions } from './service';

/** `-c name=value` for `postgres`; without `durable` a crash may lose data, which makes tests fast. What is given wins. */
export function postgresParameters(options: PostgresOptions): readonly string[] {
  const fast = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };
  const all = { max_connections: '200', ...(options.durable === true ? {} : fast), ...options.settings };
  return Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

/** Settings for Redis by name: nothing evicted, as a queue needs it, and no persistence unless `durable`. */
export function redisSettings(options: RedisOptions): Readonly<Record<string, string>> {
  const appendonly = options.durable === true ? 'yes' : 'no';
  return { save: '', appendonly, 'maxmemory-policy': 'noeviction', databases: '64', ...options.settings };
}
