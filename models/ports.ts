/**
 * Everything that the domain needs from outside, in its own words, with the token under which each is bound.
 * The file to read first: `api`, `workers` and `db` hold one class per port and technology.
 */
import type { Account, ApiKey, ApiVersion, Caller, KeyLimits } from './access/api-key';
import type { ResolvedQuery, SearchPage } from './catalog/catalog-query';
import type { CatalogItem, Category, Tag } from './catalog/item';
import type {
  CatalogImage,
  Coverage,
  EmbeddingVersion,
  VersionRecord,
  WorkerReadiness,
} from './indexing/embedding-version';
import type { Evaluation } from './indexing/evaluation';
import type { DataFile, MarketEstimate } from './pricing/estimate';
import type { Calibration, ModelManifest } from './vision/embedding-model';
import type { Neighbour, Neighbourhood, PreparedImage, StageTimings } from './vision/neighbours';

/** The catalog as it is read. Rows that were deleted do not exist here. */
export interface CatalogRepository {
  categories(): Promise<readonly Category[]>;
  /** The closed vocabulary, ordered by group, then display order. */
  tags(): Promise<readonly Tag[]>;
  /** Every field that an attribute may have: all hierarchy attributes and all kinds of entities, `category` excluded. */
  facetFields(): Promise<readonly string[]>;
  /** Rows in the order of the ids; unknown ids are left out. */
  itemsById(ids: readonly string[]): Promise<readonly CatalogItem[]>;
  /** One page of a query with the exact total (decisions.md 7). */
  search(query: ResolvedQuery): Promise<SearchPage<CatalogItem>>;
  /** The live products that show each image, by image id; images that no live product shows are left out. */
  productsShowing(imageIds: readonly number[]): Promise<ReadonlyMap<number, readonly string[]>>;
}

/** Prices as they are read. */
export interface PricingRepository {
  /** Estimates of each variant, ordered by source, then region; variants without are left out. */
  estimates(variantIds: readonly string[]): Promise<ReadonlyMap<string, readonly MarketEstimate[]>>;
  /** Which data files hold at least one row, by variant, regions in the order NA, EU-UK, EU-IE. */
  dataFiles(variantIds: readonly string[]): Promise<ReadonlyMap<string, readonly DataFile[]>>;
  /** The highest estimate below each row that is no product (decisions.md 5); rows without are left out. */
  maxEstimates(rowIds: readonly string[]): Promise<ReadonlyMap<string, MarketEstimate>>;
  /** The rows of one file as cells, column order of interface.md 2.2 and decisions.md 6, header not included. */
  fileRows(file: DataFile): AsyncIterable<readonly (string | number | null)[]>;
}

/** Signs the addresses of data files and checks them. */
export interface DataFileSigner {
  /** A path with its signature in the query string, or null when nothing can sign (fail-closed). */
  sign(file: DataFile, expiresAt: Date): string | null;
  /** Whether path and query were signed by one of the keys and have not expired; compared in constant time. */
  verify(file: DataFile, query: Readonly<Record<string, unknown>>, now: Date): boolean;
}

/** Accounts and keys. */
export interface AccountRepository {
  /** The caller behind a credential, looked up by its SHA-256; null for unknown and revoked keys. */
  callerByKeyHash(hash: Buffer): Promise<Caller | null>;
  createAccount(name: string, credits: number | null): Promise<Account>;
  listAccounts(): Promise<readonly Account[]>;
  /** Null when there is no such account. */
  account(id: string): Promise<Account | null>;
  createKey(key: {
    accountId: string;
    name: string;
    versions: readonly ApiVersion[];
    test: boolean;
    limits: KeyLimits;
    hash: Buffer;
  }): Promise<ApiKey>;
  listKeys(): Promise<readonly ApiKey[]>;
  /** False when there is no such key; true also when it was revoked before. */
  revokeKey(id: string): Promise<boolean>;
}

/** A charge of one call: reserved before the work, settled or released after it. */
export interface ChargeRequest {
  /** Identity of the charge, ours; a repeated settle of it changes nothing. */
  readonly chargeId: string;
  readonly accountId: string;
  readonly keyId: string;
  readonly endpoint: string;
  readonly requestId: string;
}

/** One line of an account's usage. */
export interface UsageLine {
  readonly day: string;
  readonly endpoint: string;
  readonly calls: number;
  readonly credits: number;
}

