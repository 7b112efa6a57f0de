import { Queue } from 'bullmq';
import type { BullMqOptions } from './bullmq-producer';
import { INDEX_QUEUE, VISION_QUEUE } from './job';
import { patientConnection } from './redis-connection';

/** The queues as an operator looks at them, on connections of their own (contract 14.4, `/queues`). */
export interface DashboardQueues {
  readonly queues: readonly Queue[];
  close(): Promise<void>;
}

/** Opens both queues for the dashboard; they connect when Redis is there. */
export function openDashboardQueues({ redisUrl, prefix, logger }: BullMqOptions): DashboardQueues {
  const stop = new AbortController();
  const queues = [VISION_QUEUE, INDEX_QUEUE].map((name) => {
    const queue = new Queue(name, { connection: patientConnection(redisUrl, stop.signal), prefix });
    queue.on('error', (failure) =>
      logger.debug({ queue: name, failure: failure.message }, 'queue dashboard'),
    );
    return queue;
  });
  return {
    queues,
    close: async () => {
      stop.abort();
      await Promise.allSettled(queues.map((queue) => queue.close()));
    },
  };
}
