import { Job, type JobsOptions, Queue, QueueEvents } from 'bullmq';
import type { Redis } from 'ioredis';
import { type AppError, internalError, stopping, unavailable } from '../../models/errors';
import type { Logger, QueueLoad } from '../../models/ports';
import { retryAlways } from '../../models/retries';
import * as redis from './redis-connection';

export interface BullMqOptions {
  readonly redisUrl: string;
  /** Namespace of this installation in Redis. */
  readonly prefix: string;
  readonly logger: Logger;
}

interface Open {
  readonly queue: Queue;
  readonly events: QueueEvents;
  /** The connection of `events`, which is its own. */
  readonly eventsRedis: redis.Connection;
}

interface Waiter {
  /** Whether the job is in the queue; before that it can't be lost. */
  added: boolean;
  resolve(returned: unknown): void;
  reject(failure: Error): void;
}

/** Bytes that belong to a job, whose payload is JSON, and when Redis deletes them. */
interface Attachment {
  readonly bytes: Buffer;
  readonly keptMs: number;
}

export const attachmentKey = (queue: Pick<Queue, 'toKey'>, jobId: string): string =>
  queue.toKey(`${jobId}:bytes`);

/** Events kept in Redis: minutes of the busiest queue. */
const EVENTS_KEPT = 10_000;
const REOPENING = { retries: Number.POSITIVE_INFINITY, factor: 1, minTimeout: 500 };
/** How long the key stays that shows that Redis can be written. */
const WRITTEN_MS = 60_000;
const RETRY_AFTER_SECONDS = 2;

/** BullMQ's message for a job whose workers died repeatedly. */
const WORKERS_DIED = 'job stalled more than allowable limit';

/** 503 for a queue that can't be reached or written. */
export function queueUnavailable(cause?: unknown): AppError {
  const refuses = cause instanceof Error && redis.isRefusal(cause);
  const message = refuses ? 'The queue takes no work now.' : 'The queue cannot be reached.';
  return unavailable(message, RETRY_AFTER_SECONDS, cause);
}

/** For this long calls share one count of the workers. */
const COUNTED_MS = 100;

/** The reply of Redis to a user who may not list clients. */
const NOT_TOLD = /NOPERM/;

/**
 * The asking side of one BullMQ queue: adds jobs and hands each answer to the one who asked. One stream of events serves
 * all callers; anyone who asks is registered before the job is added, so that no answer is too fast. While Redis is away
 * everything fails at once, and works again when it is back; callers waiting for a lost job then get an error (contract 7.13).
 */
export class BullMqProducer {
  readonly #stop = new AbortController();
  readonly #redis: Redis;
  readonly #waiters = new Map<string, Waiter>();
  readonly #opening: Promise<void>;
  #open: Open | null = null;
  #counted: { readonly workers: Promise<number | null>; readonly at: number } | null = null;

  /** @param onFinished called for every job of the queue that finishes, no matter who asked for it */
  constructor(
    private readonly name: string,
    private readonly options: BullMqOptions,
    private readonly onFinished: () => void = () => undefined,
  ) {
    this.#redis = redis.failFastConnection(options.redisUrl, this.#stop.signal, options.logger);
    this.#opening = this.#keepOpening();
  }

  /** Resolves when jobs can be added; waits for a Redis that is not there yet. */
  ready(): Promise<void> {
    return this.#opening;
  }

  /**
   * Adds a job, after its attachment. `answer` is what the worker returned, and rejects with `internalError` when the job
   * failed for good, with `unavailable` when Redis lost it, its workers died over it, or this side is closed.
   * @throws unavailable when it was not added
   */
  async ask(
    jobId: string,
    data: object,
    options: JobsOptions,
    attachment?: Attachment,
  ): Promise<{ readonly answer: Promise<unknown> }> {
    const answer = new Promise<unknown>((resolve, reject) =>
      this.#waiters.set(jobId, { added: false, resolve, reject }),
    );
    // It may have no listener yet, or no longer.
    answer.catch(() => undefined);
    await this.#usable(async ({ queue }) => {
      const add = () => queue.add(this.name, data, { ...options, jobId });
      if (!attachment) return add();
      const { bytes, keptMs } = attachment;
      // Commands of a connection are executed in order.
      return Promise.all([this.#redis.set(attachmentKey(queue, jobId), bytes, 'PX', keptMs), add()]);
    });
    const waiter = this.#waiters.get(jobId);
    if (waiter) waiter.added = true;
    return { answer };
  }

  forget(jobId: string): void {
    this.#waiters.delete(jobId);
  }

