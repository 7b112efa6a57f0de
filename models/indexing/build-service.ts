import pRetry from 'p-retry';
import { inject, injectable } from 'tsyringe';
import { AppError, badRequest, unavailable } from '../errors';
import type * as ports from '../ports';
import { PORTS } from '../ports';
import { type EmbeddingVersion, type ModelManifest, modelReference } from '../vision/embedding-model';
import { embedPending, type Retry } from './embed-pending';
import { type Coverage, MODEL_IS_LOADING, type WorkerReadiness, workerFaults } from './embedding-version';
import { FAILURES_SHOWN, failuresOf } from './status-service';

const POLL_MS = 250;

/** Two minutes: the largest model on a busy machine. */
const POLLS_MAX = 480;

@injectable()
export class ReadinessCheck {
  constructor(
    @inject(PORTS.ProcessRegistry) private readonly processes: ports.ProcessRegistry,
    @inject(PORTS.EmbedderRegistry) private readonly embedders: ports.EmbedderRegistry,
  ) {}

  async hasWorkers(): Promise<boolean> {
    return (await this.processes.workers()).length > 0;
  }

  /** What the workers report about a version once they have tried its model; if none is alive, this process tries it. */
  async of(version: EmbeddingVersion): Promise<readonly WorkerReadiness[]> {
    for (let poll = 1; ; poll += 1) {
      const reported = await this.#workerReadiness(version);
      if (poll === POLLS_MAX || !reported.some(({ fault }) => fault === MODEL_IS_LOADING)) return reported;
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  }

  async #workerReadiness(version: EmbeddingVersion): Promise<readonly WorkerReadiness[]> {
    const { id: versionId } = version;
    const workers = await this.processes.workers();
    if (workers.length === 0) {
      const tried = this.embedders.forVersion(version).then(() => null, String);
      return [{ worker: 'this host', versionId, fault: await tried }];
    }
    return workers.map(({ name: worker, models }) => {
      const reported = models.find((model) => model.versionId === versionId);
      return { worker, ...(reported ?? { versionId, fault: MODEL_IS_LOADING }) };
    });
  }
}

/** Images requested at a time by each lane: enough jobs for the workers of many hosts, few enough to stop soon. */
const BATCH_IMAGES = 128;
const LANES = 8;

/** A build that is complete: `images - embedded - failed` is 0. */
export type BuildResult = Awaited<ReturnType<BuildService['complete']>>;

@injectable()
export class BuildService {
  constructor(
    @inject(PORTS.ModelLibrary) private readonly library: ports.ModelLibrary,
    @inject(PORTS.EmbeddingRepository) private readonly embeddings: ports.EmbeddingRepository,
    @inject(PORTS.IndexQueue) private readonly queue: ports.IndexQueue,
    @inject(ReadinessCheck) private readonly readiness: ReadinessCheck,
    @inject(PORTS.Clock) private readonly clock: ports.Clock,
  ) {}

  /**
   * Builds until no image is proven to be left. @param options `model` is `id` or `id@version` of an installed model
   * @throws AppError for a model that is not installed or can't be loaded, and a half-done build without `resume`; the reason of `signal`
   */
  async build(
    options: { readonly model: string; readonly resume: boolean; readonly retryFailures: boolean },
    progress: ports.Progress,
    signal: AbortSignal,
  ): Promise<BuildResult> {
    const { manifest } = await this.library.find(options.model);
    const version = await this.#versionFor(manifest, options.resume);
    if (options.retryFailures) await this.embeddings.retryFailures(version.id);
    return this.complete(version, progress, signal);
  }

  /** Embeds the images that a version lacks. @throws AppError when no worker can load its model; the reason of `signal` */
  async complete(version: EmbeddingVersion, progress: ports.Progress, signal: AbortSignal) {
    const { id, model, state } = version;
    if (this.queue.isShared) await this.#refuseWithoutModel(version, progress);
    const startedAt = this.clock.now().getTime();
    const { done, failed, pending } = await this.#embedAll(id, progress, signal);
    const failures = await failuresOf(this.embeddings, id, FAILURES_SHOWN);
    return {
      ...{ model, version: id, state, images: done + failed + pending, embedded: done, failed, pending },
      indexed: await this.embeddings.isIndexed(id),
      seconds: Math.round((this.clock.now().getTime() - startedAt) / 100) / 10,
      failures,
    };
  }

