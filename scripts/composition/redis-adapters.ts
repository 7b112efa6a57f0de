import { RedisRateLimiter } from '../../api/limits/redis-rate-limiter';
import { queueDashboard } from '../../api/ops/queue-dashboard';
import { PORTS } from '../../models/ports';
import { visionConcurrency } from '../../workers/embedder/inference-pool';
import { ImageIndexer } from '../../workers/index-images';
import { VisionPipeline } from '../../workers/pipeline';
import { BullMqIndexQueue, BullMqIndexWorker } from '../../workers/queue/bullmq-index-queue';
import { BullMqVisionQueue, openDashboardQueues } from '../../workers/queue/bullmq-queue';
import { BullMqVisionWorker } from '../../workers/queue/bullmq-worker';
import { impatientConnection, probeRedis } from '../../workers/queue/redis-connection';
import { inferenceThreads } from './inference';
import { adapterOf, type Opening, type QueueAdapters } from './opening';
import { waitForStore } from './wait-for-store';

/** The queues and limits that all processes share, on BullMQ and Redis. */
export function redisAdapters(redisUrl: string): QueueAdapters {
  const bullMq = ({ config, logger }: Opening) => ({ redisUrl, prefix: config.QUEUE_PREFIX, logger });
  return {
    reached: ({ config, logger }) =>
      waitForStore('REDIS_URL', () => probeRedis(redisUrl), { waitMs: config.STORE_WAIT_MS, logger }),
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
        clock: adapterOf(opening.container, PORTS.Clock),
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
        clock: adapterOf(container, PORTS.Clock),
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
      return queueDashboard(queues, password, opening.config.UNKNOWN_KEYS_PER_MINUTE);
    },
  };
}
