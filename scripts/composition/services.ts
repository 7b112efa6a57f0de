import { AccountService } from '../../models/access/account-service';
import { KeyService } from '../../models/access/key-service';
import { FeedbackService } from '../../models/feedback/feedback-service';
import { AdaptService } from '../../models/indexing/adapt-service';
import { BuildService } from '../../models/indexing/build-service';
import { EvaluationService } from '../../models/indexing/evaluation-service';
import { IdentifiabilityService } from '../../models/indexing/identifiability-service';
import { PromotionService } from '../../models/indexing/promotion-service';
import { RecalibrationService } from '../../models/indexing/recalibration-service';
import { StatusService } from '../../models/indexing/status-service';
import { PORTS } from '../../models/ports';
import { readCommandConfig } from '../config';
import { type Loupe, NO_PARTS, openLoupe, openStores, useAndClose } from './container';
import { type CatalogImportOptions, importCatalog } from './import-catalog';
import { adapterOf } from './startup';

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
