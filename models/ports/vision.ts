import type { Caller, Owner } from '../access/api-key';
import type { Lease } from '../access/fair-budget';
import type { SearchScope } from '../catalog/catalog-query';
import type { EmbeddingVersion, ModelManifest, ViewSize } from '../vision/embedding-model';
import type { Region } from '../vision/image-input';
import type { EntryAnswer, LeasedEntry, NewJob, VisionJob } from '../vision/jobs/vision-job';
import type * as neighbours from '../vision/neighbours';

export type MemoryLease = Pick<Lease, 'resize' | 'close'>;

/** Gets the bytes behind a caller's address: guarded, capped, timed. Fails with 422 reasons `url_*`, `image_too_large`. */
export interface ImageSource {
  /** @param lease accounts for the picture's memory; while there is none, nothing is read from its host */
  fetch(url: URL, signal?: AbortSignal, lease?: MemoryLease): Promise<Buffer>;
}

export interface PrepareOptions {
  readonly signal?: AbortSignal | undefined;
  readonly region?: Region | undefined;
  /** The owner of the picture: accounts take turns. */
  readonly account?: string | undefined;
}

/**
 * Makes any accepted picture small and upright, when its turn to be decoded comes. Fails with 422 reasons `image_*`, with
 * 400 for a region of fewer than 16 pixels, with the reason of `signal` when that is aborted.
 */
export interface ImagePreparer {
  /** @param size default: 640 pixels */
  prepare(bytes: Buffer, options?: PrepareOptions, size?: ViewSize): Promise<neighbours.PreparedImage>;
  decode(bytes: Buffer, size: ViewSize, options?: PrepareOptions): Promise<neighbours.DecodedImage>;
  /** A thumbnail JPEG of a prepared or stored picture, longest side in pixels. */
  thumbnail(bytes: Buffer, side: number): Promise<Buffer>;
}

/** The trace of work in another process, and its position in that (W3C Trace Context). */
export interface TraceContext {
  readonly traceparent: string;
  readonly tracestate?: string | undefined;
}

export interface VisionCaller {
  readonly accountId: string;
  /** Epoch milliseconds after which nobody is waiting for the answer. */
  readonly deadlineAt: number;
}

export interface NeighbourRequest extends VisionCaller {
  readonly jobId: string;
  readonly requestId: string;
  readonly images: readonly neighbours.SmallImage[];
  readonly scope: SearchScope;
  readonly liveStamp: Caller['liveStamp'];
  /** Aborted when the caller disconnects: its slot in the queue is released. */
  readonly signal?: AbortSignal | undefined;
  /** Absent where calls are not traced. */
  readonly trace?: TraceContext | undefined;
}

export type QueueLoad = { readonly waiting: number; readonly active: number };

export interface QueueSlot {
  release(): void;
}

/**
 * The queue to the workers. `neighbours` answers by the deadline or fails with `timeout`; it fails with `unavailable` at
 * once when the queue is unavailable, full, or can't meet the deadline. An account that takes more of the queue than its
 * share leaves the last eighth of it to the others.
 */
export interface VisionQueue {
  /** Whether photos should come as pixels: not to wait for long, as JPEGs take a tenth of the memory. */
  readonly takesPixels: boolean;
  /**
   * Fails with `unavailable`, before any work is done, when photos that arrived now could not be answered in time. Until the slot is
   * released, they count as ahead of later ones.
   * @param photos 0 only asks
   */
  admit(caller: VisionCaller, photos: number): Promise<QueueSlot>;
  neighbours(request: NeighbourRequest): Promise<neighbours.Neighbourhood>;
  /** How many workers take photos from the queue now (contract 14.16); null if that can't be known. */
  workers(): Promise<number | null>;
  /** Whether the queue can be reached and takes work; for readiness. */
  ping(): Promise<void>;
  depth(): Promise<QueueLoad>;
  /** How long the photo at the head of the queue has waited; 0 when none is waiting. */
  oldestWaitingMs(): Promise<number>;
  close(): Promise<void>;
}

export interface Embedder {
  readonly manifest: ModelManifest;
  /** Unit vectors, one for each view from a place to another. @param picture a JPEG, or pixels of `viewSizeOf`; another size is resized */
  embed(
    picture: Buffer | neighbours.Pixels,
    views: 'catalog' | 'query',
    from?: number,
    to?: number,
  ): Promise<neighbours.Vectors>;
  /** The pixels of which `embed` makes the query views, so that views embedded in steps are decoded once. */
  decode(photo: Buffer | neighbours.Pixels): Promise<neighbours.Pixels>;
  close(): Promise<void>;
}

/** Gives the embedder of a version; loads each once and keeps the live one warm. */
export interface EmbedderRegistry {
  forVersion(version: EmbeddingVersion): Promise<Embedder>;
}

