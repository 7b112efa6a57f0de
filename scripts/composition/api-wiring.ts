import type { InjectionToken } from 'tsyringe';
import * as api from '../../api/api-services';
import type { DemoOffer } from '../../api/site/demo-offer';
import { sitePages } from '../../api/site/routes';
import { embeddedFolder } from '../../db/embedded/ensure-embedded';
import { checkStorage } from '../../db/files/durable-files';
import { AccountService } from '../../models/access/account-service';
import { KeyService } from '../../models/access/key-service';
import { messageOf, noWorker, unavailable } from '../../models/errors';
import { ProcessWatch } from '../../models/installation/process-watch';
import { PORTS } from '../../models/ports';
import { PooledEmbedderRegistry } from '../../workers/embedder/embedder-registry';
import type { Config } from '../config';
import { RECORD_SCHEMAS } from '../import/record-schemas';
import { AuditedTransactions } from './audited-transactions';
import type { Loupe } from './container';
import { gaugesOf } from './gauges';
import { adapterOf, type Container } from './startup';

/** The services of the API; changes by an operator are attributed to `admin` and the request in the audit log. */
export const servicesOf = (container: Container): api.ApiServices =>
  api.apiServices(
    (part) => container.resolve(part as InjectionToken),
    (requestId) => adminServices(container, requestId),
  );

function adminServices(container: Container, requestId: string): api.AdminServices {
  const audited = container.resolve(AuditedTransactions);
  const ofRequest = container.createChildContainer();
  const noted = audited.by({ actor: 'admin', details: { requestId } });
  ofRequest.registerInstance(PORTS.AuditedTransaction, noted);
  return { accounts: ofRequest.resolve(AccountService), keys: ofRequest.resolve(KeyService) };
}

/** The settings of a process in the form that `api` takes. @param demo what a demonstration gives to its own page */
export function apiSettings(
  config: Config,
  loupe: Loupe,
  lifecycle: () => api.LifecycleState,
  demo?: () => DemoOffer | null,
): api.ApiSettings {
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

/** An embedder that is not a pool reports nothing. */
function inferenceOf(container: Container): Readonly<Record<string, string>> {
  const embedders = adapterOf(container, PORTS.EmbedderRegistry);
  return (embedders instanceof PooledEmbedderRegistry && embedders.stats()?.models) || {};
}

/** What must work for this process to serve; without an optional part it still answers. */
function readinessOf(config: Config, { container, database, parts }: Loupe): api.ReadinessCheck[] {
  const embeddings = adapterOf(container, PORTS.EmbeddingRepository);
  const watch = container.resolve(ProcessWatch);
  const queue = adapterOf(container, PORTS.VisionQueue);
  const checkFolders = async () => {
    await checkStorage(config.DATA_DIR);
    // The embedded database may have a volume of its own.
    if (database.kind === 'embedded') await checkStorage(embeddedFolder(config.DATA_DIR));
  };
  const checkProcesses = async () => {
    // If processes can't be compared, the check of the database says why.
    await watch.renew().catch(() => undefined);
    if (watch.mismatches.length > 0) throw unavailable(watch.mismatches.join('; '), 1);
  };
  const checkModel = async () => {
    const live = await embeddings.live();
    if (!live) throw unavailable('no embedding version is live', 1);
    if (!parts.answersQueues) return;
    await adapterOf(container, PORTS.EmbedderRegistry)
      .forVersion(live)
      .catch((failure: unknown) => {
        throw unavailable(`version ${live.id} is live: ${messageOf(failure)}`, 1, failure);
      });
  };
  const checkIndex = async () => {
    const live = await embeddings.live();
    if (live) await adapterOf(container, PORTS.NeighbourIndex).check(live);
  };
  const checkWorkers = async () => {
    if ((await queue.workers()) === 0) throw noWorker();
  };
  const ofCalls: api.ReadinessCheck[] = [
    { name: 'queue', check: () => queue.ping() },
    { name: 'workers', isOptional: true, check: checkWorkers },
  ];
  return [
    { name: 'database', check: () => watch.renew() },
    { name: 'storage', check: checkFolders },
    { name: 'images', isOptional: true, check: () => adapterOf(container, PORTS.ImageStore).check() },
    { name: 'processes', isOptional: true, check: checkProcesses },
    { name: 'model', check: checkModel },
    { name: 'index', check: checkIndex },
    ...(parts.servesHttp ? ofCalls : []),
  ];
}
