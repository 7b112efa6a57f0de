import 'reflect-metadata';
import { type InjectionToken, instanceCachingFactory } from 'tsyringe';
import { PostgresAccountRepository } from '../../db/accounts/account-repository';
import { PostgresCreditLedger } from '../../db/accounts/credit-ledger';
import { PostgresIdempotencyStore } from '../../db/accounts/idempotency-store';
import { PostgresCatalogRepository } from '../../db/catalog/catalog-repository';
import { PostgresCatalogRecords } from '../../db/catalog/import/record-store';
import { PostgresSearchMissStore } from '../../db/catalog/search-miss-store';
import { PostgresStoredImageIndex } from '../../db/catalog/stored-image-index';
import { PostgresAuditLog } from '../../db/core/audit-log';
import type { Database } from '../../db/core/knex';
import {
  INDEX_MEMORY_MIB,
  INDEXED_FROM,
  PostgresEmbeddingRepository,
} from '../../db/embeddings/embedding-repository';
import { PostgresImageSamples } from '../../db/embeddings/image-samples';
import { PostgresNeighbourIndex } from '../../db/embeddings/neighbour-index';
import { HmacDataFileSigner } from '../../db/files/hmac-data-file-signer';
import { PostgresProcessRegistry } from '../../db/installation/process-registry';
import { PostgresVisionJobStore } from '../../db/jobs/vision-job-store';
import { migrations } from '../../db/migrations';
import { migrate } from '../../db/migrations/migrate';
import { PostgresPredictionRepository } from '../../db/predictions/prediction-repository';
import { PostgresPricingRepository } from '../../db/pricing/pricing-repository';
import { PostgresWebhookStore } from '../../db/webhooks/webhook-store';
import { SEARCH_MISSES_COUNTED, SearchMisses } from '../../models/catalog/search-misses';
import { PORTS, type Token } from '../../models/ports';
import { modelReference } from '../../models/vision/embedding-model';
import { VISION_SETTINGS } from '../../models/vision/vision-service';
import { PooledEmbedderRegistry } from '../../workers/embedder/embedder-registry';
import { ForegroundLoad } from '../../workers/foreground-load';
import { PHOTO_DISTORTER } from '../../workers/image/distortion/distort-photo';
import { HttpImageSource, IMAGE_FETCH_SETTINGS } from '../../workers/image/http-image-source';
import { LabelledFolders } from '../../workers/image/labelled-photos';
import { IMAGE_LIMITS, SharpImagePreparer } from '../../workers/image/sharp-image-preparer';
import { FolderModelLibrary } from '../../workers/library/model-library';
import { PHOTO_CACHE_BYTES } from '../../workers/pipeline';
import { RecallSampler } from '../../workers/recall-sampler';
import { RECORD_BODIES } from '../import/record-body';
import { openDatabase, openQueues, type Queues } from './adapters';
import { AuditedTransactions } from './audited-transactions';
import { imageStoreOf } from './image-stores';
import { signingKeys } from './signing-keys';
import { adapterOf, type Container, inferenceThreads, type Startup, SYSTEM_CLOCK } from './startup';
import { NO_TRACING } from './tracing/open-tracing';

export async function bindStores(startup: Startup): Promise<Database> {
  const { config, container, logger, onClose } = startup;
  const database = await openDatabase(startup);
  onClose(() => database.close());
  await migrate(database.knex, migrations);
  container.registerInstance(PORTS.Logger, logger);
  container.registerInstance(PORTS.Clock, SYSTEM_CLOCK);
  const indexedFrom = database.kind === 'embedded' ? Number.POSITIVE_INFINITY : VECTORS_INDEXED_FROM;
  container.registerInstance(INDEXED_FROM, indexedFrom);
  container.registerInstance(SEARCH_MISSES_COUNTED, config.SEARCH_MISSES === 'on');
  container.registerSingleton(SearchMisses);
  container.registerInstance(INDEX_MEMORY_MIB, config.INDEX_MEMORY_MIB);
  bindTables(startup, database.knex);
  const audited = new AuditedTransactions(database.knex, (knex) => storesOver(container, knex));
  container.registerInstance(AuditedTransactions, audited);
  container.registerInstance(PORTS.AuditedTransaction, audited);
  const images = imageStoreOf(config);
  onClose(() => images.close());
  container.registerInstance(PORTS.ImageStore, images);
  container.registerInstance(PORTS.RecordBodies, RECORD_BODIES);
  const keys = await signingKeys(config);
  const signer = new HmacDataFileSigner(keys);
  container.registerInstance(PORTS.DataFileSigner, signer);
  container.registerInstance(HmacDataFileSigner, signer);
  const { IMAGE_BYTES_MAX: bytesMax, IMAGE_PIXELS_MAX: pixelsMax } = config;
  container.registerInstance(IMAGE_LIMITS, { bytesMax, pixelsMax });
  bindClass(startup, PORTS.ImagePreparer, SharpImagePreparer);
  return database;
}

function storesOver(container: Container, knex: Database['knex']) {
  const inside = container.createChildContainer();
  bindTables({ container: inside, tracing: NO_TRACING }, knex);
  return {
    accounts: adapterOf(inside, PORTS.AccountRepository),
    ledger: adapterOf(inside, PORTS.CreditLedger),
    predictions: adapterOf(inside, PORTS.PredictionRepository),
    jobs: adapterOf(inside, PORTS.VisionJobStore),
    embeddings: adapterOf(inside, PORTS.EmbeddingRepository),
    audit: adapterOf(inside, PORTS.AuditLog),
  };
}

