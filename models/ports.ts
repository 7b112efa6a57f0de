/**
 * Everything that the domain needs from outside, in its own words, with the token under which each is bound: who may call
 * and what it costs; the catalog, its prices, files and pictures; the embeddings of the catalog and the change of their
 * model; the way of a photo. The file to read first: `api`, `workers` and `db` hold one class per port and technology.
 */
export type * from './ports/access';
export type * from './ports/catalog';
export type * from './ports/indexing';
export type * from './ports/vision';

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

/** Injection tokens, one per port. */
export const PORTS = {
  CatalogRepository: Symbol.for('CatalogRepository'),
  PricingRepository: Symbol.for('PricingRepository'),
  DataFileSigner: Symbol.for('DataFileSigner'),
  AccountRepository: Symbol.for('AccountRepository'),
  CreditLedger: Symbol.for('CreditLedger'),
  IdempotencyStore: Symbol.for('IdempotencyStore'),
  RateLimiter: Symbol.for('RateLimiter'),
  ImageSource: Symbol.for('ImageSource'),
  ImagePreparer: Symbol.for('ImagePreparer'),
  VisionQueue: Symbol.for('VisionQueue'),
  IndexQueue: Symbol.for('IndexQueue'),
  EmbedderRegistry: Symbol.for('EmbedderRegistry'),
  NeighbourIndex: Symbol.for('NeighbourIndex'),
  EmbeddingRepository: Symbol.for('EmbeddingRepository'),
  ReadinessRepository: Symbol.for('ReadinessRepository'),
  ExactNeighbours: Symbol.for('ExactNeighbours'),
  ImageSamples: Symbol.for('ImageSamples'),
  PredictionRepository: Symbol.for('PredictionRepository'),
  ImageStore: Symbol.for('ImageStore'),
  Clock: Symbol.for('Clock'),
  IdSource: Symbol.for('IdSource'),
  Knex: Symbol.for('Knex'),
  Logger: Symbol.for('Logger'),
} as const;
