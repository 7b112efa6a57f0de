import type {
  AdminServices,
  ApiServices,
  ApiSettings,
  LifecycleState,
  ReadinessCheck,
} from '../../api/api-services';
import { MemoryBudget } from '../../api/middleware/memory-budget';
import type { DemoOffer } from '../../api/site/demo-offer';
import { sitePages } from '../../api/site/routes';
import type { Database } from '../../db/core/knex';
import { embeddedFolder } from '../../db/embedded/ensure-embedded';
import { checkStorage } from '../../db/files/storage-check';
import { AccountService } from '../../models/access/account-service';
import { Billing } from '../../models/access/billing';
import { KeyService } from '../../models/access/key-service';
import { CatalogService } from '../../models/catalog/catalog-service';
import { StoredPictures } from '../../models/catalog/stored-pictures';
import { SuggestionService } from '../../models/catalog/suggestion-service';
import { noWorker, unavailable } from '../../models/errors';
import { FeedbackService } from '../../models/feedback/feedback-service';
import { ProcessWatch } from '../../models/installation/process-watch';
import {
  type AccountRepository,
  type AuditLog,
  type Clock,
  type DataFileSigner,
  type EmbedderRegistry,
  type EmbeddingRepository,
  type IdempotencyStore,
  type ImageStore,
  type NeighbourIndex,
  PORTS,
  type PricingRepository,
  type RateLimiter,
  type VisionQueue,
} from '../../models/ports';
import { RecordsService } from '../../models/records/records-service';
import type { EmbeddingVersion } from '../../models/vision/embedding-model';
import { VisionJobService } from '../../models/vision/jobs/vision-job-service';
import { SimilarService } from '../../models/vision/similar-service';
import { VisionService } from '../../models/vision/vision-service';
import { WebhookService } from '../../models/webhooks/webhook-service';
import { PooledEmbedderRegistry } from '../../workers/embedder/embedder-registry';
import type { Config } from '../config';
import { RECORD_SCHEMAS } from '../import/record-lines';
import type { AuditedTransactions } from './audited-transactions';
import type { Container, Loupe } from './container';
import { gaugesOf } from './gauges';

/** @throws unavailable saying why the model of a version can't be computed with here */
async function loaded(version: EmbeddingVersion, embedders: EmbedderRegistry): Promise<void> {
  try {
    await embedders.forVersion(version);
  } catch (failure) {
    const reason = failure instanceof Error ? failure.message : String(failure);
    throw unavailable(`version ${version.id} is live: ${reason}`, 1, failure);
  }
}

/** What the HTTP side gets of the container. */
export function apiServices(container: Container): ApiServices {
  return {
    billing: container.resolve(Billing),
    catalog: container.resolve(CatalogService),
    vision: container.resolve(VisionService),
    suggestions: container.resolve(SuggestionService),
    similar: container.resolve(SimilarService),
    feedback: container.resolve(FeedbackService),
    records: container.resolve(RecordsService),
    pictures: container.resolve(StoredPictures),
    jobs: container.resolve(VisionJobService),
    webhooks: container.resolve(WebhookService),
    accounts: container.resolve<AccountRepository>(PORTS.AccountRepository),
    limiter: container.resolve<RateLimiter>(PORTS.RateLimiter),
    prices: container.resolve<PricingRepository>(PORTS.PricingRepository),
    signer: container.resolve<DataFileSigner>(PORTS.DataFileSigner),
    images: container.resolve<ImageStore>(PORTS.ImageStore),
    queue: container.resolve<VisionQueue>(PORTS.VisionQueue),
    idempotency: container.resolve<IdempotencyStore>(PORTS.IdempotencyStore),
    clock: container.resolve<Clock>(PORTS.Clock),
    bodies: container.resolve(MemoryBudget),
    statements: container.resolve(AccountService),
    audit: container.resolve<AuditLog>(PORTS.AuditLog),
    admin: (requestId) => adminServices(container, requestId),
  };
}

/** What the services change is noted as done by `admin` in a request. */
function adminServices(container: Container, requestId: string): AdminServices {
  const audited = container.resolve<AuditedTransactions>(PORTS.AuditedWork);
  const ofRequest = container.createChildContainer();
  ofRequest.register(PORTS.AuditedWork, {
    useValue: audited.by({ actor: 'admin', details: { requestId } }),
  });
  return { accounts: ofRequest.resolve(AccountService), keys: ofRequest.resolve(KeyService) };
}