  /** Removes a job from the queue, unless it is being processed. */
  async withdraw(jobId: string): Promise<void> {
    await this.#usable(({ queue }) =>
      Promise.all([queue.remove(jobId), this.#redis.unlink(attachmentKey(queue, jobId))]),
    );
  }

  /**
   * Looks a job up, in case the event of its end was lost: the answer of a finished one is settled. Pauses between tries are of
   * seconds: one that is still on was set by a clock that was ahead, and ends (contract 14.18).
   */
  async stateOf(jobId: string): Promise<'unfinished' | 'finished' | 'gone'> {
    const job = await this.#usable(({ queue }) => Job.fromId(queue, jobId));
    if (!job) return 'gone';
    if (job.finishedOn === undefined) {
      // It fails where the pause has ended meanwhile.
      if (await job.isDelayed()) await job.promote().catch(() => undefined);
      return 'unfinished';
    }
    this.#settle(jobId, job.returnvalue, job.failedReason);
    return 'finished';
  }

  load(): Promise<QueueLoad> {
    return this.#usable(async ({ queue }) => {
      const { wait = 0, delayed = 0, active = 0 } = await queue.getJobCounts('wait', 'delayed', 'active');
      return { waiting: wait + delayed, active };
    });
  }

  /** How long the job at the head of the queue has waited, in milliseconds; 0 when none waits. */
  oldestWaitingMs(now: number): Promise<number> {
    return this.#usable(async ({ queue }) => {
      const id = await this.#redis.lindex(queue.toKey('wait'), -1);
      const added = id === null ? null : await this.#redis.hget(queue.toKey(id), 'timestamp');
      return added === null ? 0 : Math.max(0, now - Number(added));
    });
  }

  /** @throws unavailable while Redis is away, or refuses to be written */
  async ping(): Promise<void> {
    await this.#usable(() => this.#redis.set(`${this.options.prefix}:written`, '1', 'PX', WRITTEN_MS));
  }

  /** How many workers are connected to the queue; null if this Redis user may not list clients. */
  workers(): Promise<number | null> {
    const last = this.#counted;
    if (last && performance.now() - last.at < COUNTED_MS) return last.workers;
    const workers = this.#usable(({ queue }) => this.#countWorkers(queue));
    this.#counted = { workers, at: performance.now() };
    return workers;
  }

  /** Rejects all waiting calls with `unavailable`, and disconnects. */
  async close(): Promise<void> {
    this.#stop.abort();
    for (const waiter of this.#waiters.values()) waiter.reject(stopping());
    this.#waiters.clear();
    const open = this.#open;
    this.#open = null;
    if (open) await closeQueue(open);
    await redis.disconnected(this.#redis);
    await this.#opening;
  }

  async #countWorkers(queue: Queue): Promise<number | null> {
    try {
      const database = String(this.#redis.options.db ?? 0);
      return (await queue.getWorkers()).filter(({ db = database }) => db === database).length;
    } catch (failure) {
      if (failure instanceof Error && NOT_TOLD.test(failure.message)) return null;
      throw failure;
    }
  }

  async #usable<Result>(work: (open: Open) => Promise<Result>): Promise<Result> {
    const open = this.#open;
    if (!open || this.#redis.status !== 'ready' || open.eventsRedis.status !== 'ready')
      throw queueUnavailable();
    try {
      return await work(open);
    } catch (failure) {
      throw queueUnavailable(failure);
    }
  }

  async #keepOpening(): Promise<void> {
    const { logger } = this.options;
    const { signal } = this.#stop;
    const opened = async () => {
      await redis.awaitConnection(this.#redis);
      const open = await this.#openOnce();
      if (signal.aborted) await closeQueue(open);
      else this.#open = open;
    };
    const onFailedAttempt = ({ error }: { readonly error: Error }) => {
      if (!signal.aborted)
        logger.warn({ queue: this.name, failure: String(error) }, 'the queue does not open yet');
    };
    await retryAlways(opened, { ...REOPENING, signal, onFailedAttempt }).catch(() => undefined);
  }

  async #openOnce(): Promise<Open> {
    const { redisUrl, prefix } = this.options;
    const streams = { events: { maxLen: EVENTS_KEPT } };
    const queue = new Queue(this.name, { connection: this.#redis, prefix, streams });
    queue.on('error', () => undefined);
    await queue.waitUntilReady();
    // The default, "from now", would miss events between two reads.
    const [latest] = await this.#redis.xrevrange(queue.toKey('events'), '+', '-', 'COUNT', 1);
    const events = new QueueEvents(this.name, {
      connection: redis.patientConnection(redisUrl, this.#stop.signal),
      prefix,
      lastEventId: latest?.[0] ?? '0-0',
    });
    // `failFastConnection` logs outages.
    events.on('error', () => undefined);
    const finished = (jobId: string, returned: unknown, failedReason?: string): void => {
      this.onFinished();
      this.#settle(jobId, returned, failedReason);
    };
    events.on('completed', ({ jobId, returnvalue }) => finished(jobId, returnvalue));
    events.on('failed', ({ jobId, failedReason }) => finished(jobId, null, failedReason));
    const eventsRedis: redis.Connection = await events.getBackend().connection.client;
    for (const each of [this.#redis, eventsRedis]) each.on('ready', () => void this.#lookForLost());
    return { queue, events, eventsRedis };
  }

  /** A Redis that comes back may have lost jobs, or events of their end. */
  async #lookForLost(): Promise<void> {
    const waiting = [...this.#waiters].filter(([, waiter]) => waiter.added);
    for (const [jobId, waiter] of waiting) {
      // Away again, or one of the connections is not there yet: its return looks again.
      const state = await this.stateOf(jobId).catch(() => 'unknown');
      if (state === 'gone') waiter.reject(unavailable('The queue lost the work.', RETRY_AFTER_SECONDS));
    }
  }

  #settle(jobId: string, returned: unknown, failedReason?: string): void {
    const waiter = this.#waiters.get(jobId);
    this.#waiters.delete(jobId);
    if (!failedReason) waiter?.resolve(returned);
    else if (failedReason.startsWith(WORKERS_DIED)) {
      const message = 'The work was begun and broken off repeatedly.';
      waiter?.reject(unavailable(message, RETRY_AFTER_SECONDS, failedReason));
    } else waiter?.reject(internalError(new Error(failedReason)));
  }
}

/** BullMQ would wait for the end of a connection that is already broken. */
async function closeQueue({ queue, events, eventsRedis }: Open): Promise<void> {
  if (eventsRedis.status !== 'ready') await redis.disconnected(eventsRedis);
  await events.close();
  await queue.close();
}