/**
 * Credits as they move. Balances never fall below zero, whatever runs at the same time; the sum of the ledger is the
 * sum of what was answered as `credits_used`.
 */
export interface CreditLedger {
  /** Holds `amount` until `expiresAt`; false when the balance less what is held does not cover it. */
  reserve(charge: ChargeRequest, amount: number, expiresAt: Date): Promise<boolean>;
  /** Books `amount` (at most what was reserved), frees the rest; the balance left, null when unlimited. Idempotent. */
  settle(charge: ChargeRequest, amount: number): Promise<number | null>;
  /** Frees a reservation without a charge; the balance left, null when unlimited. Idempotent. */
  release(charge: ChargeRequest): Promise<number | null>;
  /**
   * Takes back what was held and booked for a call whose answer nobody got. Tries again for a while when the store is
   * away, and rejects when that does not help.
   */
  takeBack(charge: ChargeRequest): Promise<void>;
  /** Frees what reservations hold whose time is over: of calls that died with their process. */
  lapse(): Promise<void>;
  /** Adds credits to a limited account and answers its balance; null when the account is unknown or unlimited. */
  topUp(accountId: string, amount: number): Promise<number | null>;
  usage(accountId: string, since: Date | null, until: Date | null): Promise<readonly UsageLine[]>;
}

/** A call that names itself: whoever sends it again wants the answer of the first time. */
export interface IdempotentCall {
  readonly accountId: string;
  /** The caller's name for it. */
  readonly key: string;
  /** SHA-256 of what is asked. */
  readonly fingerprint: Buffer;
}

/** What is known of a call that names itself. */
export type Claim =
  /** It is the asker's to make, under this charge. */
  | { readonly kind: 'granted'; readonly chargeId: string }
  | { readonly kind: 'answered'; readonly answer: string }
  | { readonly kind: 'running' }
  /** The key stands for something else that was asked. */
  | { readonly kind: 'other call' };

/** Answers of calls that are made once per account and key, however often they are sent. */
export interface IdempotencyStore {
  /**
   * Claims a call until `leasedUntil`; one whose lease is over may be claimed again and keeps its charge. After
   * `expiresAt` the key is free for anything.
   */
  claim(call: IdempotentCall, leasedUntil: Date, expiresAt: Date): Promise<Claim>;
  /** Keeps the answer of a claimed call. */
  complete(call: IdempotentCall, chargeId: string, answer: string): Promise<void>;
  /** Frees the key of a claimed call that was refused: nothing happened. */
  forget(call: IdempotentCall, chargeId: string): Promise<void>;
  /** Ends the lease of a claimed call that broke off: it may have been charged. */
  giveUp(call: IdempotentCall, chargeId: string): Promise<void>;
}

/** What a limit says about one call. */
export interface LimitDecision {
  readonly allowed: boolean;
  readonly limit: number;
  readonly remaining: number;
  readonly resetSeconds: number;
}

/** Counts calls per key, shared by all processes of an installation. */
export interface RateLimiter {
  /** Counts one call against a window; windows with a limit of 0 are not asked. */
  consume(keyId: string, window: 'second' | 'minute', limit: number): Promise<LimitDecision>;
  /** Takes a place among the concurrent vision calls of a key, or null when all are taken. A place lapses by itself. */
  acquire(keyId: string, limit: number, lapseMs: number): Promise<{ release(): Promise<void> } | null>;
}

/** Gets the bytes behind a caller's address: guarded, capped, timed. Fails with 422 reasons `url_*`, `image_too_large`. */
export interface ImageSource {
  fetch(url: URL, signal?: AbortSignal): Promise<Buffer>;
}

/** Makes one small oriented JPEG of any accepted picture. Fails with 422 reasons `image_*`. */
export interface ImagePreparer {
  /** Waits its turn among the pictures that are being decoded; fails with the reason of `signal` when that is aborted. */
  prepare(bytes: Buffer, signal?: AbortSignal): Promise<PreparedImage>;
  /** A thumbnail JPEG of a prepared or stored picture, longest side in pixels. */
  thumbnail(bytes: Buffer, side: number): Promise<Buffer>;
}

/** Names the trace that work belongs to and its place there, as W3C Trace Context has it; for work in other processes. */
export interface TraceContext {
  readonly traceparent: string;
  readonly tracestate?: string | undefined;
}

