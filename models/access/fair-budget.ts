import { AsyncLocalStorage } from 'node:async_hooks';
import { unavailable } from '../errors';

export interface FairBudgetOptions {
  /** The resource that all parties share: bytes of memory, connections. */
  readonly units: number;
  /** Leases of at most this size share a second pool of as many units; default 0: there are no such leases. */
  readonly littleUnits?: number;
  /** Whether one lease at a time may go beyond the share of its party. */
  readonly mayExceed: boolean;
  readonly waitMs: number;
  readonly refusal: string;
}

export interface Lease {
  readonly party: string | null;
  units: number;
  /** Grows to this size if that fits at once; shrinking returns units. */
  tryResize(units: number): boolean;
  /** Grows to this size as soon as that fits. @throws AppError 503 when it did not fit in time, or the call is over */
  resize(units: number): Promise<void>;
  close(): void;
}

const RETRY_AFTER_SECONDS = 2;

/** Units that parties hold now, and their sum. */
export class HeldUnits {
  readonly byParty = new Map<string, number>();
  total = 0;

  of(party: string): number {
    return this.byParty.get(party) ?? 0;
  }

  /** @param party null counts in the sum alone */
  add(party: string | null, units: number): void {
    this.total += units;
    if (party === null) return;
    const held = this.of(party) + units;
    if (held === 0) this.byParty.delete(party);
    else this.byParty.set(party, held);
  }
}

/**
 * Units that parties share fairly. A party may hold as many units as are left free (the dynamic thresholds of a switch's
 * buffers): half of the budget when it is alone, a quarter beside a party that holds half. Requests that do not fit wait in
 * the order of arrival, without blocking those of other parties that would fit. Small and large leases never wait for each
 * other.
 *
 * Where the budget may be exceeded, one lease at a time may exceed it, and then counts only against its own party: the
 * largest lease is never impossible, and leases that each hold a part never deadlock.
 */
export class FairBudget {
  readonly #little = new HeldUnits();
  readonly #large = new HeldUnits();
  readonly #waiting = new Map<Lease, { readonly units: number; grant(): void; refuse(): void }>();
  #beyond: Lease | null = null;

  constructor(private readonly options: FairBudgetOptions) {}

  get state(): { readonly held: number; readonly waiting: number } {
    return { held: this.#little.total + this.#large.total, waiting: this.#waiting.size };
  }

  /** A lease that holds nothing yet. @param party null is the service itself: its units count, but it never waits */
  open(party: string | null): Lease {
    let isClosed = false;
    const lease: Lease = {
      ...{ party, units: 0 },
      tryResize: (units) => isClosed || this.#tryResize(lease, units),
      resize: async (units) => {
        if (!lease.tryResize(units)) await this.#wait(lease, units);
      },
      close: () => {
        if (!isClosed) this.#close(lease);
        isClosed = true;
      },
    };
    return lease;
  }

  #tryResize(lease: Lease, units: number): boolean {
    const isLess = units <= lease.units;
    if (!isLess && !this.#fits(lease, units)) return false;
    this.#hold(lease, units);
    if (isLess) this.#grantWaiting();
    return true;
  }

  #wait(lease: Lease, units: number): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      const end = (): void => {
        clearTimeout(late);
        this.#waiting.delete(lease);
      };
      const grant = (): void => {
        end();
        this.#hold(lease, units);
        resolve();
      };
      const refuse = (): void => {
        end();
        reject(unavailable(this.options.refusal, RETRY_AFTER_SECONDS));
      };
      const late = setTimeout(refuse, this.options.waitMs);
      this.#waiting.set(lease, { units, grant, refuse });
      this.#grantWaiting();
    });
  }

  #close(lease: Lease): void {
    this.#waiting.get(lease)?.refuse();
    if (this.#beyond === lease) this.#beyond = null;
    this.#hold(lease, 0);
    this.#grantWaiting();
  }

  #fits(lease: Lease, units: number): boolean {
    if (lease.party === null || this.#beyond === lease) return true;
    const held = this.#heldBy(units);
    const own = this.#heldBy(lease.units) === held ? lease.units : 0;
    const beyond = held === this.#large ? (this.#beyond?.units ?? 0) : 0;
    const ofParty = held.of(lease.party) + units - own;
    return ofParty <= this.options.units - (held.total - beyond + units - own);
  }

  #hold(lease: Lease, units: number): void {
    this.#heldBy(lease.units).add(lease.party, -lease.units);
    this.#heldBy(units).add(lease.party, units);
    lease.units = units;
  }

  #heldBy(units: number): HeldUnits {
    return units <= (this.options.littleUnits ?? 0) ? this.#little : this.#large;
  }

  #grantWaiting(): void {
    const passedOver = new Set<string | null>();
    for (const [lease, { units, grant }] of this.#waiting) {
      if (passedOver.has(lease.party)) continue;
      if (this.#fits(lease, units)) grant();
      else if (this.options.mayExceed && this.#beyond === null) {
        this.#beyond = lease;
        grant();
      } else passedOver.add(lease.party);
    }
  }
}

/** Follows a call through every `await`: its account, or its source address until its key is known (contract 12.12). */
const calls = new AsyncLocalStorage<{ party: string | null }>();

/** Does work for a party; null is the service itself. Work for several accounts at once has its own name. */
export const runAsParty = <Result>(party: string | null, work: () => Result): Result =>
  calls.run({ party }, work);

export function setCurrentParty(party: string): void {
  const call = calls.getStore();
  if (call) call.party = party;
}

export const currentParty = (): string | null => calls.getStore()?.party ?? null;
