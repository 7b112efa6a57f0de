import type { OrderKey } from '../order-key';
import type { Bitset } from './bitset';
import type { SnapshotOrder } from './snapshot-order';

/** Some rows of an answer that follow each other: those of a set, in the order of a listing. */
export interface Slice {
  readonly set: Bitset;
  /** How many of them are passed over, or the row behind which those begin that are wanted. */
  readonly start: number | OrderKey;
  readonly limit: number;
}

/** The members of a set in an order, passed one after the other: unchanged products, and changed ones at their places. */
export class OrderedMembers {
  #position = 0;
  #nextChange = 0;

  /** @param products of the snapshot */
  constructor(
    private readonly set: Bitset,
    private readonly order: SnapshotOrder,
    private readonly products: number,
  ) {}

  /** Passes so many members. */
  skip(count: number): void {
    let left = count;
    while (left > 0) {
      const change = this.#comingChange();
      left -= this.#pass(change === null ? this.products : this.order.placeAt(change), left);
      if (left === 0 || change === null) break;
      this.#nextChange += 1;
      left -= 1;
    }
  }

  /** Passes whatever comes up to a row. */
  skipTo(row: OrderKey, place: number): void {
    this.#position = place;
    this.#nextChange = this.order.changesUpTo(row);
  }

  /** The ordinals of the next members. */
  take(limit: number): number[] {
    const taken: number[] = [];
    while (taken.length < limit) {
      const change = this.#comingChange();
      const end = change === null ? this.products : this.order.placeAt(change);
      this.#pass(end, 0);
      if (this.#position < end) taken.push(this.order.at(this.#position++));
      else if (change === null) break;
      else {
        taken.push(change);
        this.#nextChange += 1;
      }
    }
    return taken;
  }

  /** The next member that has changed; null if none follows. */
  #comingChange(): number | null {
    const { changed } = this.order;
    for (; this.#nextChange < changed.length; this.#nextChange++) {
      const ordinal = changed[this.#nextChange] ?? 0;
      if (this.set.has(ordinal)) return ordinal;
    }
    return null;
  }

  /** Goes on to a position, or before the unchanged member after so many. Answers how many it has passed. */
  #pass(end: number, most: number): number {
    const { set, order } = this;
    let passed = 0;
    while (this.#position < end) {
      if (order.isOwn && this.#position % 32 === 0 && this.#position + 32 <= end) {
        const members = set.countFrom(this.#position);
        if (passed + members <= most) {
          passed += members;
          this.#position += 32;
          continue;
        }
      }
      if (set.has(order.at(this.#position))) {
        if (passed === most) break;
        passed += 1;
      }
      this.#position += 1;
    }
    return passed;
  }
}
