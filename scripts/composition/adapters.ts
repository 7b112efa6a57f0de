import { MemoryRateLimiter } from '../../api/limits/memory-rate-limiter';
import { connectEmbedded, connectPostgres, type Database } from '../../db/core/knex';
import { probePostgres } from '../../db/core/probe-postgres';
import { PORTS } from '../../models/ports';
import { visionConcurrency } from '../../workers/embedder/inference-pool';
import { ImageIndexer } from '../../workers/index-images';
import { VisionPipeline } from '../../workers/pipeline';
import { InProcessIndexQueue, InProcessVisionQueue } from '../../workers/queue/in-process-queue';
import { adapterOf, inferenceThreads, type Startup } from './startup';
import { waitForStore } from './wait-for-store';

/*
 * The one place where embedded and production differ:
 * |          | embedded                          | production                                    |
 * |----------|-----------------------------------|-----------------------------------------------|
 * | database | PGlite in `DATA_DIR`              | PostgreSQL at `DATABASE_URL`                   |
 * | queues   | in the process                    | BullMQ on Redis at `REDIS_URL`                 |
 * | limits   | in the process                    | in Redis, shared by all processes              |
 */

/** @throws StartRefused when the server can't be used; AppError when the embedded database can't be opened */
export async function openDatabase({ config, logger }: Startup): Promise<Database> {
  const { DATABASE_URL: url, DATA_DIR: dataDir, DATABASE_POOL_MAX: poolMax, STORE_WAIT_MS: waitMs } = config;
  const onWarning = (message: string) => logger.warn({}, message);
  if (url === undefined) return connectEmbedded({ dataDir, onWarning });
  const warnings = await waitForStore('DATABASE_URL', () => probePostgres(url), { waitMs, logger });
  return connectPostgres({ url, warnings, poolMax, onWarning });
}

export function openQueues(startup: Startup) {
  const { config, container, logger, tracing, onClose } = startup;
  if (config.REDIS_URL !== undefined) {
    // BullMQ is loaded only where there is a Redis.
    const { redisQueues }: typeof import('./redis-adapters') = require('./redis-adapters');
    return redisQueues(startup, config.REDIS_URL);
  }
  const vision = new InProcessVisionQueue(tracing.photos(container.resolve(VisionPipeline)), {
    clock: adapterOf(container, PORTS.Clock),
    logger,
    concurrency: visionConcurrency(inferenceThreads(config)),
    waitingMax: config.QUEUE_WAITING_MAX,
  });
  onClose(() => vision.close());
  const index = new InProcessIndexQueue(container.resolve(ImageIndexer));
  onClose(() => index.close());
  const limiter = new MemoryRateLimiter();
  return { limiter, vision, index, answer: async () => undefined, dashboard: () => null };
}

export type Queues = ReturnType<typeof openQueues>;

export async function assertRedisReachable({ config, logger }: Startup): Promise<void> {
  const { REDIS_URL: url, STORE_WAIT_MS: waitMs } = config;
  if (url === undefined) return;
  const redis: typeof import('../../workers/queue/redis-connection') = require('../../workers/queue/redis-connection');
  await waitForStore('REDIS_URL', () => redis.probeRedis(url), { waitMs, logger });
}
