import { inject, injectable } from 'tsyringe';
import { type EmbedderRegistry, PORTS, type ReadinessRepository } from '../ports';
import type { EmbeddingVersion } from '../vision/embedding-model';
import { MODEL_IS_LOADING, type WorkerReadiness } from './embedding-version';

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
