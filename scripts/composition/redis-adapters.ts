import { RedisRateLimiter } from '../../api/limits/redis-rate-limiter';
import { queueDashboard } from '../../api/ops/queue-dashboard';
import { PORTS } from '../../models/ports';
import { visionConcurrency } from '../../workers/embedder/inference-pool';
import { ImageIndexer } from '../../workers/index-images';
import { VisionPipeline } from '../../workers/pipeline';
import { BullMqIndexQueue, BullMqIndexWorker } from '../../workers/queue/bullmq-index-queue';
import { BullMqVisionQueue, openDashboardQueues } from '../../workers/queue/bullmq-queue';
import { BullMqVisionWorker } from '../../workers/queue/bullmq-worker';
import { failFastConnection } from '../../workers/queue/redis-connection';
import { adapterOf, inferenceThreads, type Startup } from './startup';

export function redisQueues(startup: Startup, redisUrl: string) {
  const { config, container, logger, tracing, onClose } = startup;
  const bullMq = { redisUrl, prefix: config.QUEUE_PREFIX, logger };
  const clock = adapterOf(container, PORTS.Clock);
  const stop = new AbortController();
  const connection = failFastConnection(redisUrl, stop.signal, logger);
  onClose(async () => {
    stop.abort();
    connection.disconnect();
  });
  const vision = new BullMqVisionQueue({ ...bullMq, clock, waitingMax: config.QUEUE_WAITING_MAX });
  onClose(() => vision.close());
  const index = new BullMqIndexQueue(bullMq);
  onClose(() => index.close());
  return {
    limiter: new RedisRateLimiter(connection, config.QUEUE_PREFIX, logger),
    vision,
    index,
    answer: async () => {
      const photos = new BullMqVisionWorker(tracing.photos(container.resolve(VisionPipeline)), {
        ...bullMq,
        concurrency: visionConcurrency(inferenceThreads(config)),
        closeTimeoutMs: config.STOP_TIMEOUT_MS,
      });
      onClose(() => photos.close());
      const images = new BullMqIndexWorker(container.resolve(ImageIndexer), bullMq);
      onClose(() => images.close());
      await Promise.all([photos.ready(), images.ready()]);
    },
    dashboard: (password: string) => {
      const { queues, close } = openDashboardQueues(bullMq);
      onClose(close);
      return queueDashboard(queues, password, config.UNKNOWN_KEYS_PER_MINUTE);
    },
  };
}
