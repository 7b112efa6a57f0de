import { join } from 'node:path';
import { openImport } from '../../db/catalog/import/import-store';
import { OpenAuditEntry } from '../../db/core/audit-log';
import { AccountService } from '../../models/access/account-service';
import { KeyService } from '../../models/access/key-service';
import { StoredPictures } from '../../models/catalog/stored-pictures';
import { FeedbackService } from '../../models/feedback/feedback-service';
import { AdaptService } from '../../models/indexing/adapt-service';
import { BuildService, ReadinessCheck } from '../../models/indexing/build-service';
import { EvaluationService } from '../../models/indexing/evaluation-service';
import { IdentifiabilityService } from '../../models/indexing/identifiability-service';
import { PromotionService } from '../../models/indexing/promotion-service';
import { RecalibrationService } from '../../models/indexing/recalibration-service';
import { StatusService } from '../../models/indexing/status-service';
import { PORTS } from '../../models/ports';
import { useAndClose } from '../../models/promises';
import { readCommandConfig } from '../config';
import { type ImportOptions, importBundle } from '../import/import-bundle';
import { entryOf } from './audited-transactions';
import { type Loupe, NO_PARTS, openLoupe, openStores } from './container';
import { adapterOf } from './startup';
import { withProgress } from './terminal-progress';

const storeServices = ({ container }: Loupe) => ({
  accounts: container.resolve(AccountService),
  keys: container.resolve(KeyService),
  predictions: adapterOf(container, PORTS.PredictionRepository),
  feedback: container.resolve(FeedbackService),
  searchMisses: adapterOf(container, PORTS.SearchMissStore),
  webhooks: adapterOf(container, PORTS.WebhookStore),
  embeddings: adapterOf(container, PORTS.EmbeddingRepository),
  recalibration: container.resolve(RecalibrationService),
  status: container.resolve(StatusService),
  identifiability: container.resolve(IdentifiabilityService),
  audit: adapterOf(container, PORTS.AuditLog),
  audited: adapterOf(container, PORTS.AuditedTransaction),
});

export type StoreServices = ReturnType<typeof storeServices>;

/** Runs `work` with the stores alone, whether or not a service is running, and closes them. */
export const withStores = async <Result>(
  work: (services: StoreServices) => Promise<Result>,
): Promise<Result> => useAndClose(openStores(readCommandConfig()), (loupe) => work(storeServices(loupe)));

export const jobServices = (loupe: Loupe) => ({
  ...storeServices(loupe),
  build: loupe.container.resolve(BuildService),
  adapt: loupe.container.resolve(AdaptService),
  evaluation: loupe.container.resolve(EvaluationService),
  promotion: loupe.container.resolve(PromotionService),
  importCatalog: (options: CatalogImportOptions) => importCatalog(loupe, options),
});

export type JobServices = ReturnType<typeof jobServices>;

/** Runs `work`, whether or not a service is running. With Redis the workers embed; without it this process does. */
export const withJobs = async <Result>(work: (services: JobServices) => Promise<Result>): Promise<Result> =>
  useAndClose(openLoupe(readCommandConfig(), NO_PARTS), (loupe) => work(jobServices(loupe)));

interface CatalogImportOptions
  extends Pick<ImportOptions, 'bundle' | 'table' | 'input' | 'dryRun' | 'wait' | 'refetch'> {
  readonly report?: string;
}

/** On a server only other writers wait for a transaction, not readers. */
const SERVER_TRANSACTION_MS = 1_000;
/** A server builds two indexes at the same time. */
const SERVER_CONNECTIONS = 2;

/** Imports a bundle into what a process has opened, with an entry in the audit log; progress goes to stderr. */
function importCatalog({ config, container, database }: Loupe, options: CatalogImportOptions) {
  const clock = adapterOf(container, PORTS.Clock);
  const stamp = clock.now().toISOString().replace(/[:.]/g, '-');
  const importOptions = {
    report: join(config.DATA_DIR, 'reports', `import-${stamp}.txt`),
    ...options,
    imageBytesMax: config.IMAGE_BYTES_MAX,
    ...(database.kind === 'postgres' ? { transactionMs: SERVER_TRANSACTION_MS } : {}),
  };
  const queue = adapterOf(container, PORTS.IndexQueue);
  const ports = {
    openImport: (dryRun: boolean) =>
      openImport(
        database.knex,
        dryRun,
        database.kind === 'postgres' ? SERVER_CONNECTIONS : 1,
        new OpenAuditEntry(clock, entryOf('catalog import', { subject: options.bundle })),
      ),
    images: adapterOf(container, PORTS.ImageStore),
    pictures: container.resolve(StoredPictures),
    storedImages: adapterOf(container, PORTS.StoredImageIndex),
    embedding: {
      embeddings: adapterOf(container, PORTS.EmbeddingRepository),
      queue,
      hasWorkers: async () => !queue.isShared || container.resolve(ReadinessCheck).hasWorkers(),
    },
    clock,
  };
  return withProgress(process.stderr, (progress) => importBundle(importOptions, ports, progress));
}
