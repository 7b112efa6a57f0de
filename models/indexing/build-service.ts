import pMap from 'p-map';
import pRetry from 'p-retry';
import { inject, injectable } from 'tsyringe';
import { AppError, badRequest, unavailable } from '../errors';
import {
  type Clock,
  type EmbedderRegistry,
  type EmbeddingRepository,
  type IndexQueue,
  type ModelLibrary,
  PORTS,
  type Progress,
  type ReadinessRepository,
} from '../ports';
import {
  type EmbeddingVersion,
  type ModelManifest,
  modelReference,
  type VersionState,
} from '../vision/embedding-model';
import {
  type CatalogImage,
  type Coverage,
  MODEL_IS_LOADING,
  type VersionRecord,
  type WorkerReadiness,
  workerFaults,
} from './embedding-version';
import { FAILURES_SHOWN } from './status-service';

const POLL_MS = 250;

/** Two minutes: the largest model on a busy machine. */
const POLLS_MAX = 480;

/** Finds out which workers hold the model of a version ready. */
@injectable()
export class ReadinessCheck {
  constructor(
    @inject(PORTS.ReadinessRepository) private readonly readiness: ReadinessRepository,
    @inject(PORTS.EmbedderRegistry) private readonly embedders: EmbedderRegistry,
  ) {}

  /** Names of the workers that are alive. */
  workers(): Promise<readonly string[]> {
    return this.readiness.workers();
  }

