import 'reflect-metadata';
import { join } from 'node:path';
import type { Logger as PinoLogger } from 'pino';
import { container as root } from 'tsyringe';
import { PostgresAccountRepository } from '../db/account-repository';
import { PostgresCatalogRepository } from '../db/catalog-repository';
import { PostgresCreditLedger } from '../db/credit-ledger';
import { INDEX_MEMORY_MIB, INDEXED_FROM, PostgresEmbeddingRepository } from '../db/embedding-repository';
import { PgvectorExactNeighbours } from '../db/exact-neighbours';
import { HmacDataFileSigner } from '../db/files/hmac-data-file-signer';
import { LocalImageStore } from '../db/files/local-image-store';
import { PostgresIdempotencyStore } from '../db/idempotency-store';
import { PostgresImageSamples } from '../db/image-samples';
import type { Database } from '../db/knex';
import { migrate } from '../db/migrate';
import { migrations } from '../db/migrations';
import { PgvectorNeighbourIndex } from '../db/neighbour-index';
import { PostgresPredictionRepository } from '../db/prediction-repository';
import { PostgresPricingRepository } from '../db/pricing-repository';
import { PostgresReadinessRepository } from '../db/readiness-repository';
import {
  type EmbedderRegistry,
  type EmbeddingRepository,
  type ExactNeighbours,
  type NeighbourIndex,
  PORTS,
} from '../models/ports';
import { modelReference } from '../models/vision/embedding-model';
import { VISION_SETTINGS } from '../models/vision/vision-service';
import { PooledEmbedderRegistry } from '../workers/embedder/embedder-registry';
import { HttpImageSource, IMAGE_FETCH_SETTINGS } from '../workers/image/http-image-source';
import { IMAGE_LIMITS, SharpImagePreparer } from '../workers/image/sharp-image-preparer';
import { PhotoMemory } from '../workers/photo-memory';
import { PhotosInWork } from '../workers/photos-in-work';
import { RecallSampler } from '../workers/recall-sampler';
import {
  type Container,
  inferenceThreads,
  type Opening,
  type QueueAdapters,
  type QueuePage,
} from './adapters';
import { keepModelsWarm, lapseReservations, seeToAbandonedImages } from './background-work';
import { databaseOf, queuesOf } from './choose-adapters';
import { type Config, readConfig, refuseTelemetry } from './config';
import { liveVersion, tellOfWrongVectors } from './live-version';
import { createLogger } from './log';
import { installedModels } from './model-library';
import { signingKeys } from './signing-keys';
import { RandomIds, SystemClock } from './system';
import { openTracing } from './tracing/open-tracing';
import { TRACED_STORES } from './tracing/traced-calls';
import { NO_TRACING, type Tracing } from './tracing/tracing';

export type { Container };

/** Everything that a process has opened. */
export interface Loupe {
  readonly config: Config;
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
 * Opens what a role needs and binds every port. What fails closes what was opened before it.
 *
 * @throws AppError when a store can't be opened
 */
export async function buildContainer(config: Config, overrides: Overrides = {}): Promise<Loupe> {
  return opened(config, overrides, async (opening) => {
    const adapters = queuesOf(config);
    await bindVision(opening, adapters);
    const embeddings = opening.container.resolve<EmbeddingRepository>(PORTS.EmbeddingRepository);
    const live = await liveVersion(config, embeddings, opening.logger);
    const index = opening.container.resolve<NeighbourIndex>(PORTS.NeighbourIndex);
    await tellOfWrongVectors(live, index, opening.logger);
    const answersHere = config.ROLE !== 'api';
    if (answersHere) {
      await opening.container.resolve<EmbedderRegistry>(PORTS.EmbedderRegistry).forVersion(live);
      await keepModelsWarm(opening, embeddings);
      await adapters.answer(opening);
      seeToAbandonedImages(opening, embeddings);
    }
    if (config.ROLE !== 'worker') lapseReservations(opening);
    opening.logger.debug({ model: live.model, version: live.id }, 'live embedding version');
    const showsQueues = config.ROLE !== 'worker' && config.QUEUES_PASSWORD !== undefined;
    return showsQueues ? adapters.dashboard(opening, config.QUEUES_PASSWORD ?? '') : null;
  });
}

/**
 * Runs `work` with the stores alone (database, images, keys), beside a running service or without one; never traced.
 *
 * @throws whatever `work` throws, after everything is closed
 */
export async function withStore<Result>(
  work: (container: Container, loupe: Loupe) => Promise<Result>,
  config: Config = { ...readConfig(), LOG_LEVEL: 'warn' },
): Promise<Result> {
  const loupe = await opened({ ...config, OTEL_SDK_DISABLED: true }, {}, async () => null);
  try {
    return await work(loupe.container, loupe);
  } finally {
    await loupe.close();
  }
}

async function opened(
  config: Config,
  overrides: Overrides,
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
    const database = await databaseOf(config).database(config, logger);
    opening.closing(() => database.close());
    await migrate(database.knex, migrations);
    await bindStores(opening, database);
    for (const token of Object.getOwnPropertySymbols(overrides)) {
      container.register(token, { useValue: overrides[token] });
    }
    for (const token of TRACED_STORES) rebind(opening, token);
    const queuePage = await openMore(opening);
    return { config, container, database, logger, tracing, queuePage, close };
  } catch (failure) {
    await close();
    throw failure;
  }
}

