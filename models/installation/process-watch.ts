import type { Logger, ProcessRegistry, ProcessTraits, ServiceProcess } from '../ports';
import { type Misfit, misfitsOf } from './misfits';

/** Writes from time to time that this process lives, and compares it with the others (contract 14.15). */
export class ProcessWatch {
  #traits: ProcessTraits | null = null;
  #renewing: Promise<void> | null = null;
  #misfits: readonly Misfit[] = [];
  #told = '[]';

  constructor(
    private readonly registry: ProcessRegistry,
    private readonly logger: Logger,
    private readonly self: Omit<ServiceProcess, 'traits'>,
    private readonly traits: () => Promise<ProcessTraits>,
  ) {}

  /** What differs from other processes, by the last comparison; a sentence each, without names of hosts. */
  get misfits(): readonly string[] {
    return this.#misfits.map(({ says }) => says);
  }

  /** Looks at what this process is made of, and renews. */
  async look(): Promise<void> {
    this.#traits = await this.traits();
    await this.renew();
  }

  /** Those who ask at the same time share one writing. @throws AppError 503 when the database is away or can't be written */
  renew(): Promise<void> {
    this.#renewing ??= this.#renew().finally(() => {
      this.#renewing = null;
    });
    return this.#renewing;
  }

  leave(): Promise<void> {
    return this.registry.leave(this.self.id);
  }

  async #renew(): Promise<void> {
    const process = { ...this.self, traits: this.#traits ?? (await this.traits()) };
    this.#misfits = misfitsOf(process, await this.registry.renew(process));
    const text = JSON.stringify(this.#misfits);
    if (text === this.#told) return;
    this.#told = text;
    for (const { says, processes } of this.#misfits) this.logger.warn({ processes }, says);
    if (this.#misfits.length === 0) this.logger.info({}, 'all processes fit together again');
  }
}
