import 'reflect-metadata';
import type { Logger as PinoLogger } from 'pino';
import { container as root } from 'tsyringe';
import type { Database } from '../../db/core/knex';
import { migrations } from '../../db/migrations';
import { migrate } from '../../db/migrations/migrate';
import {
  type EmbedderRegistry,
  type EmbeddingRepository,
  type NeighbourIndex,
  PORTS,
} from '../../models/ports';
import { type Config } from '../config';
import { type Container, type Opening, type QueueAdapters, type QueuePage } from './adapters';
import {
  followChanges,
  keepHouse,
  keepModelsWarm,
  keepSearchFast,
  lapseReservations,
  seeToAbandonedImages,
  sendMessages,
  watchProcesses,
  watchWorkers,
  workOffJobs,
  writeSearchMisses,
} from './background-work';
import { bindImageSource, bindStores, bindVision } from './bindings';
import { databaseOf, queuesOf } from './choose-adapters';
import { imagesReached } from './image-stores';
import { liveVersion, tellOfWrongVectors } from './live-version';
import { createLogger } from './log';
import { NO_TRACING, openTracing } from './tracing/open-tracing';
import type { Tracing } from './tracing/tracing';

export type { Container };

/** What a process does for others, beside what it does for itself. */
export interface Parts {
  /** Embeds the photos and images that any process asks for. */
  readonly answersQueues: boolean;
  /** Serves HTTP, lets reservations lapse and keeps house. */
  readonly servesHttp: boolean;
}

/** The parts of a process of the service. */
export const partsOf = ({ ROLE }: Pick<Config, 'ROLE'>): Parts => ({
  answersQueues: ROLE !== 'api',
  servesHttp: ROLE !== 'worker',
});

/** Everything that a process has opened. */
export interface Loupe {
  readonly config: Config;
  readonly parts: Parts;
  readonly container: Container;
  readonly database: Database;
  readonly logger: PinoLogger;
  readonly tracing: Tracing;
  /** The queue dashboard, where this process shows one. */
  readonly queuePage: QueuePage | null;
  /** Closes what was opened, in the reverse order. */
  close(): Promise<void>;
}

/** Adapters to use instead of the usual ones, by token; for tests. */
export type Overrides = Readonly<Record<symbol, unknown>>;

/**
 * Opens what the parts of a process need and binds every port. What fails closes what was opened before it.
 *
 * @throws AppError when a store can't be opened
 */
export function openLoupe(config: Config, parts: Parts, overrides: Overrides = {}): Promise<Loupe> {
  const adapters = queuesOf(config);
  return opened(config, parts, overrides, adapters.reached, async (opening) => {
    await imagesReached(opening);
    await bindVision(opening, adapters);
    const embeddings = opening.container.resolve<EmbeddingRepository>(PORTS.EmbeddingRepository);
    const live = await liveVersion(config, parts.answersQueues, embeddings, opening.logger);
    const index = opening.container.resolve<NeighbourIndex>(PORTS.NeighbourIndex);
    await tellOfWrongVectors(live, index, opening.logger);
    if (parts.answersQueues) {
      await opening.container.resolve<EmbedderRegistry>(PORTS.EmbedderRegistry).forVersion(live);
      await keepModelsWarm(opening, embeddings);
      await adapters.answer(opening);
      seeToAbandonedImages(opening, embeddings);
    }
    opening.logger.debug({ model: live.model, version: live.id }, 'live embedding version');
    if (parts.answersQueues || parts.servesHttp) await watchProcesses(opening);
    if (!parts.servesHttp) return null;
    watchWorkers(opening);
    lapseReservations(opening);
    keepHouse(opening);
    followChanges(opening);
    keepSearchFast(opening);
    writeSearchMisses(opening);
    workOffJobs(opening);
    sendMessages(opening);
    return config.QUEUES_PASSWORD === undefined ? null : adapters.dashboard(opening, config.QUEUES_PASSWORD);
  });
}

/** Opens the stores alone (database, images, keys) and the way to pictures elsewhere, beside a running service or without one; never traced. */
export const openStores = (config: Config): Promise<Loupe> =>
  opened(
    { ...config, OTEL_SDK_DISABLED: true },
    NO_PARTS,
    {},
    async () => undefined,
    async (opening) => {
      bindImageSource(opening);
      return null;
    },
  );

/** Of a process that works for itself alone: a command. */
export const NO_PARTS: Parts = { answersQueues: false, servesHttp: false };

/** @param reached that the queues can be used, known before the database is opened or started */
async function opened(
  config: Config,
  parts: Parts,
  overrides: Overrides,
  reached: QueueAdapters['reached'],
  openMore: (opening: Opening) => Promise<QueuePage | null>,
): Promise<Loupe> {
  const container = root.createChildContainer();
  let tracing = NO_TRACING;
  const logger = createLogger(config, () => tracing.logFields());
  tracing = openTracing(config, logger);
  const closers: (() => Promise<unknown>)[] = [() => tracing.close()];
  const closing: Opening['closing'] = (close) => void closers.unshift(close);
  const opening: Opening = { config, container, logger, tracing, closing };
  const close = async () => {
    for (const closer of closers.splice(0)) {
      await closer().catch((failure: unknown) => logger.error({ error: String(failure) }, 'closing failed'));
    }
  };
  try {
    await reached(opening);
    const database = await databaseOf(config).database(config, logger);
    opening.closing(() => database.close());
    await migrate(database.knex, migrations);
    await bindStores(opening, database);
    for (const token of Object.getOwnPropertySymbols(overrides)) {
      container.register(token, { useValue: overrides[token] });
    }
    const queuePage = await openMore(opening);
    return { config, parts, container, database, logger, tracing, queuePage, close };
  } catch (failure) {
    await close();
    throw failure;
  }
}
