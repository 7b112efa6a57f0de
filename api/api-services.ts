import type { RequestHandler } from 'express';
import type { Logger as PinoLogger } from 'pino';
import type { z } from 'zod';
import { AccountService } from '../models/access/account-service';
import { Billing } from '../models/access/billing';
import { FairBudget } from '../models/access/fair-budget';
import type { KeyService } from '../models/access/key-service';
import { CatalogService } from '../models/catalog/catalog-service';
import { StoredPictures } from '../models/catalog/stored-pictures';
import { SuggestionService } from '../models/catalog/suggestion-service';
import { FeedbackService } from '../models/feedback/feedback-service';
import { PORTS, type Token } from '../models/ports';
import { RecordsService } from '../models/records/records-service';
import { VisionJobService } from '../models/vision/jobs/vision-job-service';
import { SimilarService } from '../models/vision/similar-service';
import { VisionService } from '../models/vision/vision-service';
import { WebhookService } from '../models/webhooks/webhook-service';

/** Gives the service of a class, or the adapter of a port. */
export type Resolve = <Part>(part: (new (...given: never[]) => Part) | Token<Part>) => Part;

/** What the HTTP side needs from the rest: the capabilities, and the few ports that routes use directly. */
export const apiServices = (resolve: Resolve, admin: (requestId: string) => AdminServices) => ({
  billing: resolve(Billing),
  catalog: resolve(CatalogService),
  vision: resolve(VisionService),
  suggestions: resolve(SuggestionService),
  similar: resolve(SimilarService),
  feedback: resolve(FeedbackService),
  records: resolve(RecordsService),
  pictures: resolve(StoredPictures),
  jobs: resolve(VisionJobService),
  webhooks: resolve(WebhookService),
  statements: resolve(AccountService),
  bodies: resolve(FairBudget),
  accounts: resolve(PORTS.AccountRepository),
  limiter: resolve(PORTS.RateLimiter),
  prices: resolve(PORTS.PricingRepository),
  signer: resolve(PORTS.DataFileSigner),
  images: resolve(PORTS.ImageStore),
  queue: resolve(PORTS.VisionQueue),
  idempotency: resolve(PORTS.IdempotencyStore),
  clock: resolve(PORTS.Clock),
  audit: resolve(PORTS.AuditLog),
  admin,
});

export type ApiServices = ReturnType<typeof apiServices>;

/** Accounts and keys as an operator manages them; every change is recorded with its author. */
export type AdminServices = Readonly<{ accounts: AccountService; keys: KeyService }>;

/** Whether this process takes calls: before it is ready and while it stops, every call is a 503. */
export type LifecycleState = 'starting' | 'ready' | 'stopping';

/** One thing that the service needs to serve; `check` fails when it does not work. */
export interface ReadinessCheck {
  readonly name: string;
  /** The process can serve without it, in part: its failure is a warning. */
  readonly isOptional?: true;
  check(): Promise<unknown>;
}

/** A figure of the process, read when the metrics are requested. */
export interface MetricSource {
  /** With its unit, as Prometheus expects: `loupe_vision_queue_oldest_seconds`. */
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
  /** The values with their label values. A value that can't be read now may be left out or rejected. */
  read(): Promise<readonly (readonly [labels: Readonly<Record<string, string>>, figure: number])[]>;
}

/** Limits of a key without its own; 0 is off (contract 9.5). */
export interface DefaultLimits {
  readonly perSecond: number;
  readonly perMinute: number;
  /** Photos of one key identified at the same time. */
  readonly visionConcurrency: number;
  /** Unknown keys, by the address that sends them. */
  readonly unknownKeysPerMinute: number;
  readonly testCallsPerMonth: number;
}

export interface ApiSettings {
  readonly logger: PinoLogger;
  readonly lifecycle: () => LifecycleState;
  /** Checked by `/readyz`, in this order. */
  readonly readiness: readonly ReadinessCheck[];
  /** The backend of each model loaded in this process, by its reference; reported by `/readyz`. */
  readonly inference: () => Readonly<Record<string, string>>;
  /** Base of image and data-file addresses, without a slash at the end; undefined takes it from each request. */
  readonly publicUrl?: string | undefined;
  /** Base of image addresses if they have their own, such as that of a cache. */
  readonly imageBaseUrl?: string | undefined;
  /** Proxies in front of the service whose `X-Forwarded-*` count. */
  readonly trustProxyHops: number;
  /** Origins of pages that may call the API from a browser, or all; by default none. */
  readonly corsOrigins: '*' | readonly string[];
  /** Shown at `/metrics` beside what the HTTP side measures itself. */
  readonly gauges: readonly MetricSource[];
  readonly limits: DefaultLimits;
  readonly imageBytesMax: number;
  readonly visionDeadlineMs: number;
  /** Memory for pages that are built and written at the same time. */
  readonly answerBytes: number;
  /** A slower body is aborted; 0 is off. */
  readonly uploadBytesPerSecondMin: number;
  readonly pageSizeMax: number;
  /** The schemas of the records of a catalog, for `/openapi.json`, by their names there. */
  readonly recordSchemas: Readonly<Record<string, z.ZodType>>;
  /** Pages for people: the web page, the readable reference. Tried in this order, after every route of the API. */
  readonly pages?: readonly RequestHandler[];
  /** Enables the operators' API, which is off without it. */
  readonly adminToken?: string | undefined;
  /** The queue dashboard at `/queues`, which checks its own password. */
  readonly queues?: RequestHandler | undefined;
}
