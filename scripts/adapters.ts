import 'reflect-metadata';
import { cpus } from 'node:os';
import type { Logger as PinoLogger } from 'pino';
import type { DependencyContainer } from 'tsyringe';
import type { ApiSettings } from '../api/api-services';
import { MemoryRateLimiter } from '../api/limits/memory-rate-limiter';
import { RedisRateLimiter } from '../api/limits/redis-rate-limiter';
import { queueDashboard } from '../api/ops/queue-dashboard';
import { connectEmbedded, connectPostgres, type Database } from '../db/knex';
import { type Clock, type IndexQueue, PORTS, type RateLimiter, type VisionQueue } from '../models/ports';
import { defaultThreads } from '../workers/embedder/inference-pool';
import { ImageIndexer } from '../workers/index-images';
import { VisionPipeline } from '../workers/pipeline';
import { BullMqIndexQueue } from '../workers/queue/bullmq-index-queue';
import { BullMqIndexWorker } from '../workers/queue/bullmq-index-worker';
import { BullMqVisionQueue } from '../workers/queue/bullmq-queue';
import { BullMqVisionWorker, visionConcurrency } from '../workers/queue/bullmq-worker';
import { openDashboardQueues } from '../workers/queue/dashboard-queues';
import { InProcessIndexQueue } from '../workers/queue/in-process-index-queue';
import { InProcessVisionQueue } from '../workers/queue/in-process-queue';
import { impatientConnection } from '../workers/queue/redis-connection';
import type { Config } from './config';
import type { Tracing } from './tracing/tracing';

export type Container = DependencyContainer;

export type QueuePage = NonNullable<ApiSettings['queues']>;

/** What the two ways of running differ in; everything else is the same. */
export interface Adapters {
  database(config: Config, logger: PinoLogger): Promise<Database>;
  rateLimiter(loupe: Opening): Promise<RateLimiter>;
  visionQueue(loupe: Opening): Promise<VisionQueue>;
  indexQueue(loupe: Opening): Promise<IndexQueue>;
  /** Starts to answer the queues in this process. */
  answer(loupe: Opening): Promise<void>;
  /** The page on which operators look at the queues; null where there is nothing to look at. */
  dashboard(loupe: Opening, password: string): QueuePage | null;
}

/** A process on its way up. */
export interface Opening {
  readonly config: Config;
  readonly container: Container;
  readonly logger: PinoLogger;
  readonly tracing: Tracing;
  /** Has something closed later, before all that was opened earlier. */
  closing(close: () => Promise<unknown>): void;
}

/** The one place where embedded and production differ: the database by `DATABASE_URL`, the queue by `REDIS_URL`. */
export function adaptersOf(config: Config): Adapters {
  return {
    ...(config.DATABASE_URL === undefined ? EMBEDDED_DATABASE : POSTGRES),
    ...(config.REDIS_URL === undefined ? IN_PROCESS : redis(config.REDIS_URL)),
  };
}

const EMBEDDED_DATABASE: Pick<Adapters, 'database'> = {
  database: (config, logger) =>
    connectEmbedded({ dataDir: config.DATA_DIR, onWarning: (message) => logger.warn({}, message) }),
};

const POSTGRES: Pick<Adapters, 'database'> = {
  database: async (config, logger) =>
    connectPostgres({
      url: config.DATABASE_URL ?? '',
      poolMax: config.DATABASE_POOL_MAX,
      onWarning: (message) => logger.warn({}, message),
    }),
};

const IN_PROCESS: Omit<Adapters, 'database'> = {
  rateLimiter: async () => new MemoryRateLimiter(),
  visionQueue: async ({ config, container, logger, tracing, closing }) => {
    const queue = new InProcessVisionQueue(tracing.photos(container.resolve(VisionPipeline)), {
      clock: container.resolve<Clock>(PORTS.Clock),
      logger,
      concurrency: visionConcurrency(inferenceThreads(config)),
      waitingMax: config.QUEUE_WAITING_MAX,
    });
    closing(() => queue.close());
    return queue;
  },
  indexQueue: async ({ container, closing }) => {
    const queue = new InProcessIndexQueue(container.resolve(ImageIndexer));
    closing(() => queue.close());
    return queue;
  },
  answer: async () => undefined,
  dashboard: () => null,
};

function redis(redisUrl: string): Omit<Adapters, 'database'> {
  const bullMq = ({ config, logger }: Opening) => ({ redisUrl, prefix: config.QUEUE_PREFIX, logger });
  return {
    rateLimiter: async ({ config, logger, closing }) => {
      const stop = new AbortController();
      const connection = impatientConnection(redisUrl, stop.signal, logger);
      closing(async () => {
        stop.abort();
        connection.disconnect();
      });
      return new RedisRateLimiter(connection, config.QUEUE_PREFIX, logger);
    },
    visionQueue: async (opening) => {
      const queue = new BullMqVisionQueue({
        ...bullMq(opening),
        clock: opening.container.resolve<Clock>(PORTS.Clock),
        waitingMax: opening.config.QUEUE_WAITING_MAX,
      });
      opening.closing(() => queue.close());
      return queue;
    },
    indexQueue: async (opening) => {
      const queue = new BullMqIndexQueue(bullMq(opening));
      opening.closing(() => queue.close());
      return queue;
    },
    answer: async (opening) => {
      const { config, container, tracing, closing } = opening;
      const photos = new BullMqVisionWorker(tracing.photos(container.resolve(VisionPipeline)), {
        ...bullMq(opening),
        clock: container.resolve<Clock>(PORTS.Clock),
        concurrency: visionConcurrency(inferenceThreads(config)),
        closeTimeoutMs: config.STOP_TIMEOUT_MS,
      });
      closing(() => photos.close());
      const images = new BullMqIndexWorker(container.resolve(ImageIndexer), bullMq(opening));
      closing(() => images.close());
      await Promise.all([photos.ready(), images.ready()]);
    },
    dashboard: (opening, password) => {
      const { queues, close } = openDashboardQueues(bullMq(opening));
      opening.closing(close);
      return queueDashboard(queues, password);
    },
  };
}

/** Threads (processes, for the native backend) that compute embeddings; 0 of the settings takes what suits the machine. */
export const inferenceThreads = (config: Config): number =>
  config.INFERENCE_THREADS === 0 ? defaultThreads(cpus().length) : config.INFERENCE_THREADS;
