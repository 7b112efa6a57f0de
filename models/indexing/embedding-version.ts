import { notFound } from '../errors';
import type { Calibration, EmbeddingVersion } from '../vision/embedding-model';
import type { Evaluation } from './figures';

/** A version with the facts needed for a change of the model. */
export interface VersionRecord extends EmbeddingVersion {
  /** When it was first proven that every image is embedded or listed as a failure; null before. */
  readonly builtAt: Date | null;
  /** Whether new images are embedded for it: the live version, one being built, and the target of a rollback. */
  readonly maintained: boolean;
  readonly evaluation: Evaluation | null;
  /** What a rollback of its last calibration restores; null when there was none since it became live. */
  readonly previousCalibration: Calibration | null;
  /** When its calibration was last changed; null while it is the model's own. */
  readonly calibratedAt: Date | null;
}

export const hasVectors = ({ state }: EmbeddingVersion): boolean => state !== 'pruned';

export function liveOf<Version extends { readonly state: string }>(versions: readonly Version[]): Version {
  const live = versions.find(({ state }) => state === 'live');
  if (live) return live;
  throw notFound('No embedding version is live yet; start the service, or import a catalog, first.');
}

/** The version that a rollback goes back to: the one that was live before. */
export const rollbackTarget = (versions: readonly VersionRecord[]): VersionRecord | null =>
  versions.find(({ state, maintained }) => state === 'retired' && maintained) ?? null;

/** The newest version of a model (`id` or `id@version`) that has vectors. @throws AppError that says how to make one */
export function findVersion(versions: readonly VersionRecord[], model: string): VersionRecord {
  const found = versions
    .filter(hasVectors)
    .filter((version) => version.model === model || version.manifest.id === model)
    .at(-1);
  if (found) return found;
  throw notFound(
    `Nothing is embedded under the model "${model}"; loupe embeddings build --model ${model} does that.`,
  );
}

export const versionOf = (versions: readonly VersionRecord[], model: string | null): VersionRecord =>
  model === null ? liveOf(versions) : findVersion(versions, model);

/** How far a version covers the images of live rows: images = pending + done + failed. */
export interface Coverage {
  readonly pending: number;
  readonly done: number;
  readonly failed: number;
}

/** The live products of a category or a feed, and how far a version covers their pictures. */
export interface GroupCoverage extends Coverage {
  readonly group: 'category' | 'feed';
  readonly name: string;
  readonly products: number;
}

/** A catalog image to embed: its id and its address (`https://…`, or a stored one that begins with `/`). */
export interface CatalogImage {
  readonly id: number;
  readonly address: string;
  /** It is fetched and embedded again, although it has vectors. */
  readonly refetch?: boolean;
}

/** What a worker says about a version, so that a promotion waits for all of them. */
export interface ModelReport {
  readonly versionId: number;
  /** Null when photos can be answered under the version at once. */
  readonly fault: string | null;
}

export interface WorkerReadiness extends ModelReport {
  readonly worker: string;
}

export const workerFaults = (readiness: readonly WorkerReadiness[]): string[] =>
  readiness.flatMap(({ worker, fault }) => (fault === null ? [] : [`${worker}: ${fault}`]));

export const MODEL_IS_LOADING = 'its model is being loaded';
