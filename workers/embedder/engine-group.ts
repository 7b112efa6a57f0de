import pRetry from 'p-retry';
import type { Logger } from '../../models/ports';
import { modelReference } from '../../models/vision/embedding-model';
import { type BackendChoice, type BackendName, type EnginePlan, enginePlans, rowsMaxOf } from './backends';
import { EngineHandle } from './engine-handle';
import type { RunsOn } from './loaded-model';
import { type ModelFolder, ModelRefused } from './model-folder';

/** How many engines there are, and on what they run. */
export interface EngineGroupOptions {
  /** Threads (processes, for libtensorflow); see `defaultThreads`. */
  readonly threads: number;
  readonly backend: BackendChoice;
  /** After which a model counts as one that does not load; five minutes when left out. */
  readonly loadTimeoutMs?: number;
  readonly logger: Logger;
}

/** One engine of a group; `tasks` counts what it was given and has not finished. */
export interface Member {
  readonly handle: EngineHandle;
  tasks: number;
}

const OPEN_TIMEOUT_MS = 60_000;
const LOAD_TIMEOUT_MS = 5 * 60_000;
const RETRIES = { retries: Number.POSITIVE_INFINITY, minTimeout: 100, maxTimeout: 10_000, unref: true };

/** A number of equal engines that all hold the same models; one that ends is replaced. */
export class EngineGroup {
  readonly #models = new Map<string, ModelFolder>();
  readonly #runsOn = new Map<string, RunsOn>();
  readonly #members = new Set<Member>();
  readonly #closing = new AbortController();
  /** How many engines ended and were replaced. */
  replaced = 0;

  private constructor(
    private readonly plan: EnginePlan,
    private readonly backend: BackendName,
    private readonly options: EngineGroupOptions,
    private readonly whenFree: () => void,
  ) {}

  /**
   * Starts `threads` engines on the best backend that works here.
   *
   * @param whenFree called whenever an engine may have become free
   * @throws Error when no backend starts
   */
  static async start(options: EngineGroupOptions, whenFree: () => void): Promise<EngineGroup> {
    const reasons: string[] = [];
    for (const plan of enginePlans(options.backend)) {
      try {
        const { handle, backend } = await openEngine(plan);
        const group = new EngineGroup(plan, backend, options, whenFree);
        group.#join(handle);
        await group.#fill(options.threads);
        return group;
      } catch (failure) {
        const reason = failure instanceof Error ? failure.message : String(failure);
        reasons.push(reason);
        options.logger.warn({ ...plan, reason }, 'inference does not start this way');
      }
    }
    throw new Error(`Inference can not start: ${reasons.join('; ')}`);
  }

  get rowsMax(): number {
    return rowsMaxOf(this.backend);
  }

  get size(): number {
    return this.#members.size;
  }