  /**
   * Until images - embedded - listed failures = 0; then builds the index, and embeds what arrived meanwhile. May be stopped and
   * restarted at any time. @throws the reason of `signal`; AppError when the workers or the database fail permanently
   */
  async #embedAll(id: number, progress: ports.Progress, signal: AbortSignal): Promise<Coverage> {
    const { embeddings } = this;
    const again = retrying(progress, signal);
    const coverageNow = () => again(() => embeddings.coverage(id));
    const firstPending = async () =>
      (await again(() => embeddings.pending(id, { afterId: 0, limit: 1 })))[0]?.id;
    for (let coverage = await coverageNow(); ; ) {
      while (coverage.pending > 0) {
        const first = await firstPending();
        await this.#embedPending(id, coverage, progress, again, signal);
        const after = await coverageNow();
        // If pictures are replaced meanwhile, just as many are left, but different ones.
        const isStuck =
          after.pending >= coverage.pending && after.done <= coverage.done && after.failed <= coverage.failed;
        if (isStuck && first === (await firstPending()))
          throw new Error(`${after.pending} images were worked on and are still not embedded`);
        coverage = after;
      }
      await again(() => this.#index(id, progress));
      signal.throwIfAborted();
      coverage = await coverageNow();
      if (coverage.pending === 0) return coverage;
    }
  }

  async #embedPending(
    id: number,
    { done, failed, pending }: Coverage,
    progress: ports.Progress,
    again: Retry,
    signal: AbortSignal,
  ): Promise<void> {
    const count = { seenTo: done + failed, failed };
    progress.begin('images', count.seenTo + pending, count.seenTo);
    const { embeddings, queue } = this;
    await embedPending({ embeddings, queue }, id, {
      ...{ batch: BATCH_IMAGES, lanes: LANES, again, signal },
      onBatch: ({ failed: more }, images) => {
        count.failed += more;
        count.seenTo += images;
        progress.reach(count.seenTo, count.failed);
      },
    });
    progress.end();
  }

  async #index(id: number, progress: ports.Progress): Promise<void> {
    await this.embeddings.markBuilt(id);
    if (!(await this.embeddings.isIndexed(id)))
      progress.note('building the index; searches and imports go on');
    await this.embeddings.buildIndex(id, (notice) => progress.note(`index: ${notice}`));
  }

  async #versionFor(manifest: ModelManifest, resume: boolean): Promise<EmbeddingVersion> {
    const existing = (await this.embeddings.versions()).find(
      ({ state, model }) => model === modelReference(manifest) && (state === 'building' || state === 'live'),
    );
    if (!existing) return this.embeddings.create(manifest);
    const { id, model, manifest: begun, state, builtAt } = existing;
    // The same name for other weights would mix vectors of two models.
    if (begun.digests[manifest.file] !== manifest.digests[manifest.file]) {
      throw badRequest(
        `Version ${id} was begun with other weights of the same name ${model}. Give the new ones another version in their manifest, or throw the old ones away by loupe embeddings prune --building.`,
      );
    }
    if (state !== 'building' || builtAt || resume) return existing;
    const { pending, done, failed } = await this.embeddings.coverage(id);
    if (done + failed > 0) {
      throw badRequest(
        `A build of ${model} was begun: ${done + failed} of ${pending + done + failed} images are seen to. ` +
          `Go on with it by --resume, or throw it away by loupe embeddings prune --building.`,
      );
    }
    return existing;
  }

  /** Work that no worker can do would wait forever. */
  async #refuseWithoutModel(version: EmbeddingVersion, progress: ports.Progress): Promise<void> {
    if (!(await this.readiness.hasWorkers())) {
      progress.note('no worker is running; the work waits in the queue for one');
      return;
    }
    const readiness = await this.readiness.of(version);
    const faults = workerFaults(readiness);
    if (faults.length === readiness.length) {
      throw unavailable(`No worker can load ${version.model}: ${faults.join('; ')}`, 1);
    }
    for (const fault of faults) progress.note(`a worker cannot take part: ${fault}`);
  }
}

/** Retries for a minute and a half after any AppError but `not_found`. @throws the reason of `signal`; the last failure */
const retrying =
  (progress: ports.Progress, signal: AbortSignal): Retry =>
  (work) =>
    pRetry(work, {
      ...{ retries: 7, minTimeout: 1_000, maxTimeout: 30_000 },
      signal,
      shouldRetry: ({ error }) => {
        if (!(error instanceof AppError) || error.code === 'not_found' || signal.aborted) return false;
        const { code, cause, message } = error;
        const reason = code === 'internal_error' && cause !== undefined ? String(cause) : message;
        progress.note(`${reason}; trying again`);
        return true;
      },
    });
