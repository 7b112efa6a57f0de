import type { Clock } from '../../models/ports';
import type { QueueLoad } from './admission';

/** A load that is older says too little: at the pace of any worker a few jobs have come or gone since. */
const RECENT_MS = 50;

/**
 * The load of a queue that is looked at from afar: one look serves all who ask within a moment, so that a flood is
 * refused without a flood of looks. What this process adds meanwhile is counted in.
 */
export class RecentLoad {
  #look: Promise<QueueLoad> | null = null;
  #lookedAt = 0;
  #addedSince = 0;

  constructor(
    private readonly look: () => Promise<QueueLoad>,
    private readonly clock: Clock,
  ) {}

  /** Rejects as the look does. */
  async now(): Promise<QueueLoad> {
    const now = this.clock.now().getTime();
    if (!this.#look || now - this.#lookedAt >= RECENT_MS) this.#lookAgain(now);
    const load = await (this.#look ?? this.look());
    return { waiting: load.waiting + this.#addedSince, active: load.active };
  }

  /** A job was added by this process. */
  add(): void {
    this.#addedSince += 1;
  }

  #lookAgain(now: number): void {
    const look = this.look();
    this.#look = look;
    this.#lookedAt = now;
    // Commands of one connection are answered in order: what was added before is in the load.
    this.#addedSince = 0;
    look.catch(() => {
      if (this.#look === look) this.#look = null;
    });
  }
}
