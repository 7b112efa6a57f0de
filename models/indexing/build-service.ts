import { inject, injectable } from 'tsyringe';
import { badRequest, unavailable } from '../errors';
import {
  type Clock,
  type EmbeddingRepository,
  type IndexQueue,
  type ModelLibrary,
  PORTS,
  type Progress,
} from '../ports';
import { type ModelManifest, modelReference, type VersionState } from '../vision/embedding-model';
import { embedCatalog } from './embed-catalog';
import { type VersionRecord, workerFaults } from './embedding-version';
import { FAILURES_SHOWN } from './status-service';
import { ReadinessCheck } from './worker-readiness';

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

/** Embeds all images under another model, beside the live version. */
@injectable()
export class BuildService {
  constructor(
    @inject(PORTS.ModelLibrary) private readonly library: ModelLibrary,
    @inject(PORTS.EmbeddingRepository) private readonly embeddings: EmbeddingRepository,
    @inject(PORTS.IndexQueue) private readonly queue: IndexQueue,
    @inject(ReadinessCheck) private readonly readiness: ReadinessCheck,
    @inject(PORTS.Clock) private readonly clock: Clock,
  ) {}

  /**
   * Builds until it is proven that no image is left.
   *
   * @throws AppError for a model that is not installed or that no worker can load, and for a build that was broken off
   * and is not to be resumed; the reason of `signal`
   */
  async build(options: BuildOptions, progress: Progress, signal: AbortSignal): Promise<BuildResult> {
    const { manifest } = await this.library.find(options.model);
    const version = await this.versionFor(manifest, options.resume);
    if (options.retryFailures) await this.embeddings.retryFailures(version.id);
    return this.complete(version, progress, signal);
  }

  /**
   * Embeds what a version lacks, until it is proven that no image is left.
   *
   * @throws AppError when no worker can load its model; the reason of `signal`
   */
  async complete(version: VersionRecord, progress: Progress, signal: AbortSignal): Promise<BuildResult> {
    const { embeddings, queue } = this;
    if (queue.isShared) await this.refuseWithoutModel(version, progress);
    const startedAt = this.clock.now().getTime();
    const proven = await embedCatalog({ embeddings, queue }, version, progress, signal);
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
      seconds: Math.round((this.clock.now().getTime() - startedAt) / 100) / 10,
      failures: failures.map(({ image, reason }) => ({ image: image.address, reason })),
    };
  }

  /** The version to build: a new one, or one that was begun. */
  private async versionFor(manifest: ModelManifest, resume: boolean): Promise<VersionRecord> {
    const standing = (await this.embeddings.versions()).find(
      ({ state, model }) => model === modelReference(manifest) && (state === 'building' || state === 'live'),
    );
    if (standing) {
      refuseOtherWeights(standing, manifest);
      if (standing.state === 'building' && !standing.builtAt && !resume) await this.refuseHalfBuilt(standing);
      return standing;
    }
    const { id } = await this.embeddings.create(manifest);
    const made = (await this.embeddings.versions()).find((version) => version.id === id);
    if (!made) throw new Error('the version was not made');
    return made;
  }

  private async refuseHalfBuilt(version: VersionRecord): Promise<void> {
    const { pending, done, failed } = await this.embeddings.coverage(version.id);
    if (done + failed === 0) return;
    throw badRequest(
      `A build of ${version.model} was begun: ${done + failed} of ${pending + done + failed} images are seen to. ` +
        `Go on with it by --resume, or throw it away by loupe embeddings prune --building.`,
    );
  }

  /** Work that no worker can do would wait for ever. */
  private async refuseWithoutModel(version: VersionRecord, progress: Progress): Promise<void> {
    if ((await this.readiness.workers()).length === 0) {
      progress.note('no worker is running; the work waits in the queue for one');
      return;
    }
    const readiness = await this.readiness.of(version);
    const faults = workerFaults(readiness);
    if (faults.length === readiness.length) {
      throw unavailable(`No worker can load ${version.model}: ${faults.join('; ')}`, 1);
    }
    for (const fault of faults) progress.note(`a worker can not take part: ${fault}`);
  }
}

/** The same name for other weights would mix vectors of two models. */
function refuseOtherWeights(version: VersionRecord, manifest: ModelManifest): void {
  const { file } = manifest;
  if (version.manifest.digests[file] === manifest.digests[file]) return;
  throw badRequest(
    `Version ${version.id} was begun with other weights of the same name ${version.model}. Give the new ones another version in their manifest, or throw the old ones away by loupe embeddings prune --building.`,
  );
}
