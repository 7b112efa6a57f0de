import { Redis } from 'ioredis';
import { codeOf, type FaultSentence, networkFault, StoreFault } from '../../models/store-fault';
import { isRefusal } from './redis-connection';

const PROBE_MS = 5_000;

/**
 * Connects once to a Redis server and looks whether queues can live there.
 *
 * @throws StoreFault naming host, port and database, and what to do
 */
export async function probeRedis(url: string): Promise<void> {
  const redis = new Redis(url, {
    lazyConnect: true,
    enableReadyCheck: false,
    retryStrategy: () => null,
    maxRetriesPerRequest: 0,
    connectTimeout: PROBE_MS,
    disconnectTimeout: 100,
    commandTimeout: PROBE_MS,
  });
  // A refused password and the like are told there, and the commands only that the connection is closed.
  let told: unknown;
  redis.on('error', (error: unknown) => {
    told ??= error;
  });
  const place = `Redis at ${redis.options.host}:${redis.options.port}, database ${redis.options.db}`;
  const faulty = ({ says, mayPass }: FaultSentence, cause?: unknown) =>
    new StoreFault(`${place}: ${says}`, mayPass, cause);
  try {
    await redis.connect();
    const role = /^role:(\w+)/m.exec(await redis.info('replication'))?.[1];
    if (told !== undefined) throw told;
    if (role === 'slave')
      throw faulty({ says: 'it is a replica, which can not be written: name the primary', mayPass: true });
  } catch (error) {
    if (error instanceof StoreFault) throw error;
    throw faulty(redisFault(told ?? error), told ?? error);
  } finally {
    redis.disconnect();
  }
}

function redisFault(error: unknown): FaultSentence {
  const message = error instanceof Error ? error.message : String(error);
  const lasting = (says: string): FaultSentence => ({ says, mayPass: false });
  if (error instanceof Error && isRefusal(error))
    return { says: `it can not serve now: ${message}`, mayPass: true };
  if (/NOAUTH/.test(message)) return lasting('it asks for a password, and the address has none');
  if (/WRONGPASS|invalid password|without any password/i.test(message))
    return lasting(
      'it refuses the user or the password: both stand in the address (redis://user:password@host), special characters percent-encoded',
    );
  if (/NOPERM/.test(message)) return lasting(`its user lacks a right: ${message}`);
  if (/DB index/i.test(message))
    return lasting('it has no database of this number: name a lower one, or raise its "databases"');
  if (/wrong version number|packet length too long|plain/i.test(message) || codeOf(error) === 'EPROTO')
    return lasting('it does not speak TLS on this port: redis:// instead of rediss://, or its TLS port');
  if (/timed out|ETIMEDOUT/i.test(message))
    return {
      says: 'it does not answer: is a firewall in between, or does it want TLS (rediss://)?',
      mayPass: true,
    };
  return (
    networkFault(error, 'Redis') ??
    (/connection is closed/i.test(message)
      ? {
          says: 'the connection was cut off: is that Redis, and does it want TLS (rediss://)?',
          mayPass: true,
        }
      : lasting(message))
  );
}
