import type { EmbeddingVersion } from '../vision/embedding-model';
import type { Evaluation } from './evaluation';

/** A version with what a change of the model needs to know of it. */
export interface VersionRecord extends EmbeddingVersion {
  /** When it was first proven that every image is embedded or listed as a failure; null before. */
  readonly builtAt: Date | null;
  /**
   * Whether images that come are embedded for it: the live version, one that is built, and the one that a rollback goes
   * back to.
   */
  readonly maintained: boolean;
  /** How it was judged last against the live one; null when it was not. */
  readonly evaluation: Evaluation | null;
}

/** Whether a version's vectors exist. */
export const hasVectors = ({ state }: EmbeddingVersion): boolean => state !== 'pruned';

/** The version that a rollback goes back to: the one that was live before. */
export const rollbackTarget = (versions: readonly VersionRecord[]): VersionRecord | null =>
  versions.find(({ state, maintained }) => state === 'retired' && maintained) ?? null;

/** How far a version covers the images of live rows: images = pending + done + failed. */
export interface Coverage {
  readonly pending: number;
  readonly done: number;
  readonly failed: number;
}

/** A catalog image to embed: its id and its address (`https://…`, or a stored one that begins with `/`). */
export interface CatalogImage {
  readonly id: number;
  readonly address: string;
}

/** What a worker says of the model of a version: that it holds it ready, or why it can't. */
export interface WorkerReadiness {
  /** Host and process, as an operator knows them. */
  readonly worker: string;
  readonly versionId: number;
  /** Null when photos can be answered under the version at once. */
  readonly fault: string | null;
}

/** What a worker says while it has not made up its mind. */
export const MODEL_IS_LOADING = 'its model is being loaded';
