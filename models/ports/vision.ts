import type { Owner } from '../access/api-key';
import type { SearchScope } from '../catalog/catalog-query';
import type { EmbeddingVersion, ModelManifest, ViewSize } from '../vision/embedding-model';
import type { Region } from '../vision/image-input';
import type {
  DecodedImage,
  Neighbour,
  Neighbourhood,
  Pixels,
  PreparedImage,
  ShownNeighbour,
  SmallImage,
  StageTimings,
} from '../vision/neighbours';

/** A part of the memory that calls share, in bytes. */
export interface MemoryRoom {
  /** Becomes so large as soon as there is room; fails with `unavailable` when there is none in time. */
  resize(bytes: number): Promise<void>;
  /** Gives everything back. */
  close(): void;
}

/** Gets the bytes behind a caller's address: guarded, capped, timed. Fails with 422 reasons `url_*`, `image_too_large`. */
export interface ImageSource {
  /** @param room takes what the picture takes; while there is none, its host is not read */
  fetch(url: URL, signal?: AbortSignal, room?: MemoryRoom): Promise<Buffer>;
}

/** How a picture is prepared. */
export interface PrepareOptions {
  /** Ends the waiting. */
  readonly signal?: AbortSignal | undefined;
  /** The part that is wanted; all of it when left out. */
  readonly region?: Region | undefined;
  /** Whose picture it is: accounts take turns. */
  readonly account?: string | undefined;
}

/**
 * Makes any accepted picture small and upright. Waits its turn among the pictures that are being decoded. Fails with 422
 * reasons `image_*`, with 400 for a region of fewer than 16 pixels, with the reason of `signal` when that is aborted.
 */
export interface ImagePreparer {
  /** As a JPEG of `PREPARED_SIDE` pixels at most. */
  prepare(bytes: Buffer, options?: PrepareOptions): Promise<PreparedImage>;
  /** As pixels, of a size at most. */
  decode(bytes: Buffer, size: ViewSize, options?: PrepareOptions): Promise<DecodedImage>;
  /** A thumbnail JPEG of a prepared or stored picture, longest side in pixels. */
  thumbnail(bytes: Buffer, side: number): Promise<Buffer>;
}

/** Names the trace that work belongs to and its place there, as W3C Trace Context has it; for work in other processes. */
export interface TraceContext {
  readonly traceparent: string;
  readonly tracestate?: string | undefined;
}

/** Who has photos to ask about, and for how long. */
export interface VisionCaller {
  readonly accountId: string;
  /** How many; 1 while that is not known. */
  readonly photos?: number;
  /** Epoch milliseconds after which nobody waits for the answer. */
  readonly deadlineAt: number;
}

