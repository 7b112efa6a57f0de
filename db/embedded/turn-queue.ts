import type { Engine } from './engine';

/** Anyone who uses the database: a client's session, or the host itself. */
export interface TurnTaker {
  /** The database is yours until you release it. */
  granted(engine: Engine): void;
  /** The database answers. Each byte must be acknowledged to the engine once. */
  answer(bytes: Buffer): void;
  /** The database went on: it has read all input, or done all that it asked, or waits for more within it. */
  advance(): void;
}

/**
 * Gives the one database to one taker at a time, first come, first served. A taker keeps it for a turn: all messages
 * up to the answer `ReadyForQuery` outside a transaction. That is the unit in which PostgreSQL's protocol can be
 * shared: single messages of two clients must not mix, as unnamed statements and portals belong to the session.
 */
export class TurnQueue {
  private readonly waiting: TurnTaker[] = [];
  private current: TurnTaker | undefined;
  private emptied: (() => void) | undefined;
  private granted = 0;

  constructor(private readonly engine: Engine) {
    engine.attach({
      output: (bytes) => this.current?.answer(bytes),
      advanced: () => this.current?.advance(),
    });
  }

  /** Whether somebody has the database or waits for it. */
  get isBusy(): boolean {
    return this.current !== undefined || this.waiting.length > 0;
  }

  /** How many turns there were so far. */
  get turnsGranted(): number {
    return this.granted;
  }

  /** Asks for a turn; `granted` is called when it begins, perhaps at once. */
  request(taker: TurnTaker): void {
    this.waiting.push(taker);
    this.grantNext();
  }

  /** Ends the turn of `taker`. */
  release(taker: TurnTaker): void {
    if (this.current === taker) this.current = undefined;
    this.grantNext();
  }

  /** Resolves when nobody holds the database or waits for it. */
  async idle(): Promise<void> {
    if (!this.isBusy) return;
    await new Promise<void>((resolve) => {
      this.emptied = resolve;
    });
  }

  private grantNext(): void {
    if (this.current !== undefined) return;
    this.current = this.waiting.shift();
    if (!this.current) this.emptied?.();
    else {
      this.granted += 1;
      this.current.granted(this.engine);
    }
  }
}
