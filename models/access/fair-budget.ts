import { unavailable } from '../errors';

export interface FairBudgetOptions {
  /** What all parties share: bytes of memory, connections. */
  readonly units: number;
  /** Leases of no more than this share as many units again among themselves. Default 0: there are no such leases. */
  readonly littleUnits?: number;
  /** Whether one lease at a time may go beyond the share of its party. */
  readonly mayExceed: boolean;
  /** How long a call waits for units before it is refused. */
  readonly waitMs: number;
  /** What a refused call is told. */
  readonly refusal: string;
}

const RETRY_AFTER_SECONDS = 2;

interface Wish {
  readonly lease: Lease;
  readonly units: number;
  grant(): void;
}

/** Units of one kind of leases, by party. */
class Held {
  readonly #byParty = new Map<string, number>();
  total = 0;

  by(party: string): number {
    return this.#byParty.get(party) ?? 0;
  }

  add(party: string | null, units: number): void {
    this.total += units;
    if (party === null) return;
    const held = this.by(party) + units;
    if (held === 0) this.#byParty.delete(party);
    else this.#byParty.set(party, held);
  }
}

/**
 * Units that parties share fairly. A party may hold as many as it leaves free: half of the budget when it is alone, a
 * quarter beside such a one, so that nobody can take it all (the dynamic thresholds of a switch's buffers). What does not
 * fit waits in the order of arrival, that of one party never before others' that would fit.
 *
 * Where the budget may be exceeded, one lease at a time may go beyond, and then counts against its party alone: the
 * largest is never impossible, and leases that each hold a part never wait for one another for ever. All together hold
 * at most the budget and one of the largest. Little leases and large ones never wait for each other.
 */
export class FairBudget {
  readonly #little = new Held();
  readonly #large = new Held();
  readonly #waiting = new Set<Wish>();
  #beyond: Lease | null = null;

  constructor(private readonly options: FairBudgetOptions) {}

  /** Units that are held now, and how many calls wait. */
  get state(): { readonly held: number; readonly waiting: number } {
    return { held: this.#little.total + this.#large.total, waiting: this.#waiting.size };
  }

  /** A lease that holds nothing yet. @param party null is the service itself: it counts, and never waits */
  open(party: string | null): Lease {
    return new Lease(this, party);
  }

  /** Whether the lease could become so large at once, and if so makes it. */
  tryResize(lease: Lease, units: number): boolean {
    const isLess = units <= lease.units;
    if (!isLess && !this.#fits(lease, units)) return false;
    this.#hold(lease, units);
    if (isLess) this.#grantWaiting();
    return true;
  }

  /** @throws AppError 503 when it did not fit in time */
  async resize(lease: Lease, units: number): Promise<void> {
    if (this.tryResize(lease, units)) return;
    await new Promise<void>((resolve, reject) => {
      const wish: Wish = {
        lease,
        units,
        grant: () => {
          clearTimeout(late);
          this.#waiting.delete(wish);
          this.#hold(lease, units);
          resolve();
        },
      };
      const refuse = (): void => {
        clearTimeout(late);
        lease.whenClosed = null;
        this.#waiting.delete(wish);
        reject(unavailable(this.options.refusal, RETRY_AFTER_SECONDS));
      };
      const late = setTimeout(refuse, this.options.waitMs);
      lease.whenClosed = refuse;
      this.#waiting.add(wish);
      this.#grantWaiting();
    });
  }

  /** Gives back what the lease held. */
  close(lease: Lease): void {
    if (this.#beyond === lease) this.#beyond = null;
    this.#hold(lease, 0);
    this.#grantWaiting();
  }

  #fits(lease: Lease, units: number): boolean {
    if (lease.party === null || this.#beyond === lease) return true;
    const held = this.#heldBy(units);
    const own = this.#heldBy(lease.units) === held ? lease.units : 0;
    const beyond = held === this.#large ? (this.#beyond?.units ?? 0) : 0;
    const ofParty = held.by(lease.party) + units - own;
    return ofParty <= this.options.units - (held.total - beyond + units - own);
  }

  #hold(lease: Lease, units: number): void {
    this.#heldBy(lease.units).add(lease.party, -lease.units);
    this.#heldBy(units).add(lease.party, units);
    lease.units = units;
  }

  #heldBy(units: number): Held {
    return units <= (this.options.littleUnits ?? 0) ? this.#little : this.#large;
  }

  #grantWaiting(): void {
    const passedOver = new Set<string | null>();
    for (const wish of this.#waiting) {
      const { lease, units } = wish;
      if (passedOver.has(lease.party)) continue;
      if (this.#fits(lease, units)) wish.grant();
      else if (this.options.mayExceed && this.#beyond === null) {
        this.#beyond = lease;
        wish.grant();
      } else passedOver.add(lease.party);
    }
  }
}

/** What one call holds of a budget. */
export class Lease {
  /** Set by the budget alone. */
  units = 0;
  /** Ends the waiting of a call that is over. */
  whenClosed: (() => void) | null = null;
  #closed = false;

  constructor(
    private readonly budget: FairBudget,
    readonly party: string | null,
  ) {}

  /** Becomes so large if that fits at once; less is given back. */
  tryResize(units: number): boolean {
    return this.#closed || this.budget.tryResize(this, units);
  }

  /**
   * Becomes so large as soon as that fits.
   *
   * @throws AppError 503 when it did not in time, or the call is over
   */
  async resize(units: number): Promise<void> {
    if (!this.#closed) await this.budget.resize(this, units);
  }

  /** Gives everything back, for good. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.whenClosed?.();
    this.budget.close(this);
  }
}
