import 'reflect-metadata';
import { container as root } from 'tsyringe';
import type { Database } from '../../db/core/knex';
import { PORTS } from '../../models/ports';
import type { Config } from '../config';
import { assertRedisReachable } from './adapters';
import { startApiTasks, startWorkerTasks, watchProcesses } from './background-work';
import { bindImageSource, bindStores, bindVision } from './bindings';
import { assertImagesReachable } from './image-stores';
import { liveVersion } from './live-version';
import { createLogger } from './log';
import { adapterOf, type QueuePage, type Startup } from './startup';
import { NO_TRACING, openTracing } from './tracing/open-tracing';

/** What a process does for others; a command does neither. */
export interface Parts {
  /** Consumes the queues: embeds photos and catalog images for all processes. */
  readonly answersQueues: boolean;
  /** Serves HTTP and does the recurring work of the installation. */
  readonly servesHttp: boolean;
}

export const NO_PARTS: Parts = { answersQueues: false, servesHttp: false };

export interface Loupe extends Omit<Startup, 'onClose'> {
  readonly parts: Parts;
  readonly database: Database;
  readonly queuePage: QueuePage | null;
  close(): Promise<void>;
}

/** Adapters to use instead of the default ones, by token; for tests. */
export type Overrides = Readonly<Record<symbol, unknown>>;

/** Opens what the parts of a process need, in this order, and binds every port. A failure closes what was opened before. */
export const openLoupe = (config: Config, parts: Parts, overrides: Overrides = {}): Promise<Loupe> =>
  openParts(config, parts, async (startup) => {
    const { container, logger } = startup;
    await assertRedisReachable(startup);
    const database = await bindStores(startup);
    for (const token of Object.getOwnPropertySymbols(overrides)) {
      container.registerInstance(token, overrides[token]);
    }
    await assertImagesReachable(startup);
    const queues = bindVision(startup);
    const embeddings = adapterOf(container, PORTS.EmbeddingRepository);
    const live = await liveVersion(config, parts.answersQueues, embeddings, logger);
    logger.debug({ model: live.model, version: live.id }, 'live embedding version');
    // `/readyz` reports it from then on: photos can't be answered, while the catalog can.
    await adapterOf(container, PORTS.NeighbourIndex)
      .check(live)
      .catch((failure: unknown) => {
        const fields = { model: live.model, reason: String(failure) };
        logger.error(fields, 'the live version cannot be searched');
      });
    if (parts.answersQueues) await adapterOf(container, PORTS.EmbedderRegistry).forVersion(live);
    if (parts.answersQueues || parts.servesHttp) await watchProcesses(startup);
    if (parts.answersQueues) await startWorkerTasks(startup, queues);
    if (!parts.servesHttp) return { database };
    startApiTasks(startup);
    const { QUEUES_PASSWORD: password } = config;
    return { database, queuePage: password === undefined ? null : queues.dashboard(password) };
  });

/** Opens only the stores and the client that fetches pictures, whether or not a service is running; never traced. */
export const openStores = (config: Config): Promise<Loupe> =>
  openParts({ ...config, OTEL_SDK_DISABLED: true }, NO_PARTS, async (startup) => {
    const database = await bindStores(startup);
    bindImageSource(startup);
    return { database };
  });

async function openParts(
  config: Config,
  parts: Parts,
  open: (startup: Startup) => Promise<Pick<Loupe, 'database'> & Partial<Pick<Loupe, 'queuePage'>>>,
): Promise<Loupe> {
  const container = root.createChildContainer();
  let tracing = NO_TRACING;
  const logger = createLogger(config, () => tracing.logFields());
  tracing = openTracing(config, logger);
  const closers: (() => Promise<unknown>)[] = [() => tracing.close()];
  const onClose: Startup['onClose'] = (close) => void closers.unshift(close);
  const close = async () => {
    for (const closer of closers.splice(0)) {
      await closer().catch((failure: unknown) => logger.error({ error: String(failure) }, 'closing failed'));
    }
  };
  try {
    const { database, queuePage = null } = await open({ config, container, logger, tracing, onClose });
    return { config, parts, container, database, logger, tracing, queuePage, close };
  } catch (failure) {
    await close();
    throw failure;
  }
}
