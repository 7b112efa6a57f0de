import { messageOf } from '../../models/errors';
import type { Logger } from '../../models/ports';
import { retryAlways } from '../../models/retries';
import { modelReference } from '../../models/vision/embedding-model';
import { type BackendChoice, type BackendName, type EnginePlan, enginePlans, rowsMaxOf } from './backends';
import { Engine, EngineTimeout } from './engine';
import type { ModelBackend } from './loaded-model';
import { type ModelFolder, ModelRefused } from './model-folder';

export interface EngineGroupOptions {
  /** Threads (processes, for libtensorflow); see `defaultThreads`. */
  readonly threads: number;
  readonly backend: BackendChoice;
  /** Time limit for loading a model; default: five minutes. */
  readonly loadTimeoutMs?: number;
  readonly logger: Logger;
}

const OPEN_TIMEOUT_MS = 60_000;
const LOAD_TIMEOUT_MS = 5 * 60_000;
const RETRIES = { retries: Number.POSITIVE_INFINITY, minTimeout: 100, maxTimeout: 10_000, unref: true };

/** A model of the group; `runsOn` is null until an engine has it. */
interface GroupModel {
  readonly model: ModelFolder;
  runsOn: ModelBackend | null;
}

/** Identical engines that all hold the same models; one that ends is replaced. */
export class EngineGroup {
  readonly #models = new Map<string, GroupModel>();
  readonly #engines = new Set<Engine>();
  /** Replacements that do not have all models yet. */
  readonly #opening = new Set<Engine>();
  readonly #closing = new AbortController();
  replaced = 0;
  /** Called whenever an engine may have become free. */
  whenFree = (): void => undefined;

  private constructor(
    private readonly plan: EnginePlan,
    readonly rowsMax: number,
    private readonly options: EngineGroupOptions,
  ) {}

  /** Starts `threads` engines on the best backend that works here. @throws Error when no backend starts */
  static async start(options: EngineGroupOptions): Promise<EngineGroup> {
    const reasons: string[] = [];
    for (const plan of enginePlans(options.backend)) {
      const engines: Engine[] = [];
      const open = async (): Promise<BackendName> => {
        const engine = new Engine(plan.isolation);
        engines.push(engine);
        return await openBackendIn(engine, plan);
      };
      try {
        // The first engine shows whether the plan works here.
        const first = await open();
        const backends = [first, ...(await Promise.all(Array.from({ length: options.threads - 1 }, open)))];
        const group = new EngineGroup(plan, Math.min(...backends.map(rowsMaxOf)), options);
        for (const engine of engines) group.#join(engine);
        return group;
      } catch (failure) {
        await Promise.all(engines.map((engine) => engine.stop()));
        const reason = messageOf(failure);
        reasons.push(reason);
        options.logger.warn({ ...plan, reason }, 'inference does not start this way');
      }
    }
    throw new Error(`Inference cannot start: ${reasons.join('; ')}`);
  }

  get size(): number {
    return this.#engines.size;
  }

  /** The backend of each loaded model, by its reference. */
  models(): Record<string, BackendName> {
    const loaded = [...this.#models.values()].flatMap(({ model, runsOn }) =>
      runsOn ? [[modelReference(model.manifest), runsOn.backend] as const] : [],
    );
    return Object.fromEntries(loaded);
  }

  free(): Engine[] {
    return [...this.#engines].filter(({ tasks }) => tasks === 0);
  }

  /** Engines load one after another if others are in use, so that photos are answered meanwhile. @throws ModelRefused */
  async load(key: string, model: ModelFolder): Promise<void> {
    const isFirst = this.#models.size === 0;
    const loading: GroupModel = { model, runsOn: null };
    this.#models.set(key, loading);
    const loadInto = async (engine: Engine): Promise<void> => {
      engine.tasks += 1;
      try {
        loading.runsOn = await this.#load(engine, key, model);
      } finally {
        engine.tasks -= 1;
        this.whenFree();
      }
    };
    try {
      const engines = [...this.#engines];
      if (isFirst) await Promise.all(engines.map(loadInto));
      else for (const engine of engines) await loadInto(engine);
      this.options.logger.info(
        { model: modelReference(model.manifest), ...loading.runsOn },
        'a model is loaded',
      );
    } catch (failure) {
      await this.unload(key);
      throw failure;
    }
  }

  async unload(key: string): Promise<void> {
    this.#models.delete(key);
    const unloading = [...this.#engines].map((engine) => engine.call('unload', { key }, LOAD_TIMEOUT_MS));
    await Promise.allSettled(unloading);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all([...this.#engines, ...this.#opening].map((engine) => engine.stop()));
  }

  #join(engine: Engine): void {
    this.#engines.add(engine);
    void engine.ended.then((reason) => {
      this.#engines.delete(engine);
      if (!this.#closing.signal.aborted) void this.#replace(reason);
    });
  }

  /** Retries until an engine runs with all models. */
  async #replace(reason: string): Promise<void> {
    const { logger } = this.options;
    this.replaced += 1;
    logger.error({ reason, left: this.#engines.size }, 'an inference engine ended and is replaced');
    const { signal } = this.#closing;
    const logFailure = (error: unknown) => {
      const words = 'a new inference engine does not start with the models';
      if (!signal.aborted) logger.error({ reason: String(error) }, words);
    };
    const onFailedAttempt = ({ error }: { readonly error: Error }) => logFailure(error);
    const opening = retryAlways(() => this.#openWithModels(), { ...RETRIES, signal, onFailedAttempt });
    await opening.then(() => this.whenFree(), logFailure);
  }

  async #openWithModels(): Promise<void> {
    const engine = new Engine(this.plan.isolation);
    this.#opening.add(engine);
    try {
      await openBackendIn(engine, this.plan);
      // Models may be added meanwhile: iteration of a map includes them.
      for (const [key, { model }] of this.#models) await this.#load(engine, key, model);
      this.#closing.signal.throwIfAborted();
      this.#join(engine);
    } catch (failure) {
      await engine.stop();
      throw failure;
    } finally {
      this.#opening.delete(engine);
    }
  }

  /** @throws ModelRefused also when it takes too long: then the engine is ended and replaced */
  async #load(engine: Engine, key: string, model: ModelFolder): Promise<ModelBackend> {
    const timeoutMs = this.options.loadTimeoutMs ?? LOAD_TIMEOUT_MS;
    try {
      return await engine.call('load', { key, model, rowsMax: this.rowsMax }, timeoutMs);
    } catch (failure) {
      if (!(failure instanceof EngineTimeout)) throw failure;
      throw new ModelRefused(model.folder, `it does not load within ${timeoutMs} ms`);
    }
  }
}

const openBackendIn = (engine: Engine, { backends }: EnginePlan): Promise<BackendName> =>
  engine.call('open', { backends }, OPEN_TIMEOUT_MS);