  /**
   * What the workers say of a version; waits for those that load its model just now. Where no worker is alive this process
   * tries the model itself.
   */
  async of(version: EmbeddingVersion): Promise<readonly WorkerReadiness[]> {
    for (let poll = 1; ; poll += 1) {
      const told = await this.told(version);
      if (poll === POLLS_MAX || !told.some(({ fault }) => fault === MODEL_IS_LOADING)) return told;
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  }

  private async told(version: EmbeddingVersion): Promise<readonly WorkerReadiness[]> {
    const workers = await this.readiness.workers();
    if (workers.length === 0) return [await this.triedHere(version)];
    const told = await this.readiness.of(version.id);
    const silent = workers.filter((worker) => !told.some((each) => each.worker === worker));
    return [...told, ...silent.map((worker) => ({ worker, versionId: version.id, fault: MODEL_IS_LOADING }))];
  }

  private async triedHere(version: EmbeddingVersion): Promise<WorkerReadiness> {
    const here = { worker: 'this host', versionId: version.id };
    try {
      await this.embedders.forVersion(version);
      return { ...here, fault: null };
    } catch (failure) {
      return { ...here, fault: String(failure) };
    }
  }
}

/** What a build asks of the versions. */
type BuiltEmbeddings = Pick<
  EmbeddingRepository,
  'coverage' | 'pending' | 'markBuilt' | 'isIndexed' | 'buildIndex'
>;

export interface BuildPorts {
  readonly embeddings: BuiltEmbeddings;
  readonly queue: Pick<IndexQueue, 'embed'>;
}

/** Images asked for at once by each of the lanes: jobs enough for the workers of many hosts, few enough to stop soon. */
const BATCH_IMAGES = 128;
const LANES = 8;

/**
 * Embeds every image of a live row under a version, until it is proven that none is left: images - embedded - listed
 * failures = 0. Then the index is made, and what came meanwhile is seen to. May be stopped at any moment and begun
 * again: only what is not there is computed. A queue or a database that is away is waited for.
 *
 * @param signal ends the build between two batches
 * @returns the coverage that was proven
 * @throws the reason of `signal`; AppError when the workers or the database fail for good
 */
export async function embedCatalog(
  { embeddings, queue }: BuildPorts,
  version: Pick<EmbeddingVersion, 'id'>,
  progress: Progress,
  signal: AbortSignal,
): Promise<Coverage> {
  const patience: RetryOptions = { note: (line) => progress.note(line), signal };
  const coverageNow = () => retry(() => embeddings.coverage(version.id), patience);
  const firstPending = () => retry(() => embeddings.pending(version.id, 1, 0), patience);
  for (;;) {
    let coverage = await coverageNow();
    while (coverage.pending > 0) {
      const [first] = await firstPending();
      await embedPending({ embeddings, queue }, version, coverage, progress, patience);
      const after = await coverageNow();
      // Where pictures are replaced meanwhile, as many are left, but others.
      const isStuck =
        after.pending >= coverage.pending && after.done <= coverage.done && after.failed <= coverage.failed;
      if (isStuck && first?.id === (await firstPending())[0]?.id)
        throw new Error(`${after.pending} images were worked on and are still not embedded`);
      coverage = after;
    }
    await retry(() => finish(embeddings, version, progress), patience);
    signal.throwIfAborted();
    const proven = await coverageNow();
    if (proven.pending === 0) return proven;
  }
}

async function finish(
  embeddings: BuiltEmbeddings,
  version: Pick<EmbeddingVersion, 'id'>,
  progress: Progress,
): Promise<void> {
  await embeddings.markBuilt(version.id);
  if (!(await embeddings.isIndexed(version.id)))
    progress.note('building the index; searches and imports go on');
  await embeddings.buildIndex(version.id, (notice) => progress.note(`index: ${notice}`));
}

/** One pass over what is pending, in the order of the ids. Does not wait for the workers when it is stopped. */
async function embedPending(
  { embeddings, queue }: BuildPorts,
  version: Pick<EmbeddingVersion, 'id'>,
  coverage: Coverage,
  progress: Progress,
  patience: RetryOptions,
): Promise<void> {
  const count = { seenTo: coverage.done + coverage.failed, failed: coverage.failed };
  progress.begin('images', count.seenTo + coverage.pending, count.seenTo);
  const embed = async (batch: readonly CatalogImage[]): Promise<void> => {
    const { failed } = await retry(() => queue.embed(version.id, batch), patience);
    count.seenTo += batch.length;
    count.failed += failed;
    progress.reach(count.seenTo, count.failed);
  };
  const { signal } = patience;
  await pMap(pendingBatches(embeddings, version.id, patience), embed, { concurrency: LANES, signal });
  progress.end();
}

async function* pendingBatches(
  embeddings: BuiltEmbeddings,
  versionId: number,
  patience: RetryOptions,
): AsyncGenerator<readonly CatalogImage[]> {
  for (let afterId = 0; ; ) {
    const batch = await retry(() => embeddings.pending(versionId, BATCH_IMAGES, afterId), patience);
    const last = batch.at(-1);
    if (!last) return;
    afterId = last.id;
    yield batch;
  }
}

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

/** What fails (the queue or the database is away, workers died over it) is tried again for a minute and a half. */
const BACKOFF = { retries: 7, minTimeout: 1_000, maxTimeout: 30_000 };

/** Who hears of each try that failed, and what ends the waiting. */
interface RetryOptions {
  readonly note: (line: string) => void;
  readonly signal: AbortSignal;
}

/**
 * Does what may be done again, until it succeeds or has failed too often.
 *
 * @throws the reason of `signal`; the last failure, or the first that another try can't mend: anything but an AppError,
 * and what is not there
 */
function retry<Result>(work: () => Promise<Result>, { note, signal }: RetryOptions): Promise<Result> {
  return pRetry(work, {
    ...BACKOFF,
    signal,
    shouldRetry: ({ error }) => {
      if (!(error instanceof AppError) || error.code === 'not_found' || signal.aborted) return false;
      note(`${reasonOf(error)}; trying again`);
      return true;
    },
  });
}

/** What went wrong in here is told in full: anyone who reads it is the operator. */
const reasonOf = (failure: AppError): string =>
  failure.code === 'internal_error' && failure.cause !== undefined ? String(failure.cause) : failure.message;