/**
 * The settings of a process in the words of the HTTP side.
 *
 * @param demo what a demonstration gives to its own page
 */
export function apiSettings(
  config: Config,
  loupe: Loupe,
  lifecycle: () => LifecycleState,
  demo?: () => DemoOffer | null,
): ApiSettings {
  return {
    logger: loupe.logger,
    lifecycle,
    readiness: readinessOf(config, loupe),
    inference: () => inferenceOf(loupe.container),
    gauges: gaugesOf(loupe),
    publicUrl: config.PUBLIC_URL,
    imageBaseUrl: config.IMAGE_BASE_URL,
    trustProxyHops: config.TRUST_PROXY,
    corsOrigins: config.CORS_ORIGINS,
    limits: {
      perSecond: config.RATE_PER_SECOND,
      perMinute: config.RATE_PER_MINUTE,
      visionConcurrency: config.VISION_CONCURRENCY,
      unknownKeysPerMinute: config.UNKNOWN_KEYS_PER_MINUTE,
      testCallsPerMonth: config.TEST_CALLS_PER_MONTH,
    },
    imageBytesMax: config.IMAGE_BYTES_MAX,
    visionDeadlineMs: config.VISION_DEADLINE_MS,
    answerBytes: config.ANSWER_MEMORY_MIB * 2 ** 20,
    uploadBytesPerSecondMin: config.UPLOAD_BYTES_PER_SECOND_MIN,
    pageSizeMax: config.PAGE_SIZE_MAX,
    recordSchemas: RECORD_SCHEMAS,
    pages: [sitePages({ imageBytesMax: config.IMAGE_BYTES_MAX, demo })],
    adminToken: config.ADMIN_TOKEN,
    queues: loupe.queuePage ?? undefined,
  };
}

/** An embedder that is no pool tells nothing. */
function inferenceOf(container: Container): Readonly<Record<string, string>> {
  const embedders = container.resolve<EmbedderRegistry>(PORTS.EmbedderRegistry);
  return (embedders instanceof PooledEmbedderRegistry && embedders.stats()?.models) || {};
}

/** @throws unavailable when nobody takes photos */
async function assertWorkers(queue: VisionQueue): Promise<void> {
  if ((await queue.workers()) === 0) throw noWorker();
}

/** @throws unavailable saying what differs between the processes */
async function othersFit(watch: ProcessWatch): Promise<void> {
  // Where they can't be compared, the check of the database says why.
  await watch.renew().catch(() => undefined);
  if (watch.misfits.length > 0) throw unavailable(watch.misfits.join('; '), 1);
}

/** Free space in the data folder, and where the embedded database is, which may be a volume of its own. */
async function storageOf({ DATA_DIR }: Config, kind: Database['kind']): Promise<void> {
  await checkStorage(DATA_DIR);
  if (kind === 'embedded') await checkStorage(embeddedFolder(DATA_DIR));
}

/**
 * What must work for this process to serve: the database, its folders, a live model and its vectors, and the queue where
 * this role uses one. Without the stored images it answers queries and photos.
 */
function readinessOf(config: Config, { container, database, parts }: Loupe): ReadinessCheck[] {
  const embeddings = container.resolve<EmbeddingRepository>(PORTS.EmbeddingRepository);
  const images = container.resolve<ImageStore>(PORTS.ImageStore);
  const watch = container.resolve(ProcessWatch);
  const checks: ReadinessCheck[] = [
    { name: 'database', check: () => watch.renew() },
    { name: 'storage', check: () => storageOf(config, database.kind) },
    { name: 'images', isOptional: true, check: () => images.check() },
    { name: 'processes', isOptional: true, check: () => othersFit(watch) },
    {
      name: 'model',
      check: async () => {
        const live = await embeddings.live();
        if (!live) throw unavailable('no embedding version is live', 1);
        if (parts.answersQueues) await loaded(live, container.resolve(PORTS.EmbedderRegistry));
      },
    },
    {
      name: 'index',
      check: async () => {
        const live = await embeddings.live();
        if (live) await container.resolve<NeighbourIndex>(PORTS.NeighbourIndex).check(live);
      },
    },
  ];
  if (parts.servesHttp) {
    const queue = container.resolve<VisionQueue>(PORTS.VisionQueue);
    checks.push({ name: 'queue', check: () => queue.ping() });
    checks.push({ name: 'workers', isOptional: true, check: () => assertWorkers(queue) });
  }
  return checks;
}