/** The photos of a call on their way to the workers. */
export interface NeighbourRequest extends VisionCaller {
  readonly jobId: string;
  readonly requestId: string;
  /** One to five, of one item. */
  readonly images: readonly SmallImage[];
  /** Neighbours wanted for each photo, one per catalog image. */
  readonly limit: number;
  /** The rows that count. */
  readonly scope: SearchScope;
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
 * at once when the queue is away, full, or can't make it in time. An account that takes more of the queue than its
 * share leaves the last eighth of it to those who take less.
 */
export interface VisionQueue {
  /**
   * The size at which photos are best decoded for it: it looks at them in this process. Null where they go to others as
   * JPEG, or where that is not known yet; it takes either form.
   */
  readonly viewSize: ViewSize | null;
  /** Fails with `unavailable` when a photo that came now could not be answered by then; before any work is done. */
  admit(caller: VisionCaller): Promise<void>;
  /** As `admit`; until its place is left the photo counts among those that come before others. */
  enter(caller: VisionCaller): Promise<VisionPlace>;
  neighbours(request: NeighbourRequest): Promise<Neighbourhood>;
  /** How many workers take photos from the queue now; null where it can not be known. */
  workers(): Promise<number | null>;
  /** Whether the queue can be reached and takes work; for readiness. */
  ping(): Promise<void>;
  depth(): Promise<{ waiting: number; active: number }>;
  /** How long the photo at the head of the queue has waited; 0 when none waits. */
  oldestWaitingMs(): Promise<number>;
  close(): Promise<void>;
}

/** Runs the model: pictures to unit vectors. */
export interface Embedder {
  readonly manifest: ModelManifest;
  /**
   * One unit vector of `output.dimensions` float32 per view and picture, in order: `result[picture][view]`.
   *
   * @param pictures JPEGs, or pixels of `viewSizeOf`; of another size they are shrunk or enlarged
   */
  embed(
    pictures: readonly (Buffer | Pixels)[],
    views: 'catalog' | 'query',
  ): Promise<readonly (readonly Float32Array[])[]>;
  close(): Promise<void>;
}

/** The embedder of a version; loads each once and keeps the live one warm. */
export interface EmbedderRegistry {
  forVersion(version: EmbeddingVersion): Promise<Embedder>;
  close(): Promise<void>;
}

/** Nearest catalog images among the vectors of a version. */
export interface NeighbourIndex {
  /**
   * Nearest images to any view of the photos under a version, nearest first, ties by image id, one entry per image
   * shown by a live product of the scope. A scope narrows without losing rows.
   *
   * @param photos the vectors of the views of each photo
   * @param limit images for each photo: of several, there may be so many times as many
   */
  nearest(
    version: EmbeddingVersion,
    photos: readonly (readonly Float32Array[])[],
    limit: number,
    scope?: SearchScope,
  ): Promise<readonly ShownNeighbour[]>;
  /**
   * Ids of the nearest images by a scan of all vectors, to measure what an approximate search loses; in the order of
   * `nearest`.
   */
  exact(
    version: EmbeddingVersion,
    vectors: readonly Float32Array[],
    limit: number,
    scope?: SearchScope,
  ): Promise<readonly number[]>;
  /** Whether searches of a version go through an approximate index. */
  isApproximate(version: EmbeddingVersion): Promise<boolean>;
  /** Reads what a version is searched in, so that the first search does not wait for it. */
  prepare(version: EmbeddingVersion): Promise<void>;
  /** Fails, saying what is wrong, when a version can't be searched: its vectors are missing, or are not its model's. */
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
  /** Of each photo, as `PreparedImage` has it. */
  readonly imageDigests: readonly string[];
  readonly neighbours: readonly Neighbour[];
  /** The likeliest product, answered or not; null when nothing was near. */
  readonly best: BestCandidate | null;
  readonly rows: readonly { id: string; confidence: number }[];
  readonly timings: StageTimings & { readonly intakeMs: number; readonly rowsMs: number };
  /** What the caller says of the answer; null until it is said. */
  readonly feedback: Feedback | null;
}

/** The product that the photos of a call most likely show. */
export interface BestCandidate {
  readonly id: string;
  readonly category: string | null;
  readonly confidence: number;
}

/** What the photos of a prediction showed, by its caller (contract 7.18). */
export interface Feedback {
  /** The product; null when the catalog does not have it. */
  readonly correctId: string | null;
  readonly comment: string | null;
  /** Whether the first row of the answer was right, or an empty answer. */
  readonly right: boolean;
  /** ISO 8601. */
  readonly at: string;
}

/** An answer with feedback. */
export interface JudgedPrediction {
  /** `id@version` of the model. */
  readonly model: string;
  /** Of the answer, such as `2026-11`. */
  readonly month: string;
  /** Of the product nearest to the photos. */
  readonly category: string | null;
  readonly photos: number;
  /** Of the first row; null for an answer without rows. */
  readonly confidence: number | null;
  readonly right: boolean;
}

/** What was found near the photos of an answer, and what they showed. */
export interface CorrectedNeighbours {
  /** Of the prediction. */
  readonly id: string;
  readonly neighbours: readonly Neighbour[];
  /** How many photos the distances are of. */
  readonly photos: number;
  /** Null when the catalog does not have it. */
  readonly correctId: string | null;
}

/** Photos of which a caller said what they show. */
export interface CorrectedPhotos {
  /** Of the prediction. */
  readonly id: string;
  /** Prepared, as they were looked at. */
  readonly photos: readonly Buffer[];
  /** Null when the catalog does not have it. */
  readonly correctId: string | null;
}

/** Answers of an account with rows and feedback, taken together. */
export interface AccountReliability {
  readonly accountId: string;
  readonly answers: number;
  /** Means of the confidence that was claimed, and of being right. */
  readonly claimed: number;
  readonly right: number;
}

/** Those of several accounts. */
export interface ReliabilitySummary {
  readonly answers: number;
  /** Means of the confidence that was claimed, and of being right; null without answers. */
  readonly claimed: number | null;
  readonly right: number | null;
}

export interface PredictionRepository {
  /** @param photos the prepared photos; asked for where the account wants them kept */
  save(prediction: Prediction, photos: () => Promise<readonly Buffer[]>): Promise<void>;
  find(id: string): Promise<Prediction | null>;
  /** The last feedback stands; false when there is no such prediction. */
  saveFeedback(id: string, feedback: Feedback): Promise<boolean>;
  /** All answers with feedback since a time. */
  judged(since: Date | null): Promise<readonly JudgedPrediction[]>;
  /** Of each account that has any. */
  reliabilitySince(since: Date): Promise<readonly AccountReliability[]>;
  /** Of answers with feedback under a version since a time, the newest first. */
  correctedNeighbours(
    versionId: number,
    since: Date | null,
    limit: number,
  ): Promise<readonly CorrectedNeighbours[]>;
  /** Of answers with feedback whose photos are kept, the newest first. */
  correctedPhotos(limit: number): Promise<readonly CorrectedPhotos[]>;
  /** Deletes all that is recorded of an account's photos; how many there were. */
  deleteOf(accountId: string): Promise<number>;
  /** Deletes records of before a time, the oldest first, at most `limit`; how many there were. */
  deleteBefore(time: Date, limit: number): Promise<number>;
}
