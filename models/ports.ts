/**
 * Everything that the domain needs from outside, in its own words, with the token under which each is bound: who may call
 * and what it costs; who changed what; the catalog, its prices, files and pictures; the embeddings of the catalog and the change of their
 * model; the way of a photo. The file to read first: `api`, `workers` and `db` hold one class per port and technology.
 */
export type * from './ports/access';
export type * from './ports/audit';
export type * from './ports/catalog';
export type * from './ports/catalog-import';
export type * from './ports/catalog-records';
export type * from './ports/housekeeping';
export type * from './ports/indexing';
export type * from './ports/jobs';
export type * from './ports/processes';
export type * from './ports/search-misses';
export type * from './ports/vision';
export type * from './ports/webhooks';

export interface Clock {
  now(): Date;
}

/** Names that nobody can guess, for requests, jobs, charges and predictions. */
export interface IdSource {
  next(): string;
}

/** Structured log, one line a call; the fields never hold keys, images or signed links. */
export interface Logger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Files that are whole or as they were, also after a crash or on a full disk. */
export interface DurableFiles {
  /** Writes a file that must be new; false when there is one of this name, which stays as it is. */
  create(path: string, text: string): Promise<boolean>;
  /** Brings a folder to the disk and moves it to its place in one step. */
  settle(folder: string, place: string): Promise<void>;
}

/** Who is told how long work goes on. */
export interface Progress {
  /** A stage begins that ends at `total`, in whatever unit it counts; `done` of it was done before. */
  begin(stage: string, total: number, done?: number): void;
  /** How far the stage is, and what of that has failed. */
  reach(done: number, failed?: number): void;
  end(): void;
  /** Something worth reading. */
  note(line: string): void;
}

/** Injection tokens, one per port. */
export const PORTS = {
  CatalogRepository: Symbol.for('CatalogRepository'),
  ItemSales: Symbol.for('ItemSales'),
  CatalogRecords: Symbol.for('CatalogRecords'),
  RecordBodies: Symbol.for('RecordBodies'),
  PricingRepository: Symbol.for('PricingRepository'),
  DataFileSigner: Symbol.for('DataFileSigner'),
  AccountRepository: Symbol.for('AccountRepository'),
  CreditLedger: Symbol.for('CreditLedger'),
  IdempotencyStore: Symbol.for('IdempotencyStore'),
  AuditLog: Symbol.for('AuditLog'),
  AuditedWork: Symbol.for('AuditedWork'),
  HousekeepingStore: Symbol.for('HousekeepingStore'),
  RateLimiter: Symbol.for('RateLimiter'),
  ImageSource: Symbol.for('ImageSource'),
  ImagePreparer: Symbol.for('ImagePreparer'),
  VisionQueue: Symbol.for('VisionQueue'),
  IndexQueue: Symbol.for('IndexQueue'),
  EmbedderRegistry: Symbol.for('EmbedderRegistry'),
  NeighbourIndex: Symbol.for('NeighbourIndex'),
  EmbeddingRepository: Symbol.for('EmbeddingRepository'),
  ReadinessRepository: Symbol.for('ReadinessRepository'),
  ProcessRegistry: Symbol.for('ProcessRegistry'),
  ModelLibrary: Symbol.for('ModelLibrary'),
  PhotoDistorter: Symbol.for('PhotoDistorter'),
  LabelledPhotos: Symbol.for('LabelledPhotos'),
  ExactNeighbours: Symbol.for('ExactNeighbours'),
  ImageSamples: Symbol.for('ImageSamples'),
  PredictionRepository: Symbol.for('PredictionRepository'),
  SearchMissStore: Symbol.for('SearchMissStore'),
  VisionJobStore: Symbol.for('VisionJobStore'),
  WebhookStore: Symbol.for('WebhookStore'),
  WebhookSender: Symbol.for('WebhookSender'),
  ImageStore: Symbol.for('ImageStore'),
  Clock: Symbol.for('Clock'),
  IdSource: Symbol.for('IdSource'),
  Knex: Symbol.for('Knex'),
  Logger: Symbol.for('Logger'),
} as const;
