import type { EmbeddingVersion, ModelManifest } from '../vision/embedding-model';
import type { Neighbour, Neighbourhood, PreparedImage, StageTimings } from '../vision/neighbours';

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

/** Who has a photo to ask about, and for how long. */
export interface VisionCaller {
  readonly accountId: string;
  /** Epoch milliseconds after which nobody waits for the answer. */
  readonly deadlineAt: number;
}

/** A photo on its way to the workers. */
export interface NeighbourRequest extends VisionCaller {
  readonly jobId: string;
  readonly requestId: string;
  readonly image: PreparedImage;
  /** Neighbours wanted, one per catalog image. */
  readonly limit: number;
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
  /** Fails with `unavailable` when a photo that came now could not be answered by then; before any work is done. */
  admit(caller: VisionCaller): Promise<void>;
  /** As `admit`; until its place is left the photo counts among those that come before others. */
  enter(caller: VisionCaller): Promise<VisionPlace>;
  neighbours(request: NeighbourRequest): Promise<Neighbourhood>;
  /** Whether the queue can be reached; for readiness. */
  ping(): Promise<void>;
  depth(): Promise<{ waiting: number; active: number }>;
  /** How long the photo at the head of the queue has waited; 0 when none waits. */
  oldestWaitingMs(): Promise<number>;
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

/** A record of one identification, without the photo (contract 7.11). */
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
  /** Deletes all that is recorded of an account's photos; how many there were. */
  deleteOf(accountId: string): Promise<number>;
  /** Deletes records of before a time, the oldest first, at most `limit`; how many there were. */
  deleteBefore(time: Date, limit: number): Promise<number>;
}