  /** What computes each model that is loaded, by its reference. */
  models(): Record<string, BackendName> {
    const entries = [...this.#runsOn].map(([key, { backend }]) => {
      const model = this.#models.get(key);
      return [model ? modelReference(model.manifest) : key, backend];
    });
    return Object.fromEntries(entries);
  }

  /** Engines with nothing to do. */
  free(): Member[] {
    return [...this.#members].filter((member) => member.tasks === 0);
  }

  /**
   * Brings a model into all engines. While others are in use the engines take turns, so that photos are answered
   * meanwhile.
   *
   * @throws ModelRefused with the reason
   */
  async load(key: string, model: ModelFolder): Promise<void> {
    const first = this.#models.size === 0;
    this.#models.set(key, model);
    try {
      const members = [...this.#members];
      if (first) await Promise.all(members.map((member) => this.#loadInto(member, key, model)));
      else for (const member of members) await this.#loadInto(member, key, model);
      this.options.logger.info(
        { model: modelReference(model.manifest), ...this.#runsOn.get(key) },
        'a model is loaded',
      );
    } catch (failure) {
      await this.unload(key);
      throw failure;
    }
  }

  async unload(key: string): Promise<void> {
    this.#models.delete(key);
    this.#runsOn.delete(key);
    await Promise.allSettled([...this.#members].map(({ handle }) => handle.call('unload', { key })));
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all([...this.#members].map(({ handle }) => handle.stop()));
  }

  async #fill(size: number): Promise<void> {
    const missing = Array.from({ length: size - this.#members.size }, () => openEngine(this.plan));
    for (const opened of await Promise.allSettled(missing)) {
      if (opened.status === 'fulfilled') this.#join(opened.value.handle);
    }
    if (this.#members.size === size) return;
    await this.close();
    throw new Error(`only ${this.#members.size} of ${size} inference engines started`);
  }

  #join(handle: EngineHandle): void {
    const member: Member = { handle, tasks: 0 };
    this.#members.add(member);
    void handle.ended.then((reason) => {
      this.#members.delete(member);
      if (!this.#closing.signal.aborted) void this.#replace(reason);
    });
  }

  /** Tries until an engine runs with all models: until then the others carry the load. */
  async #replace(reason: string): Promise<void> {
    const { logger } = this.options;
    this.replaced += 1;
    logger.error({ reason, left: this.#members.size }, 'an inference engine ended and is replaced');
    const { signal } = this.#closing;
    const told = (error: unknown): null => {
      const words = 'a new inference engine does not start with the models';
      if (!signal.aborted) logger.error({ reason: String(error) }, words);
      return null;
    };
    const onFailedAttempt = ({ error }: { readonly error: Error }) => void told(error);
    const opening = pRetry(() => this.#openWithModels(), { ...RETRIES, signal, onFailedAttempt });
    const handle = await opening.catch(told);
    if (!handle) return;
    this.#join(handle);
    this.whenFree();
  }

  async #openWithModels(): Promise<EngineHandle> {
    const { handle } = await openEngine(this.plan);
    try {
      // Models may be added while an engine starts: what is added to a map while it is walked is walked too.
      for (const [key, model] of this.#models) await this.#load(handle, key, model);
      this.#closing.signal.throwIfAborted();
      return handle;
    } catch (failure) {
      await handle.stop();
      throw failure;
    }
  }

  /** @throws ModelRefused also when it takes too long: then the engine is ended and replaced */
  async #load(handle: EngineHandle, key: string, model: ModelFolder): Promise<RunsOn> {
    const timeoutMs = this.options.loadTimeoutMs ?? LOAD_TIMEOUT_MS;
    const late = new ModelRefused(model.folder, `it does not load within ${timeoutMs} ms`);
    const loaded = handle.call('load', { key, model, rowsMax: this.rowsMax });
    return await inTime(handle, timeoutMs, loaded, late);
  }

  async #loadInto(member: Member, key: string, model: ModelFolder): Promise<void> {
    member.tasks += 1;
    try {
      this.#runsOn.set(key, await this.#load(member.handle, key, model));
    } finally {
      member.tasks -= 1;
      this.whenFree();
    }
  }
}

async function openEngine(plan: EnginePlan): Promise<{ handle: EngineHandle; backend: BackendName }> {
  const handle = new EngineHandle(plan.carrier);
  try {
    const opened = handle.call('open', { backends: plan.backends });
    return {
      handle,
      backend: await inTime(handle, OPEN_TIMEOUT_MS, opened, new Error('it does not start in time')),
    };
  } catch (failure) {
    await handle.stop();
    throw failure;
  }
}

/** Ends an engine whose answer takes longer. @throws `late` then */
async function inTime<Answer>(
  handle: EngineHandle,
  timeoutMs: number,
  answer: Promise<Answer>,
  late: Error,
): Promise<Answer> {
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    void handle.stop();
  }, timeoutMs);
  try {
    return await answer;
  } catch (failure) {
    throw isLate ? late : failure;
  } finally {
    clearTimeout(timer);
  }
}
