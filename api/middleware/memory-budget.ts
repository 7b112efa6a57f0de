import { unavailable } from '../../models/errors';

export interface MemoryBudgetOptions {
  /** Memory for all calls together. */
  readonly bytes: number;
  /** Calls that hold no more than this have as much memory again for themselves. */
  readonly littleBytes: number;
  /** Who has not got in after so long is turned away. */
  readonly waitMs: number;
  /** What the memory is for, in a message: `large bodies`. */
  readonly what: string;
}

/** Seconds after which it is worth coming back. */
const RETRY_AFTER_SECONDS = 2;

interface Wish {
  readonly reservation: MemoryReservation;
  readonly bytes: number;
  grant(): void;
}

/**
 * Memory that calls share, in bytes. A key may hold as much as it leaves free: half of the budget when it is alone, a quarter
 * beside such a one, so that nobody can take it all (the dynamic thresholds of a switch's buffers). What does not fit waits in
 * the order of arrival, that of one key never before other keys' that would fit. One call at a time may go beyond, and then
 * counts against its key alone: the largest is never impossible, and calls that each hold a part never wait for one another
 * for ever. So large ones together hold at most the budget and one of the largest, and all at most twice the budget.
 */
export class MemoryBudget {
  readonly #heldBy = new Map<string, number>();
  readonly #waiting = new Set<Wish>();
  #taken = 0;
  #beyond: MemoryReservation | null = null;

  constructor(private readonly options: MemoryBudgetOptions) {}

  /** Bytes that calls hold now, and how many calls wait. */
  get state(): { readonly heldBytes: number; readonly waiting: number } {
    return { heldBytes: this.#taken, waiting: this.#waiting.size };
  }

  /** A place for a call of this key, which holds nothing yet. */
  open(key: string): MemoryReservation {
    return new MemoryReservation(this, key);
  }

  /** Whether the reservation could become so large at once, and if so makes it. */
  tryResize(reservation: MemoryReservation, bytes: number): boolean {
    const more = bytes - reservation.bytes;
    if (more > 0 && !this.#fits(reservation, more)) return false;
    this.#hold(reservation, bytes);
    if (more < 0) this.#letIn();
    return true;
  }

  /** @throws AppError 503 when there was no room for it in time */
  async resize(reservation: MemoryReservation, bytes: number): Promise<void> {
    if (this.tryResize(reservation, bytes)) return;
    await new Promise<void>((resolve, reject) => {
      const wish: Wish = {
        reservation,
        bytes,
        grant: () => {
          clearTimeout(late);
          this.#waiting.delete(wish);
          this.#hold(reservation, bytes);
          resolve();
        },
      };
      const refuse = (): void => {
        clearTimeout(late);
        reservation.whenClosed = null;
        this.#waiting.delete(wish);
        reject(
          unavailable(`Too many ${this.options.what} are under way; call again soon.`, RETRY_AFTER_SECONDS),
        );
      };
      const late = setTimeout(refuse, this.options.waitMs);
      reservation.whenClosed = refuse;
      this.#waiting.add(wish);
      this.#letIn();
    });
  }

  /** Gives back what the call held. */
  close(reservation: MemoryReservation): void {
    if (this.#beyond === reservation) this.#beyond = null;
    this.#hold(reservation, 0);
    this.#letIn();
  }

  #fits(reservation: MemoryReservation, more: number): boolean {
    if (this.#beyond === reservation) return true;
    const { bytes, littleBytes } = this.options;
    const all = reservation.bytes + more <= littleBytes ? 2 * bytes : bytes;
    const ofKey = (this.#heldBy.get(reservation.key) ?? 0) + more;
    const shared = this.#taken - (this.#beyond?.bytes ?? 0);
    return ofKey <= all - shared - more;
  }

  #hold(reservation: MemoryReservation, bytes: number): void {
    const more = bytes - reservation.bytes;
    const ofKey = (this.#heldBy.get(reservation.key) ?? 0) + more;
    if (ofKey === 0) this.#heldBy.delete(reservation.key);
    else this.#heldBy.set(reservation.key, ofKey);
    this.#taken += more;
    reservation.bytes = bytes;
  }

  /** Grants what fits by now. */
  #letIn(): void {
    const passedOver = new Set<string>();
    for (const wish of this.#waiting) {
      const { reservation, bytes } = wish;
      if (passedOver.has(reservation.key)) continue;
      if (this.#fits(reservation, bytes - reservation.bytes)) wish.grant();
      else if (this.#beyond === null) {
        this.#beyond = reservation;
        wish.grant();
      } else passedOver.add(reservation.key);
    }
  }
}

/** What one call holds of a budget. */
export class MemoryReservation {
  /** Set by the budget alone. */
  bytes = 0;
  /** Ends the waiting of a call that is over. */
  whenClosed: (() => void) | null = null;
  #closed = false;

  constructor(
    private readonly budget: MemoryBudget,
    readonly key: string,
  ) {}

  /** Becomes so large if there is room at once; less is given back. */
  tryResize(bytes: number): boolean {
    return this.#closed || this.budget.tryResize(this, bytes);
  }

  /**
   * Becomes so large as soon as there is room.
   *
   * @throws AppError 503 when there was none in time, or the call is over
   */
  async resize(bytes: number): Promise<void> {
    if (!this.#closed) await this.budget.resize(this, bytes);
  }

  /** Gives everything back, for good. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.whenClosed?.();
    this.budget.close(this);
  }
}
