import type { Sort } from '../../../models/catalog/catalog-query';
import type { Bitset } from './bitset';
import type { OrderKey } from './catalog-clauses';
import type { ChangedProducts } from './changed-products';

/** Characters whose order differs between code points and UTF-16. */
const HIGH = /[\ud800-\uffff]/;

/** Whether a text comes before another (negative) or after it in the order of the database, by code point. */
export function byCodePoint(left: string, right: string): number {
  if (left === right) return 0;
  if (HIGH.test(left) || HIGH.test(right)) return Buffer.compare(Buffer.from(left), Buffer.from(right));
  return left < right ? -1 : 1;
}

const byId = (left: OrderKey, right: OrderKey) => byCodePoint(left.id, right.id);
const byName = (left: OrderKey, right: OrderKey) => byCodePoint(left.sortKey, right.sortKey);

/** Whether a row comes before another (negative) or after it, as `inOrder` says it to the database. */
const COMPARE: Readonly<Record<Sort, (left: OrderKey, right: OrderKey) => number>> = {
  popularity_desc: (left, right) => right.popularity - left.popularity || byId(left, right),
  popularity_asc: (left, right) => left.popularity - right.popularity || byId(left, right),
  name_asc: (left, right) => byName(left, right) || byId(left, right),
  name_desc: (left, right) => byName(right, left) || byId(left, right),
};

/** Up to so many changes it is faster to put each in its place than to sort all. */
const PLACED_ONE_BY_ONE_MAX = 100;

/**
 * The products of a snapshot in one of the orders of a listing, and the changed ones in the same order. A changed product
 * has a place among the others: the position of the first that comes after it.
 */
export class ProductOrder {
  readonly #compare: (left: OrderKey, right: OrderKey) => number;
  /** By ordinal beyond those of the snapshot. */
  readonly #places: number[] = [];
  readonly #changed: number[] = [];

  /**
   * @param ordinals all of the snapshot in their order; null for that of the ordinals themselves
   * @param keyOf the key of an ordinal, of the snapshot or beyond
   */
  constructor(
    sort: Sort,
    private readonly changes: ChangedProducts,
    private readonly ordinals: Uint32Array | null,
    readonly keyOf: (ordinal: number) => OrderKey,
  ) {
    this.#compare = COMPARE[sort];
  }

  /** So many members of a set, after those that are passed over: a number of them, or all up to a row. */
  members(set: Bitset, after: number | OrderKey, limit: number): number[] {
    this.#placeChanges();
    const walk = new Walk(set, this.ordinals, this.changes.products, this.#changed, this.#placeOf);
    if (typeof after === 'number') walk.skip(after);
    else walk.startAt(this.#positionAfter(after), this.#changesUpTo(after));
    return walk.take(limit);
  }

  #placeChanges(): void {
    const { products, size } = this.changes;
    const first = products + this.#places.length;
    const isMany = size - first > PLACED_ONE_BY_ONE_MAX;
    for (let ordinal = first; ordinal < size; ordinal++) {
      const key = this.keyOf(ordinal);
      this.#places.push(this.#positionAfter(key));
      this.#changed.splice(isMany ? this.#changed.length : this.#changesUpTo(key), 0, ordinal);
    }
    if (isMany) this.#changed.sort((left, right) => this.#compare(this.keyOf(left), this.keyOf(right)));
  }

  /** The position of the first product of the snapshot that comes after a row. */
  #positionAfter(row: OrderKey): number {
    const { ordinals } = this;
    return firstFrom(
      this.changes.products,
      (position) => this.#compare(this.keyOf(ordinals ? (ordinals[position] ?? 0) : position), row) > 0,
    );
  }

  /** How many of the changed products in order come no later than a row. */
  #changesUpTo(row: OrderKey): number {
    return firstFrom(
      this.#changed.length,
      (at) => this.#compare(this.keyOf(this.#changed[at] ?? 0), row) > 0,
    );
  }

  readonly #placeOf = (ordinal: number): number => this.#places[ordinal - this.changes.products] ?? 0;
}

/** The first number from 0 on for which something holds, as it does for all above; `end` if there is none. */
function firstFrom(end: number, holds: (number: number) => boolean): number {
  let [from, to] = [0, end];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (holds(middle)) to = middle;
    else from = middle + 1;
  }
  return from;
}

/** Passes the members of a set in order: those of the snapshot, and changed products at their places. */
class Walk {
  #position = 0;
  #nextChange = 0;

  constructor(
    private readonly set: Bitset,
    private readonly ordinals: Uint32Array | null,
    private readonly products: number,
    private readonly changed: readonly number[],
    private readonly placeOf: (ordinal: number) => number,
  ) {}

  startAt(position: number, change: number): void {
    this.#position = position;
    this.#nextChange = change;
  }

  skip(count: number): void {
    let left = count;
    while (left > 0) {
      const change = this.#comingChange();
      left -= this.#pass(change === null ? this.products : this.placeOf(change), left);
      if (left === 0 || change === null) break;
      this.#nextChange += 1;
      left -= 1;
    }
  }

  /** The ordinals of the next members. */
  take(limit: number): number[] {
    const taken: number[] = [];
    while (taken.length < limit) {
      const change = this.#comingChange();
      const end = change === null ? this.products : this.placeOf(change);
      this.#pass(end, 0);
      if (this.#position < end) taken.push(this.#at(this.#position++));
      else if (change === null) break;
      else {
        taken.push(change);
        this.#nextChange += 1;
      }
    }
    return taken;
  }

  #at(position: number): number {
    return this.ordinals ? (this.ordinals[position] ?? 0) : position;
  }

  /** The next member that has changed; null if none follows. */
  #comingChange(): number | null {
    for (; this.#nextChange < this.changed.length; this.#nextChange++) {
      const ordinal = this.changed[this.#nextChange] ?? 0;
      if (this.set.has(ordinal)) return ordinal;
    }
    return null;
  }

  /** Goes on to a position, or before the member of the snapshot after so many. Answers how many it has passed. */
  #pass(end: number, most: number): number {
    let passed = 0;
    while (this.#position < end) {
      if (!this.ordinals && this.#position % 32 === 0 && this.#position + 32 <= end) {
        const members = this.set.countFrom(this.#position);
        if (passed + members <= most) {
          passed += members;
          this.#position += 32;
          continue;
        }
      }
      if (this.set.has(this.#at(this.#position))) {
        if (passed === most) break;
        passed += 1;
      }
      this.#position += 1;
    }
    return passed;
  }
}
