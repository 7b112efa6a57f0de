import { messageOf } from '../models/errors';
import { MODEL_IS_LOADING, type VersionRecord } from '../models/indexing/embedding-version';
import type { ProcessWatch } from '../models/installation/process-watch';
import type { EmbedderRegistry, EmbeddingRepository, Logger, NeighbourIndex } from '../models/ports';
import { type EmbeddingVersion, modelReference } from '../models/vision/embedding-model';

export interface ModelPreloaderSettings {
  /** Time after which a model that did not load is retried. */
  readonly retryAfterMs: number;
  /** How long an unneeded model is kept for photos that are still being processed under it. */
  readonly unloadAfterMs: number;
}

interface Known {
  readonly version: EmbeddingVersion;
  /** Null when it is loaded. */
  fault: string | null;
  retryAt: number;
  unloadAt: number | null;
}

/**
 * Keeps the models of all versions loaded that photos may soon be answered under: the live one, built ones, and the rollback
 * target; so no photo waits after a promotion. Reports the results, for which promotions wait. Of the live version it also
 * reads the vectors that are searched in memory.
 */
export class ModelPreloader {
  readonly #known = new Map<number, Known>();
  /** The version whose vectors are read. */
  #prepared: number | null = null;
  #reported = '';

  constructor(
    private readonly embeddings: EmbeddingRepository,
    private readonly embedders: EmbedderRegistry,
    private readonly index: NeighbourIndex,
    private readonly process: Pick<ProcessWatch, 'report'>,
    private readonly logger: Logger,
    private readonly settings: ModelPreloaderSettings,
  ) {}

  /** Checks the versions once; does not wait for models to load. @throws what the store throws */
  async run(): Promise<void> {
    const now = performance.now();
    const wanted = (await this.embeddings.versions()).filter(isWanted);
    for (const version of wanted) this.#preload(version, now);
    for (const version of wanted.filter(({ state }) => state === 'live')) this.#prepare(version);
    await this.#unload(new Set(wanted.map(({ id }) => id)), now);
    await this.#report();
  }

  #preload(version: VersionRecord, now: number): void {
    const known = this.#known.get(version.id);
    if (known) known.unloadAt = null;
    if (known && (known.fault === null || known.fault === MODEL_IS_LOADING || now < known.retryAt)) return;
    const loading: Known = { version, fault: MODEL_IS_LOADING, retryAt: now, unloadAt: null };
    this.#known.set(version.id, loading);
    this.embedders.forVersion(version).then(
      () => {
        loading.fault = null;
      },
      (failure: unknown) => {
        loading.fault = messageOf(failure);
        loading.retryAt = performance.now() + this.settings.retryAfterMs;
        this.logger.warn({ model: version.model, reason: loading.fault }, 'a model does not load here');
      },
    );
  }

  #prepare(version: VersionRecord): void {
    if (this.#prepared === version.id) return;
    this.#prepared = version.id;
    this.index.prepare(version).catch((failure: unknown) => {
      this.#prepared = null;
      this.logger.warn({ model: version.model, reason: String(failure) }, 'the vectors were not read yet');
    });
  }

  async #unload(wanted: ReadonlySet<number>, now: number): Promise<void> {
    const models = new Set(
      [...this.#known.values()].filter(({ version }) => wanted.has(version.id)).map(modelOf),
    );
    for (const [id, known] of this.#known) {
      if (wanted.has(id)) continue;
      known.unloadAt ??= now + this.settings.unloadAfterMs;
      if (now < known.unloadAt) continue;
      this.#known.delete(id);
      if (known.fault !== null || models.has(modelOf(known))) continue;
      const embedder = await this.embedders.forVersion(known.version);
      await embedder.close();
      this.logger.info({ model: known.version.model }, 'a model that nobody needs any more is unloaded');
    }
  }

  async #report(): Promise<void> {
    const reports = [...this.#known.values()]
      .filter(({ unloadAt }) => unloadAt === null)
      .map(({ version, fault }) => ({ versionId: version.id, fault }));
    const text = JSON.stringify(reports);
    if (text === this.#reported) return;
    await this.process.report(reports);
    this.#reported = text;
  }
}

const isWanted = ({ state, maintained }: VersionRecord): boolean =>
  state === 'live' || state === 'building' || (state === 'retired' && maintained);

/** Adapted versions share a network. */
const modelOf = ({ version }: Known): string => modelReference(version.manifest);
