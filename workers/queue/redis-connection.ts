import { Redis } from 'ioredis';
import { messageOf } from '../../models/errors';
import type { Logger } from '../../models/ports';
import * as faults from '../../models/store-fault';

/** A hanging server counts as unavailable after this. */
const COMMAND_TIMEOUT_MS = 2_000;
/** A connection that is silent for this long after a command is replaced; BullMQ's own commands block for up to 10 s. */
const SILENCE_MS = { asked: 5_000, blocking: 15_000 };
const RECONNECT_STEP_MS = 100;
const RECONNECT_MAX_MS = 1_000;

/** The replies of a Redis that is reachable but can't serve now: read-only, full, loading, busy, without its primary or replicas. */
const REFUSALS = /\b(READONLY|MISCONF|OOM|LOADING|MASTERDOWN|NOREPLICAS|CLUSTERDOWN|TRYAGAIN|BUSY)\b/;

/** Of these, the ones that reconnecting fixes: the connection leads to a server that is no longer the primary. */
const OTHER_SERVER = /\b(READONLY|MASTERDOWN)\b/;

/** Whether waiting may help, because Redis is reachable but can't serve now. */
export const isRefusal = ({ message }: Error): boolean => REFUSALS.test(message);

/** Reconnects until `stop`: a connection that is told to disconnect while it is broken never rejects the commands that wait. */
const retryUntil = (stop: AbortSignal) => ({
  retryStrategy: (attempts: number) =>
    stop.aborted ? null : Math.min(attempts * RECONNECT_STEP_MS, RECONNECT_MAX_MS),
  // The command itself is not sent again.
  reconnectOnError: ({ message }: Error) => OTHER_SERVER.test(message),
});

/** For producers: a command fails at once while Redis is unavailable, is never sent twice, and has a time limit. */
export function failFastConnection(url: string, stop: AbortSignal, logger: Logger): Redis {
  const redis = new Redis(url, {
    ...retryUntil(stop),
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    commandTimeout: COMMAND_TIMEOUT_MS,
    socketTimeout: SILENCE_MS.asked,
  });
  // One line for each outage and one for its end, not one per attempt.
  let away = false;
  redis.on('error', (failure: Error) => {
    if (!away) logger.warn({ failure: failure.message }, 'Redis is away');
    away = true;
  });
  redis.on('ready', () => {
    if (away) logger.info({}, 'Redis is back');
    away = false;
  });
  return redis;
}

/** BullMQ's options for consumers, which wait for Redis however long it takes. */
export const patientConnection = (url: string, stop: AbortSignal) => ({
  url,
  ...retryUntil(stop),
  maxRetriesPerRequest: null,
  socketTimeout: SILENCE_MS.blocking,
});

/** The required interface of a connection, ours or BullMQ's. */
export interface Connection {
  readonly status: string;
  on(event: string, listener: () => void): unknown;
  once(event: string, listener: () => void): unknown;
  disconnect(): unknown;
}

/** Resolves when the connection can be used; rejects when it was given up. */
export function awaitConnection(redis: Connection): Promise<void> {
  if (redis.status === 'ready') return Promise.resolve();
  return new Promise((resolve, reject) => {
    redis.once('ready', resolve);
    redis.once('end', () => reject(new Error('The connection to Redis was closed')));
  });
}

/** Ends a connection whose `stop` was given; resolves when it has ended, also when it is broken. */
export function disconnected(redis: Connection): Promise<void> {
  if (redis.status === 'end') return Promise.resolve();
  return new Promise((resolve) => {
    redis.once('end', resolve);
    if (redis.status !== 'reconnecting') redis.disconnect();
    else redis.once('ready', () => redis.disconnect());
  });
}

const PROBE_MS = 5_000;

/** Connects once and checks whether queues can live there. @throws StoreFault naming host, port, database and the remedy */
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
  // A refused password and the like appear only there; commands just find the connection closed.
  let lastError: unknown;
  redis.on('error', (error: unknown) => {
    lastError ??= error;
  });
  const place = `Redis at ${redis.options.host}:${redis.options.port}, database ${redis.options.db}`;
  const faulty = ({ says, isTransient }: faults.FaultSentence, cause?: unknown) =>
    new faults.StoreFault(`${place}: ${says}`, isTransient, cause);
  try {
    await redis.connect();
    const role = /^role:(\w+)/m.exec(await redis.info('replication'))?.[1];
    if (lastError !== undefined) throw lastError;
    if (role === 'slave')
      throw faulty(faults.transient('it is a replica, which cannot be written: name the primary'));
  } catch (error) {
    if (error instanceof faults.StoreFault) throw error;
    throw faulty(redisFault(lastError ?? error), lastError ?? error);
  } finally {
    redis.disconnect();
  }
}

function redisFault(error: unknown): faults.FaultSentence {
  const message = messageOf(error);
  if (error instanceof Error && isRefusal(error)) return faults.transient(`it cannot serve now: ${message}`);
  if (/NOAUTH/.test(message)) return faults.permanent('it asks for a password, and the address has none');
  if (/WRONGPASS|invalid password|without any password/i.test(message))
    return faults.permanent(
      'it refuses the user or the password: both stand in the address (redis://user:password@host), special characters percent-encoded',
    );
  if (/NOPERM/.test(message)) return faults.permanent(`its user lacks a right: ${message}`);
  if (/DB index/i.test(message))
    return faults.permanent('it has no database of this number: name a lower one, or raise its "databases"');
  if (/wrong version number|packet length too long|plain/i.test(message) || faults.codeOf(error) === 'EPROTO')
    return faults.permanent(
      'it does not speak TLS on this port: redis:// instead of rediss://, or its TLS port',
    );
  if (/timed out|ETIMEDOUT/i.test(message))
    return faults.transient('it does not answer: is a firewall in between, or does it want TLS (rediss://)?');
  const fault = faults.networkFault(error, 'Redis');
  if (fault) return fault;
  return /connection is closed/i.test(message)
    ? faults.transient('the connection was cut off: is that Redis, and does it want TLS (rediss://)?')
    : faults.permanent(message);
}