export interface NeighbourIndex {
  /**
   * Nearest images to any view of the photos, ties by image id, one entry per image that a live product of the scope shows.
   * A scope narrows the search without losing rows.
   * @param photos the view vectors of each photo
   * @param limit images for each photo: with several photos there may be that many for each
   * @param isEnough what it refuses is used only as `known`: the products of such images may be older, not to ask the database
   * @param known what the first view of a single photo found: it need not be searched again
   */
  nearest(
    version: EmbeddingVersion,
    photos: readonly neighbours.Vectors[],
    limit: number,
    scope?: SearchScope,
    isEnough?: neighbours.IsEnough,
    known?: readonly neighbours.Neighbour[],
  ): Promise<readonly neighbours.CatalogNeighbour[]>;
  /** Ids in the order of `nearest`, by a scan of all vectors, to measure what an approximate search loses. */
  exact(
    version: EmbeddingVersion,
    vectors: readonly Float32Array[],
    limit: number,
    scope?: SearchScope,
  ): Promise<readonly number[]>;
  /** Whether searches of a version go through an approximate index. */
  isApproximate(version: EmbeddingVersion): Promise<boolean>;
  /** Reads the data that searches of a version use, so that the first search does not wait for it. */
  prepare(version: EmbeddingVersion): Promise<void>;
  /** Fails with the reason when a version can't be searched: its vectors are missing, or are not from its model. */
  check(version: EmbeddingVersion): Promise<void>;
}

/** A record of one identification, without the photos (contract 7.11). */
export interface Prediction extends Owner {
  readonly id: string;
  readonly createdAt: Date;
  readonly requestId: string;
  readonly endpoint: string;
  readonly versionId: number;
  readonly model: string;
  readonly imageDigests: readonly string[];
  readonly neighbours: readonly neighbours.Neighbour[];
  /** The likeliest product, answered or not, stored with its category; null when nothing was near. */
  readonly best: { readonly id: string; readonly confidence: number } | null;
  readonly rows: readonly { id: string; confidence: number }[];
  /** `rowsMs`: until the rows were known; those that are sure are known before they are read. */
  readonly timings: neighbours.StageTimings & { readonly intakeMs: number; readonly rowsMs: number };
  readonly feedback: Feedback | null;
}

/** What the photos of a prediction showed, according to its caller (contract 7.18). */
export interface Feedback {
  readonly correctId: string | null;
  readonly comment: string | null;
  /** Whether the first row of the answer was right, or an empty answer. */
  readonly right: boolean;
  readonly at: string;
}

export interface JudgedPrediction {
  readonly model: string;
  /** The month of the answer, such as `2026-11`. */
  readonly month: string;
  /** Of the product nearest to the photos. */
  readonly category: string | null;
  readonly photos: number;
  /** Of the first row; null for an answer without rows. */
  readonly confidence: number | null;
  readonly right: boolean;
}

/** The neighbours found for the photos of a prediction, and the product shown; null when the catalog does not have it. */
export interface CorrectedNeighbours
  extends Pick<Prediction, 'id' | 'neighbours'>,
    Pick<Feedback, 'correctId'> {
  readonly photos: number;
}

export interface CorrectedPhotos extends Pick<Prediction, 'id'>, Pick<Feedback, 'correctId'> {
  readonly photos: readonly Buffer[];
}

/** Answers of an account with rows and feedback: mean claimed confidence and share of right answers. */
export interface AccountReliability {
  readonly accountId: string;
  readonly answers: number;
  readonly claimed: number;
  readonly right: number;
}

export interface PredictionRepository {
  /** A second time it replaces the rows. @param photos the prepared photos; kept if the account still wants that */
  save(prediction: Prediction, photos: readonly Buffer[]): Promise<void>;
  find(id: string): Promise<Prediction | null>;
  /** The last feedback counts; false when there is no such prediction. */
  saveFeedback(id: string, feedback: Feedback): Promise<boolean>;
  judged(since: Date | null): Promise<readonly JudgedPrediction[]>;
  reliabilitySince(since: Date): Promise<readonly AccountReliability[]>;
  /** Of answers with feedback under a version, the newest first. */
  correctedNeighbours(
    versionId: number,
    since: Date | null,
    limit: number,
  ): Promise<readonly CorrectedNeighbours[]>;
  /** Of answers with feedback whose photos are kept, the newest first. */
  correctedPhotos(limit: number): Promise<readonly CorrectedPhotos[]>;
  deleteOf(accountId: string): Promise<number>;
}

/** Jobs and their entries, shared by all processes of an installation and intact after any of them dies. */
export interface VisionJobStore {
  /** Stores a job unless one with this id exists; false when its owner would have more open entries than `openMax`. */
  add(job: NewJob, openMax: number): Promise<boolean>;
  /** Null when there is none, or it belongs to another owner. */
  find(owner: Owner, id: string): Promise<VisionJob | null>;
  /** The answers from one position to another (exclusive), as JSON; null if there is none yet. */
  answers(id: string, from: number, until: number): Promise<readonly (string | null)[]>;
  openEntries(owner: Owner): Promise<number>;
  /** Cancels for good the entries of a job that have not begun. */
  cancel(id: string): Promise<void>;
  /** Leases a due entry of the account whose last turn is longest ago. @param without accounts that get no turn now */
  begin(leaseMs: number, without?: readonly string[]): Promise<LeasedEntry | null>;
  /** Stores the answer of an entry and drops its photos; false when its lease was lost. True if its job is deleted. */
  finish(entry: LeasedEntry, answer: EntryAnswer): Promise<boolean>;
  /** Schedules an entry to begin again at a time; if its job was cancelled meanwhile, it is cancelled too. */
  postpone(entry: LeasedEntry, until: Date): Promise<void>;
  deleteOf(accountId: string): Promise<void>;
  depth(): Promise<{ waiting: number; running: number }>;
}
