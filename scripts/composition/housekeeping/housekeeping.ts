import type { HousekeepingStore, Logger } from '../../../models/ports';

/** How one kind of data that grows without end is removed. */
export interface RetentionRule {
  /** What is removed, in metrics and logs. */
  readonly kind: string;
  /** Removes some of what has expired, in a short transaction; returns how many. */
  sweep(): Promise<number>;
}

/** One process of an installation has its turn in each interval. */
const TASK = 'housekeeping';
const EVERY_MS = 3_600_000;

/** Sweeps of a rule in one turn; what is left waits for the next. */
const SWEEPS_MAX = 50;

/** Removes what has expired, in small steps, in one process of an installation at a time. */
export class Housekeeping {
  readonly #removed = new Map<string, number>();

  constructor(
    private readonly store: HousekeepingStore,
    private readonly rules: readonly RetentionRule[],
    private readonly logger: Logger,
  ) {
    for (const { kind } of rules) this.#removed.set(kind, 0);
  }

  /** What this process has removed since its start, by kind. */
  get removed(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#removed);
  }

  /** Applies the rules, if it is the turn of this process. One that fails does not stop the others. */
  async look(): Promise<void> {
    if (!(await this.store.claim(TASK, EVERY_MS))) return;
    for (const rule of this.rules) {
      await this.#sweep(rule).catch((failure: unknown) =>
        this.logger.warn({ task: TASK, kind: rule.kind, reason: String(failure) }, 'a task failed'),
      );
    }
  }

  async #sweep(rule: RetentionRule): Promise<void> {
    for (let sweeps = 0; sweeps < SWEEPS_MAX; sweeps += 1) {
      const count = await rule.sweep();
      if (count === 0) return;
      this.#removed.set(rule.kind, (this.#removed.get(rule.kind) ?? 0) + count);
    }
  }
}
