import 'reflect-metadata';
import { cpus } from 'node:os';
import type { Logger as PinoLogger } from 'pino';
import type { DependencyContainer } from 'tsyringe';
import type { ApiSettings } from '../../api/api-services';
import { MemoryRateLimiter } from '../../api/limits/memory-rate-limiter';
import { connectEmbedded, connectPostgres, type Database } from '../../db/core/knex';
import { probePostgres } from '../../db/core/probe-postgres';
import { type Clock, type IndexQueue, PORTS, type RateLimiter, type VisionQueue } from '../../models/ports';
import { defaultThreads, visionConcurrency } from '../../workers/embedder/inference-pool';
import { ImageIndexer } from '../../workers/index-images';
import { VisionPipeline } from '../../workers/pipeline';
import { InProcessIndexQueue } from '../../workers/queue/in-process-index-queue';
import { InProcessVisionQueue } from '../../workers/queue/in-process-queue';
import type { Config } from '../config';
import type { Tracing } from './tracing/tracing';
import { waitForStore } from './wait-for-store';

export type Container = DependencyContainer;

export type QueuePage = NonNullable<ApiSettings['queues']>;

/** What the two ways of running differ in; everything else is the same. */
export interface DatabaseAdapter {
  database(config: Config, logger: PinoLogger): Promise<Database>;
}

export interface QueueAdapters {
  /** Waits until what the queues live in can be used. @throws StartRefused */
  reached(loupe: Opening): Promise<void>;
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

export const EMBEDDED_DATABASE: DatabaseAdapter = {
  database: (config, logger) =>
    connectEmbedded({ dataDir: config.DATA_DIR, onWarning: (message) => logger.warn({}, message) }),
};

export const POSTGRES: DatabaseAdapter = {
  database: async (config, logger) => {
    const url = config.DATABASE_URL ?? '';
    const warnings = await waitForStore('DATABASE_URL', () => probePostgres(url), {
      waitMs: config.STORE_WAIT_MS,
      logger,
    });
    return connectPostgres({
      url,
      warnings,
      poolMax: config.DATABASE_POOL_MAX,
      onWarning: (message) => logger.warn({}, message),
    });
  },
};

export const IN_PROCESS: QueueAdapters = {
  reached: async () => undefined,
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

/** Threads (processes, for the native backend) that compute embeddings; 0 of the settings takes what suits the machine. */
export const inferenceThreads = (config: Config): number =>
  config.INFERENCE_THREADS === 0 ? defaultThreads(cpus().length) : config.INFERENCE_THREADS;
