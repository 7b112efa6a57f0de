import type { ModelManifest } from '../vision/embedding-model';

/**
 * States of a set of embeddings, one per model build:
 * `building` (being filled beside the live one) -> `live` (answers are made of it) -> `retired` (kept for a rollback,
 * until it is pruned). At most one is live.
 */
export const VERSION_STATES = ['building', 'live', 'retired'] as const;
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
