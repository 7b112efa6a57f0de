import { Redis } from 'ioredis';
import type { Logger } from '../../models/ports';

/** A hung server counts as gone after this. */
const COMMAND_TIMEOUT_MS = 2_000;
const RECONNECT_STEP_MS = 100;
const RECONNECT_MAX_MS = 1_000;

/**
 * The one list of what a Redis says that is there and can't serve now: it can only be read, can't save, has no memory left,
 * loads its data, has lost its primary or its replicas, is busy.
 */
const REFUSALS = /\b(READONLY|MISCONF|OOM|LOADING|MASTERDOWN|NOREPLICAS|CLUSTERDOWN|TRYAGAIN|BUSY)\b/;

/** Of these, what another connection mends: it leads to a server that was the primary and is not any more. */
const OTHER_SERVER = /\b(READONLY|MASTERDOWN)\b/;

/** Whether waiting may mend what Redis says, since it is there and can't serve now. */
export const isRefusal = ({ message }: Error): boolean => REFUSALS.test(message);

/**
 * Reconnects until `stop`. Only a connection that ends by itself lets go of the commands that wait for it: one that is
 * told to disconnect while it is broken keeps them for ever.
 */
const retryUntil = (stop: AbortSignal) => ({
  retryStrategy: (attempts: number) =>
    stop.aborted ? null : Math.min(attempts * RECONNECT_STEP_MS, RECONNECT_MAX_MS),
  // The command itself is not sent again.
  reconnectOnError: ({ message }: Error) => OTHER_SERVER.test(message),
});

/**
 * For those who ask: a command fails at once while Redis is away, is never sent twice, and has a time limit, because
 * somebody waits for the answer.
 */
export function impatientConnection(url: string, stop: AbortSignal, logger: Logger): Redis {
  const redis = new Redis(url, {
    ...retryUntil(stop),
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    commandTimeout: COMMAND_TIMEOUT_MS,
  });
  // One line when Redis goes away and one when it is back, not one per attempt.
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

/** What BullMQ makes connections of for those who listen: they wait for Redis to come back, however long it takes. */
export const patientConnection = (url: string, stop: AbortSignal) => ({
  url,
  ...retryUntil(stop),
  maxRetriesPerRequest: null,
});

/** What has to be known of a connection, whoever made it. */
export interface Connection {
  readonly status: string;
  on(event: string, listener: () => void): unknown;
  once(event: string, listener: () => void): unknown;
  disconnect(): unknown;
}

/** Resolves when the connection can be used; rejects when it was given up. */
export function connected(redis: Connection): Promise<void> {
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