/** A photo on its way to the workers. */
export interface NeighbourRequest {
  readonly jobId: string;
  readonly requestId: string;
  readonly image: PreparedImage;
  /** Neighbours wanted, one per catalog image. */
  readonly limit: number;
  /** Epoch milliseconds after which nobody waits for the answer. */
  readonly deadlineAt: number;
  /** Aborted when the caller hung up: the place in the queue is given back. */
  readonly signal?: AbortSignal;
  /** Set where calls are traced. */
  readonly trace?: TraceContext;
}

/** The place of a call among those whose photos are on their way to the queue. */
export interface VisionPlace {
  /** The call has ended; a second time changes nothing. */
  leave(): void;
}

/**
 * The way to the workers. `neighbours` answers by the deadline or fails with `timeout`; it fails with `unavailable`
 * at once when the queue is away, full, or can't make it in time.
 */
export interface VisionQueue {
  /** Fails with `unavailable` when a photo that came now could not be answered by then; before any work is done. */
  admit(deadlineAt: number): Promise<void>;
  /** As `admit`; until its place is left the photo counts among those that come before others. */
  enter(deadlineAt: number): Promise<VisionPlace>;
  neighbours(request: NeighbourRequest): Promise<Neighbourhood>;
  /** Whether the queue can be reached; for readiness. */
  ping(): Promise<void>;
  depth(): Promise<{ waiting: number; active: number }>;
  /** How long the photo at the head of the queue has waited; 0 when none waits. */
  oldestWaitingMs(): Promise<number>;
  close(): Promise<void>;
}

/** Work on the catalog's images, done by the workers when no photo of a caller waits. */
export interface IndexQueue {
  /** Embeds images for a version; resolves when all are stored or listed as failures. Safe to repeat. */
  embed(versionId: number, images: readonly CatalogImage[]): Promise<{ embedded: number; failed: number }>;
  close(): Promise<void>;
}

/** Runs the model: pictures to unit vectors. */
export interface Embedder {
  readonly manifest: ModelManifest;
  /** One unit vector of `output.dimensions` float32 per view and picture, in order: `result[picture][view]`. */
  embed(jpegs: readonly Buffer[], views: 'catalog' | 'query'): Promise<readonly (readonly Float32Array[])[]>;
  close(): Promise<void>;
}

/** The embedder of a version; loads each once and keeps the live one warm. */
export interface EmbedderRegistry {
  forVersion(version: EmbeddingVersion): Promise<Embedder>;
  close(): Promise<void>;
}

/** Nearest catalog images in the vector index. */
export interface NeighbourIndex {
  /**
   * Nearest images to any of the query vectors under a version, nearest first, ties by image id, one entry per image
   * shown by a live row. `category` narrows without losing rows.
   */
  nearest(
    version: EmbeddingVersion,
    vectors: readonly Float32Array[],
    limit: number,
    category?: string,
  ): Promise<readonly Neighbour[]>;
  /** Fails, saying what is wrong, when a version can't be searched: its vectors are missing, or are not its model's. */
  check(version: EmbeddingVersion): Promise<void>;
}