async function bindStores({ config, container, logger }: Opening, database: Database): Promise<void> {
  container.register(PORTS.Logger, { useValue: logger });
  container.register(PORTS.Clock, { useValue: new SystemClock() });
  container.register(PORTS.IdSource, { useValue: new RandomIds() });
  container.register(PORTS.Knex, { useValue: database.knex });
  container.registerSingleton(PORTS.CatalogRepository, PostgresCatalogRepository);
  container.registerSingleton(PORTS.PricingRepository, PostgresPricingRepository);
  container.registerSingleton(PORTS.AccountRepository, PostgresAccountRepository);
  container.registerSingleton(PORTS.CreditLedger, PostgresCreditLedger);
  container.registerSingleton(PORTS.IdempotencyStore, PostgresIdempotencyStore);
  container.register(INDEXED_FROM, {
    useValue: database.kind === 'embedded' ? Number.POSITIVE_INFINITY : VECTORS_INDEXED_FROM,
  });
  container.register(INDEX_MEMORY_MIB, { useValue: config.INDEX_MEMORY_MIB });
  container.registerSingleton(PORTS.EmbeddingRepository, PostgresEmbeddingRepository);
  container.registerSingleton(PORTS.ReadinessRepository, PostgresReadinessRepository);
  container.registerSingleton(PORTS.ExactNeighbours, PgvectorExactNeighbours);
  container.registerSingleton(PORTS.ImageSamples, PostgresImageSamples);
  container.registerSingleton(PORTS.NeighbourIndex, PgvectorNeighbourIndex);
  container.registerSingleton(PORTS.PredictionRepository, PostgresPredictionRepository);
  container.register(PORTS.ImageStore, { useValue: new LocalImageStore(join(config.DATA_DIR, 'images')) });
  container.register(PORTS.DataFileSigner, { useValue: new HmacDataFileSigner(await signingKeys(config)) });
  container.register(IMAGE_LIMITS, {
    useValue: { bytesMax: config.IMAGE_BYTES_MAX, pixelsMax: config.IMAGE_PIXELS_MAX },
  });
  container.registerSingleton(PORTS.ImagePreparer, SharpImagePreparer);
}

async function bindVision(opening: Opening, adapters: QueueAdapters): Promise<void> {
  const { config, container, logger, closing } = opening;
  container.register(IMAGE_FETCH_SETTINGS, {
    useValue: {
      timeoutMs: config.IMAGE_FETCH_TIMEOUT_MS,
      bytesMax: config.IMAGE_BYTES_MAX,
      redirectsMax: config.IMAGE_FETCH_REDIRECTS_MAX,
      allow: config.IMAGE_FETCH_ALLOW,
    },
  });
  container.register(VISION_SETTINGS, {
    useValue: { deadlineMs: config.VISION_DEADLINE_MS, confidenceFloor: config.CONFIDENCE_FLOOR ?? null },
  });
  const source = container.resolve(HttpImageSource);
  closing(() => source.close());
  bindUnlessGiven(opening, PORTS.ImageSource, source);
  refuseTelemetry();
  const embedders = new PooledEmbedderRegistry({
    threads: inferenceThreads(config),
    backend: config.INFERENCE_BACKEND,
    waitingMax: config.QUEUE_WAITING_MAX,
    batchTimeoutMs: BATCH_TIMEOUT_MS,
    logger,
    folderOf: async (manifest) => {
      const wanted = modelReference(manifest);
      const models = await installedModels(config.DATA_DIR);
      return models.find((model) => modelReference(model.manifest) === wanted)?.folder ?? null;
    },
  });
  closing(() => embedders.close());
  bindUnlessGiven(opening, PORTS.EmbedderRegistry, embedders);
  container.register(PhotoMemory, { useValue: new PhotoMemory(config.PHOTO_MEMORY_MIB * 2 ** 20) });
  container.register(PhotosInWork, { useValue: new PhotosInWork() });
  const recall = new RecallSampler(container.resolve<ExactNeighbours>(PORTS.ExactNeighbours), logger, {
    oneOf: config.NEIGHBOUR_RECALL_SAMPLE,
  });
  closing(() => recall.close());
  container.register(RecallSampler, { useValue: recall });
  bindUnlessGiven(opening, PORTS.RateLimiter, await adapters.rateLimiter(opening));
  bindUnlessGiven(opening, PORTS.VisionQueue, await adapters.visionQueue(opening));
  bindUnlessGiven(opening, PORTS.IndexQueue, await adapters.indexQueue(opening));
}

/** PostgreSQL scans fewer vectors than this in a few milliseconds. The embedded one would stand still for minutes. */
const VECTORS_INDEXED_FROM = 20_000;

/** A batch that takes longer hangs. */
const BATCH_TIMEOUT_MS = 30_000;

function bindUnlessGiven({ container, tracing }: Opening, token: symbol, adapter: object): void {
  if (!container.isRegistered(token)) container.register(token, { useValue: tracing.port(token, adapter) });
}

/** Binds what is bound already as it is when it is traced. */
function rebind({ container, tracing }: Opening, token: symbol): void {
  const adapter = container.resolve<object>(token);
  container.register(token, { useValue: tracing.port(token, adapter) });
}
