import { AppError } from '../../models/errors';
import type { VersionRecord, VersionState } from '../../models/indexing/embedding-version';
import { type ModelManifest, modelReference } from '../../models/vision/embedding-model';
import { findModel } from '../model-library';
import { buildEmbeddings } from './build-embeddings';
import type { BuildProgress } from './build-progress';
import { readinessOf } from './readiness-of';
import { FAILURES_SHOWN } from './status';
import type { Reindex } from './with-reindex';

export interface BuildOptions {
  /** `id` or `id@version` of an installed model. */
  readonly model: string;
  /** Goes on with a build that was broken off. */
  readonly resume: boolean;
  /** Tries listed failures once more. */
  readonly retryFailures: boolean;
}

/** A build that is complete: `images - embedded - failed` is 0. */
export interface BuildResult {
  readonly model: string;
  readonly version: number;
  readonly state: VersionState;
  readonly images: number;
  readonly embedded: number;
  readonly failed: number;
  readonly pending: number;
  readonly indexed: boolean;
  readonly seconds: number;
  readonly failures: readonly { readonly image: string; readonly reason: string }[];
}

/**
 * `loupe embeddings build`: all images under another model, beside the live version.
 *
 * @throws AppError for a model that is not installed or that no worker can load, and for a build that was broken off
 * and is not to be resumed; the reason of `signal`
 */
export async function build(
  reindex: Reindex,
  options: BuildOptions,
  progress: BuildProgress,
  signal: AbortSignal,
): Promise<BuildResult> {
  const { embeddings, config } = reindex;
  const { manifest } = await findModel(config.DATA_DIR, options.model);
  const version = await versionFor(reindex, manifest, options.resume);
  if (options.retryFailures) await embeddings.retryFailures(version.id);
  if (config.REDIS_URL !== undefined) await refuseWithoutModel(reindex, version, progress);
  const started = performance.now();
  const proven = await buildEmbeddings(reindex, version, progress, signal);
  const failures = await embeddings.failures(version.id, FAILURES_SHOWN);
  return {
    model: version.model,
    version: version.id,
    state: version.state,
    images: proven.done + proven.failed + proven.pending,
    embedded: proven.done,
    failed: proven.failed,
    pending: proven.pending,
    indexed: await embeddings.isIndexed(version.id),
    seconds: Math.round((performance.now() - started) / 100) / 10,
    failures: failures.map(({ image, reason }) => ({ image: image.address, reason })),
  };
}

/** The build in words, with its proof. */
export function describeBuild(result: BuildResult): string {
  const { model, version, images, embedded, failed, pending, seconds } = result;
  return [
    `${model} (version ${version}): ${images} images - ${embedded} embedded - ${failed} failures = ${pending}, in ${seconds} s`,
    ...result.failures.map(({ image, reason }) => `not embedded: ${image}: ${reason}`),
    ...(failed > result.failures.length ? [`not embedded: ${failed - result.failures.length} more`] : []),
    ...(failed > 0 ? ['--resume --retry-failures tries them again'] : []),
    ...(result.state === 'building' ? [`next: loupe embeddings evaluate --model ${model}`] : []),
  ].join('\n');
}

/** The version to build: a new one, or one that was begun. */
async function versionFor(
  { embeddings }: Reindex,
  manifest: ModelManifest,
  resume: boolean,
): Promise<VersionRecord> {
  const standing = (await embeddings.versions()).find(
    ({ state, model }) => model === modelReference(manifest) && (state === 'building' || state === 'live'),
  );
  if (standing) {
    refuseOtherWeights(standing, manifest);
    if (standing.state === 'building' && !standing.builtAt && !resume)
      await refuseHalfBuilt(embeddings, standing);
    return standing;
  }
  const { id } = await embeddings.create(manifest);
  const made = (await embeddings.versions()).find((version) => version.id === id);
  if (!made) throw new Error('the version was not made');
  return made;
}

async function refuseHalfBuilt(embeddings: Reindex['embeddings'], version: VersionRecord): Promise<void> {
  const { pending, done, failed } = await embeddings.coverage(version.id);
  if (done + failed === 0) return;
  throw new AppError(
    400,
    'bad_request',
    `A build of ${version.model} was begun: ${done + failed} of ${pending + done + failed} images are seen to. ` +
      `Go on with it by --resume, or throw it away by loupe embeddings prune --building.`,
  );
}

/** The same name for other weights would mix vectors of two models. */
function refuseOtherWeights(version: VersionRecord, manifest: ModelManifest): void {
  const { file } = manifest;
  if (version.manifest.digests[file] === manifest.digests[file]) return;
  throw new AppError(
    400,
    'bad_request',
    `Version ${version.id} was begun with other weights of the same name ${version.model}. Give the new ones another version in their manifest, or throw the old ones away by loupe embeddings prune --building.`,
  );
}

/** Work that no worker can do would wait for ever. */
async function refuseWithoutModel(
  reindex: Reindex,
  version: VersionRecord,
  progress: BuildProgress,
): Promise<void> {
  if ((await reindex.readiness.workers()).length === 0) {
    progress.note('no worker is running; the work waits in the queue for one');
    return;
  }
  const readiness = await readinessOf(version, reindex);
  const faults = readiness
    .filter(({ fault }) => fault !== null)
    .map(({ worker, fault }) => `${worker}: ${fault}`);
  if (faults.length === readiness.length) {
    throw new AppError(503, 'unavailable', `No worker can load ${version.model}: ${faults.join('; ')}`);
  }
  for (const fault of faults) progress.note(`a worker can not take part: ${fault}`);
}