function bindTables(startup: Pick<Startup, 'container' | 'tracing'>, knex: Database['knex']): void {
  const bind = <Port extends object>(token: Token<Port>, adapter: InjectionToken<Port>) =>
    bindClass(startup, token, adapter);
  startup.container.registerInstance(PORTS.Knex, knex);
  bind(PORTS.CatalogRepository, PostgresCatalogRepository);
  bind(PORTS.CatalogRecords, PostgresCatalogRecords);
  bind(PORTS.StoredImageIndex, PostgresStoredImageIndex);
  bind(PORTS.SearchMissStore, PostgresSearchMissStore);
  bind(PORTS.PricingRepository, PostgresPricingRepository);
  bind(PORTS.AccountRepository, PostgresAccountRepository);
  bind(PORTS.CreditLedger, PostgresCreditLedger);
  bind(PORTS.IdempotencyStore, PostgresIdempotencyStore);
  bind(PORTS.AuditLog, PostgresAuditLog);
  bind(PORTS.EmbeddingRepository, PostgresEmbeddingRepository);
  bind(PORTS.ProcessRegistry, PostgresProcessRegistry);
  bind(PORTS.ImageSamples, PostgresImageSamples);
  bind(PORTS.NeighbourIndex, PostgresNeighbourIndex);
  bind(PORTS.PredictionRepository, PostgresPredictionRepository);
  bind(PORTS.VisionJobStore, PostgresVisionJobStore);
  bind(PORTS.WebhookStore, PostgresWebhookStore);
}

export function bindImageSource(startup: Startup): void {
  const { config, container, onClose } = startup;
  container.registerInstance(IMAGE_FETCH_SETTINGS, {
    timeoutMs: config.IMAGE_FETCH_TIMEOUT_MS,
    bytesMax: config.IMAGE_BYTES_MAX,
    redirectsMax: config.IMAGE_FETCH_REDIRECTS_MAX,
    allow: config.IMAGE_FETCH_ALLOW,
  });
  const source = container.resolve(HttpImageSource);
  onClose(() => source.close());
  bindUnlessGiven(startup, PORTS.ImageSource, source);
}

/** Binds the ports of an identification, except those that a test has replaced. */
export function bindVision(startup: Startup): Queues {
  const { config, container, logger, onClose } = startup;
  container.registerInstance(VISION_SETTINGS, {
    deadlineMs: config.VISION_DEADLINE_MS,
    confidenceFloor: config.CONFIDENCE_FLOOR ?? null,
  });
  bindImageSource(startup);
  const library = new FolderModelLibrary(config.DATA_DIR);
  container.registerInstance(PORTS.ModelLibrary, library);
  container.registerInstance(PORTS.PhotoDistorter, PHOTO_DISTORTER);
  container.registerInstance(PORTS.LabelledPhotos, new LabelledFolders());
  const embedders = new PooledEmbedderRegistry({
    threads: inferenceThreads(config),
    backend: config.INFERENCE_BACKEND,
    batchTimeoutMs: BATCH_TIMEOUT_MS,
    logger,
    folderOf: async (manifest) => {
      const wanted = modelReference(manifest);
      const { models } = await library.all();
      return models.find((model) => modelReference(model.manifest) === wanted)?.folder ?? null;
    },
    mapOf: (versionId) => adapterOf(container, PORTS.EmbeddingRepository).mapOf(versionId),
  });
  onClose(() => embedders.close());
  bindUnlessGiven(startup, PORTS.EmbedderRegistry, embedders);
  container.registerInstance(PHOTO_CACHE_BYTES, config.PHOTO_MEMORY_MIB * 2 ** 20);
  container.registerInstance(ForegroundLoad, new ForegroundLoad());
  const index = adapterOf(container, PORTS.NeighbourIndex);
  const recall = new RecallSampler(index, logger, config.NEIGHBOUR_RECALL_SAMPLE);
  onClose(() => recall.close());
  container.registerInstance(RecallSampler, recall);
  const queues = openQueues(startup);
  bindUnlessGiven(startup, PORTS.RateLimiter, queues.limiter);
  bindUnlessGiven(startup, PORTS.VisionQueue, queues.vision);
  bindUnlessGiven(startup, PORTS.IndexQueue, queues.index);
  return queues;
}

/** Fewer are searched in memory. Building an index would block the embedded database for minutes. */
const VECTORS_INDEXED_FROM = 20_000;

/** A batch that takes longer counts as hanging. */
const BATCH_TIMEOUT_MS = 30_000;

function bindClass<Port extends object>(
  { container, tracing }: Pick<Startup, 'container' | 'tracing'>,
  token: Token<Port>,
  adapter: InjectionToken<Port>,
): void {
  const create = instanceCachingFactory(() => tracing.port(token, container.resolve(adapter)));
  container.register(token, { useFactory: create });
}

function bindUnlessGiven<Port extends object>(
  { container, tracing }: Startup,
  token: Token<Port>,
  adapter: Port,
): void {
  if (!container.isRegistered(token)) container.registerInstance(token, tracing.port(token, adapter));
}
