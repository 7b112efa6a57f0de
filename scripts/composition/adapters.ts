import { MemoryRateLimiter } from '../../api/limits/memory-rate-limiter';
import { connectEmbedded, connectPostgres, type Database } from '../../db/core/knex';
import { probePostgres } from '../../db/core/probe-postgres';
import { PORTS } from '../../models/ports';
import { visionConcurrency } from '../../workers/embedder/inference-pool';
import { ImageIndexer } from '../../workers/index-images';
import { VisionPipeline } from '../../workers/pipeline';
import { InProcessIndexQueue, InProcessVisionQueue } from '../../workers/queue/in-process-queue';
import type { Config } from '../config';
import { inferenceThreads } from './inference';
import { adapterOf, type Opening, type QueueAdapters } from './opening';
import { waitForStore } from './wait-for-store';

/*
 * The one place where embedded and production differ:
 *
 * |          | embedded                          | production                                    |
 * |----------|-----------------------------------|-----------------------------------------------|
 * | database | PGlite in `DATA_DIR`              | PostgreSQL at `DATABASE_URL`                   |
 * | queues   | in the process                    | BullMQ on Redis at `REDIS_URL`                 |
 * | limits   | in the process                    | in Redis, shared by all processes              |
 */

/** @throws StartRefused when the server can't be used; AppError when the embedded database can't be opened */
export async function openDatabase({ config, logger }: Opening): Promise<Database> {
  const { DATABASE_URL: url, DATA_DIR: dataDir, DATABASE_POOL_MAX: poolMax, STORE_WAIT_MS: waitMs } = config;
  const onWarning = (message: string) => logger.warn({}, message);
  if (url === undefined) return connectEmbedded({ dataDir, onWarning });
  const warnings = await waitForStore('DATABASE_URL', () => probePostgres(url), { waitMs, logger });
  return connectPostgres({ url, warnings, poolMax, onWarning });
}

/** BullMQ is loaded only where there is a Redis. */
export function queuesOf(config: Config): QueueAdapters {
  if (config.REDIS_URL === undefined) return IN_PROCESS;
  const { redisAdapters }: typeof import('./redis-adapters') = require('./redis-adapters');
  return redisAdapters(config.REDIS_URL);
}

const IN_PROCESS: QueueAdapters = {
  reached: async () => undefined,
  rateLimiter: async () => new MemoryRateLimiter(),
  visionQueue: async ({ config, container, logger, tracing, closing }) => {
    const queue = new InProcessVisionQueue(tracing.photos(container.resolve(VisionPipeline)), {
      clock: adapterOf(container, PORTS.Clock),
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