/** Embedding versions, their vectors, and what could not be embedded. */
export interface EmbeddingRepository {
  live(): Promise<EmbeddingVersion | null>;
  version(id: number): Promise<EmbeddingVersion | null>;
  /** All that ever were, oldest first. */
  versions(): Promise<readonly VersionRecord[]>;
  /** A version for a model, with its own table of vectors, unless one is built or live; the first one ever is live. */
  create(manifest: ModelManifest): Promise<EmbeddingVersion>;
  /**
   * Makes a version the live one in one step; the one before is retired, with its vectors. Safe to repeat. A version that
   * has no vectors any more is refused.
   *
   * @param keepsPrevious whether the one before is kept up for a rollback; else it is as good as gone
   */
  promote(versionId: number, keepsPrevious?: boolean): Promise<void>;
  /** From now on images that come are embedded for the version too: it was proven to cover all that there are. */
  markBuilt(versionId: number): Promise<void>;
  /** Keeps how a version was judged, and the calibration that was fitted then. */
  keepEvaluation(versionId: number, evaluation: Evaluation, calibration: Calibration | null): Promise<void>;
  /** Drops the vectors of a version that is not live; whether there were any. */
  prune(versionId: number): Promise<boolean>;
  coverage(versionId: number): Promise<Coverage>;
  /** Images of live products without a vector or a listed failure, by id, after `afterId`. */
  pending(versionId: number, limit: number, afterId: number): Promise<readonly CatalogImage[]>;
  /** Which of these images have no vector under a version. */
  missing(versionId: number, imageIds: readonly number[]): Promise<ReadonlySet<number>>;
  /** Stores all vectors of one image, `vectors[view]`; replaces what was there and clears a listed failure. */
  store(
    versionId: number,
    embeddings: readonly { imageId: number; vectors: readonly Float32Array[] }[],
  ): Promise<void>;
  recordFailures(versionId: number, failures: readonly { imageId: number; reason: string }[]): Promise<void>;
  /** Forgets listed failures so that the next run tries them again; how many there were. */
  retryFailures(versionId: number): Promise<number>;
  failures(versionId: number, limit: number): Promise<readonly { image: CatalogImage; reason: string }[]>;
  /**
   * Makes the approximate index of a version where it has come to need one; whether there is one. Safe to repeat, also
   * after it was broken off.
   *
   * @param onNotice hears what the database says meanwhile
   */
  buildIndex(versionId: number, onNotice?: (notice: string) => void): Promise<boolean>;
  /** False while a version has come to need an approximate index and has none. */
  isIndexed(versionId: number): Promise<boolean>;
}

/** What the workers say of the models of versions, so that a change of the model waits for all of them. */
export interface ReadinessRepository {
  /** Tells for one worker; what it told before is replaced. */
  tell(worker: string, told: readonly Omit<WorkerReadiness, 'worker'>[]): Promise<void>;
  /** What living workers told of a version; one that has not told anything for a while counts as dead. */
  of(versionId: number): Promise<readonly WorkerReadiness[]>;
  /** Whether any worker is alive. */
  workers(): Promise<readonly string[]>;
  /** Forgets a worker that ends. */
  forget(worker: string): Promise<void>;
}

/** The exact search beside the approximate one, to measure what that loses. */
export interface ExactNeighbours {
  /** Whether searches of a version go through an approximate index. */
  isApproximate(version: EmbeddingVersion): Promise<boolean>;
  /** Ids of the nearest images by a scan of all vectors, nearest first, as `NeighbourIndex.nearest` orders them. */
  nearest(
    version: EmbeddingVersion,
    vectors: readonly Float32Array[],
    limit: number,
    category?: string,
  ): Promise<readonly number[]>;
}

/** Pictures of the catalog to make queries of. */
export interface ImageSamples {
  /** Images that are embedded under all of the versions and shown by live products, in an order that the seed fixes. */
  sample(versionIds: readonly number[], count: number, seed: number): Promise<readonly CatalogImage[]>;
  /** All images of live products, variants included. */
  imagesOf(productIds: readonly string[]): Promise<ReadonlyMap<string, readonly CatalogImage[]>>;
  /** Share of the images of live rows that each category has. */
  categoryShares(): Promise<ReadonlyMap<string, number>>;
}

/** A record of one identification, without the photo (decisions.md 8). */
export interface Prediction {
  readonly id: string;
  readonly createdAt: Date;
  readonly requestId: string;
  readonly accountId: string;
  readonly endpoint: string;
  readonly versionId: number;
  readonly model: string;
  readonly imageDigest: string;
  readonly neighbours: readonly Neighbour[];
  readonly rows: readonly { id: string; confidence: number }[];
  readonly timings: StageTimings & { readonly intakeMs: number; readonly rowsMs: number };
}

export interface PredictionRepository {
  save(prediction: Prediction): Promise<void>;
  find(id: string): Promise<Prediction | null>;
}

/** Stored images by content hash; addresses are `/images/<sha256>.<extension>`. */
export interface ImageStore {
  /** Stores bytes once and answers their address; the same bytes have the same address. */
  put(bytes: Buffer, extension: 'jpg' | 'png' | 'webp'): Promise<string>;
  /** The bytes at an address of ours; null when there are none. */
  get(address: string): Promise<Buffer | null>;
}

export interface Clock {
  now(): Date;
}

/** Names that nobody can guess, for requests, jobs, charges and predictions. */
export interface IdSource {
  next(): string;
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

/** Structured log, one line a call; the fields never hold keys, images or signed links. */
export interface Logger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}
