import type { QueueLoad } from './admission';

/** A load that is older says too little: at the pace of any worker a few jobs have come or gone since. */
const RECENT_MS = 50;

/**
 * The load of a queue that is looked at from afar: one look serves all who ask within a moment, so that a flood is
 * refused without a flood of looks.
 */
export class RecentLoad {
  #look: Promise<QueueLoad> | null = null;
  #lookedAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly look: () => Promise<QueueLoad>) {}

  /** The load of a moment ago. Rejects as the look does. */
  recent(): Promise<QueueLoad> {
    return this.#look && performance.now() - this.#lookedAt < RECENT_MS ? this.#look : this.now();
  }

  /** The load as it is. Rejects as the look does. */
  now(): Promise<QueueLoad> {
    const look = this.look();
    this.#look = look;
    this.#lookedAt = performance.now();
    look.catch(() => {
      if (this.#look === look) this.#look = null;
    });
    return look;
  }
}
