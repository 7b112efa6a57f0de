import { unavailable } from '../../models/errors';

/** Ends the holding of a connection; more than once is as good as once. */
export type GiveBack = () => void;

interface Wish {
  readonly party: string;
  grant(): void;
}

const RETRY_AFTER_SECONDS = 2;

/**
 * Connections of a pool, shared by those for whom calls are made. A party may hold as many as it leaves free: half of the
 * pool when it is alone, a quarter beside such a one, and always one while any is free. So nobody takes them all, however
 * many calls it makes (contract 12.12). Calls of a party that holds its share wait in the order of arrival, and hold up
 * nobody else. Work for nobody in particular counts, and never waits here.
 */
export class ConnectionShares {
  readonly #heldBy = new Map<string, number>();
  readonly #waiting = new Set<Wish>();
  #taken = 0;

  /** @param waitMs how long a call waits for its party's share */
  constructor(
    private readonly connectionsMax: number,
    private readonly waitMs: number,
  ) {}

  /** Calls that wait because their party holds its share. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** @throws AppError 503 when the party's connections were in use for all of the time */
  async take(party: string | null): Promise<GiveBack> {
    if (party !== null && !this.#fits(party)) await this.#turn(party);
    else this.#hold(party, 1);
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      this.#hold(party, -1);
      this.#grantWaiting();
    };
  }

  #turn(party: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const wish: Wish = {
        party,
        grant: () => {
          clearTimeout(late);
          this.#waiting.delete(wish);
          this.#hold(party, 1);
          resolve();
        },
      };
      const late = setTimeout(() => {
        this.#waiting.delete(wish);
        reject(
          unavailable('Too many calls are under way in the database; call again soon.', RETRY_AFTER_SECONDS),
        );
      }, this.waitMs);
      this.#waiting.add(wish);
    });
  }

  #fits(party: string): boolean {
    return (this.#heldBy.get(party) ?? 0) + 1 <= Math.max(0, this.connectionsMax - this.#taken);
  }

  #hold(party: string | null, more: 1 | -1): void {
    this.#taken += more;
    if (party === null) return;
    const held = (this.#heldBy.get(party) ?? 0) + more;
    if (held === 0) this.#heldBy.delete(party);
    else this.#heldBy.set(party, held);
  }

  #grantWaiting(): void {
    for (const wish of this.#waiting) if (this.#fits(wish.party)) wish.grant();
  }
}
