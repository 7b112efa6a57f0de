import type { HousekeepingStore, Logger } from '../../../models/ports';

/** One kind of things that grow without end. */
export interface Duty {
  /** In metrics and logs: what is removed. */
  readonly kind: string;
  /** Removes some of what is due, no more than others can wait for; how many there were. */
  sweep(): Promise<number>;
}

/** Every process asks so often whether it is its turn, and one is told so in an interval. */
const TASK = 'housekeeping';
const EVERY_MS = 3_600_000;

/** Sweeps of a duty at a look: what is left after them waits for the next. */
const SWEEPS_MAX = 50;

/** Removes what is no longer needed, in small steps, in one process of an installation at a time. */
export class Housekeeping {
  readonly #removed = new Map<string, number>();

  constructor(
    private readonly store: HousekeepingStore,
    private readonly duties: readonly Duty[],
    private readonly logger: Logger,
  ) {
    for (const { kind } of duties) this.#removed.set(kind, 0);
  }

  /** What this process has removed since its start, by kind. */
  get removed(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#removed);
  }

  /** Does its duties, if it is the turn of this process. One that fails keeps none of the others. */
  async look(): Promise<void> {
    if (!(await this.store.claim(TASK, EVERY_MS))) return;
    for (const duty of this.duties) {
      await this.#sweep(duty).catch((failure: unknown) =>
        this.logger.warn({ task: TASK, kind: duty.kind, reason: String(failure) }, 'a task failed'),
      );
    }
  }

  async #sweep(duty: Duty): Promise<void> {
    for (let sweeps = 0; sweeps < SWEEPS_MAX; sweeps += 1) {
      const count = await duty.sweep();
      if (count === 0) return;
      this.#removed.set(duty.kind, (this.#removed.get(duty.kind) ?? 0) + count);
    }
  }
}
