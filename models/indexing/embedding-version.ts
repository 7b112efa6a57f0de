import type { ModelManifest } from '../vision/embedding-model';
import type { Evaluation } from './evaluation';

/**
 * States of a set of embeddings, one per model build:
 * `building` (being filled beside the live one) -> `live` (answers are made of it) -> `retired` (kept for a rollback)
 * -> `pruned` (its vectors are gone, its name stays for the records). At most one is live.
 */
export const VERSION_STATES = ['building', 'live', 'retired', 'pruned'] as const;
export type VersionState = (typeof VERSION_STATES)[number];

/** All embeddings of the catalog's images under one model. */
export interface EmbeddingVersion {
  readonly id: number;
  /** `id@version` of the model. */
  readonly model: string;
  readonly manifest: ModelManifest;
  readonly state: VersionState;
  readonly createdAt: Date;
  readonly promotedAt: Date | null;
}

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
