import type * as access from './ports/access';
import type * as audit from './ports/audit';
import type * as catalog from './ports/catalog';
import type * as catalogImport from './ports/catalog-import';
import type * as indexing from './ports/indexing';
import type * as vision from './ports/vision';
import type * as webhooks from './ports/webhooks';

/** What the domain needs from outside. The file to read first: `api`, `workers` and `db` hold one class per port and technology. */
export type * from './ports/access';
export type * from './ports/audit';
export type * from './ports/catalog';
export type * from './ports/catalog-import';
export type * from './ports/indexing';
export type * from './ports/vision';
export type * from './ports/webhooks';

export interface Clock {
  now(): Date;
}

/** Structured log, one line per call; the fields never contain keys, images or signed links. */
export interface Logger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Files that are complete or unchanged, even after a crash or on a full disk. */
export interface DurableFiles {
  /** Writes a new file; false when one of this name exists, which stays unchanged. */
  create(path: string, text: string): Promise<boolean>;
  /** Writes a file, replacing one of this name. */
  write(path: string, text: string): Promise<void>;
  /** Flushes a folder to disk and moves it to its place in one step. */
  settle(folder: string, place: string): Promise<void>;
  /** Makes a folder and those above it. @throws the error of the file system, also where Node's own way never returns */
  makeFolder(folder: string): void;
}

export interface Progress {
  /** Starts a stage that ends at `total`, in any unit; `done` of it was done before. */
  begin(stage: string, total: number, done?: number, counts?: Readonly<Record<string, number>>): void;
  /** How much of the stage is done, and failed. @param counts shown in place of `done`, by unit; the rate is that of the first */
  reach(done: number, failed?: number, counts?: Readonly<Record<string, number>>): void;
  end(): void;
  note(line: string): void;
}

const ignored = () => undefined;
export const NO_PROGRESS: Progress = { begin: ignored, reach: ignored, end: ignored, note: ignored };

/** The slot of a piece of work among those that a process does at the same time. */
export interface WorkSlot {
  /** Reports that there is work; to be called before it is done. */
  readonly reportWork: () => void;
  /** Gives up the slot during a wait that uses no resources of this process, and takes one again afterwards. */
  releaseWhile<Result>(wait: () => Promise<Result>): Promise<Result>;
}

/** For work that is done alone. */
export const NO_SLOT: WorkSlot = { reportWork: () => undefined, releaseWhile: (wait) => wait() };

/** The most characters of a kept answer that are read at a time. */
export const TEXT_PIECE = 512 * 1024;

export type Token<Port> = symbol & { readonly port?: Port };

export const PORTS = {
  CatalogRepository: token<catalog.CatalogRepository>('CatalogRepository'),
  CatalogRecords: token<catalogImport.CatalogRecords>('CatalogRecords'),
  RecordBodies: token<catalogImport.RecordBodies>('RecordBodies'),
  PricingRepository: token<catalog.PricingRepository>('PricingRepository'),
  DataFileSigner: token<catalog.DataFileSigner>('DataFileSigner'),
  AccountRepository: token<access.AccountRepository>('AccountRepository'),
  CreditLedger: token<access.CreditLedger>('CreditLedger'),
  IdempotencyStore: token<access.IdempotencyStore>('IdempotencyStore'),
  AuditLog: token<audit.AuditLog>('AuditLog'),
  AuditedTransaction: token<audit.AuditedTransaction>('AuditedTransaction'),
  RateLimiter: token<access.RateLimiter>('RateLimiter'),
  ImageSource: token<vision.ImageSource>('ImageSource'),
  ImagePreparer: token<vision.ImagePreparer>('ImagePreparer'),
  VisionQueue: token<vision.VisionQueue>('VisionQueue'),
  IndexQueue: token<indexing.IndexQueue>('IndexQueue'),
  EmbedderRegistry: token<vision.EmbedderRegistry>('EmbedderRegistry'),
  NeighbourIndex: token<vision.NeighbourIndex>('NeighbourIndex'),
  EmbeddingRepository: token<indexing.EmbeddingRepository>('EmbeddingRepository'),
  ProcessRegistry: token<indexing.ProcessRegistry>('ProcessRegistry'),
  ModelLibrary: token<indexing.ModelLibrary>('ModelLibrary'),
  PhotoDistorter: token<indexing.PhotoDistorter>('PhotoDistorter'),
  LabelledPhotos: token<indexing.LabelledPhotos>('LabelledPhotos'),
  ImageSamples: token<indexing.ImageSamples>('ImageSamples'),
  PredictionRepository: token<vision.PredictionRepository>('PredictionRepository'),
  SearchMissStore: token<catalog.SearchMissStore>('SearchMissStore'),
  VisionJobStore: token<vision.VisionJobStore>('VisionJobStore'),
  WebhookStore: token<webhooks.WebhookStore>('WebhookStore'),
  WebhookSender: token<webhooks.WebhookSender>('WebhookSender'),
  ImageStore: token<catalog.ImageStore>('ImageStore'),
  StoredImageIndex: token<catalogImport.StoredImageIndex>('StoredImageIndex'),
  Clock: token<Clock>('Clock'),
  Knex: token<unknown>('Knex'),
  Logger: token<Logger>('Logger'),
} as const;

function token<Port>(name: string): Token<Port> {
  return Symbol.for(name);
}
