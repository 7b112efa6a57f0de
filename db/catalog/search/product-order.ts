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

/** Whether a row comes before another (negative) or after it, as `IN_ORDER` says it to the database. */
const COMPARE: Readonly<Record<Sort, (left: OrderKey, right: OrderKey) => number>> = {
  popularity_desc: (left, right) => right.popularity - left.popularity || byId(left, right),
  popularity_asc: (left, right) => left.popularity - right.popularity || byId(left, right),
  name_asc: (left, right) => byName(left, right) || byId(left, right),
  name_desc: (left, right) => byName(right, left) || byId(left, right),
};

/** Up to this many changes it is faster to insert each than to sort all. */
const PLACED_ONE_BY_ONE_MAX = 100;

/** Products of a snapshot in the order of a listing. The place of a changed one is the position of the first that comes after it. */
export class ProductOrder {
  readonly #compare: (left: OrderKey, right: OrderKey) => number;
  /** By ordinal beyond those of the snapshot. */
  readonly #places: number[] = [];
  readonly #changed: number[] = [];

  /** @param ordinals all of the snapshot in their order; null for their own @param keyOf the key of any, also beyond the snapshot */
  constructor(
    sort: Sort,
    private readonly changes: ChangedProducts,
    private readonly ordinals: Uint32Array | null,
    readonly keyOf: (ordinal: number) => OrderKey,
  ) {
    this.#compare = COMPARE[sort];
  }

  /** Up to `limit` members of a set, after skipping a number of them or all up to a row. */
  members(set: Bitset, after: number | OrderKey, limit: number): number[] {
    this.#placeChanges();
    const { ordinals } = this;
    const taken: number[] = [];
    let left = typeof after === 'number' ? after : 0;
    let position = typeof after === 'number' ? 0 : this.#positionAfter(after);
    let next = typeof after === 'number' ? 0 : this.#changesUpTo(after);
    const pass = (ordinal: number) => {
      if (left > 0) left -= 1;
      else taken.push(ordinal);
    };
    while (taken.length < limit) {
      while (next < this.#changed.length && !set.has(this.#changed[next] ?? 0)) next += 1;
      const change = this.#changed[next++];
      const end = change === undefined ? this.changes.products : this.#placeOf(change);
      for (; position < end && taken.length < limit; position++) {
        // By popularity, 32 at once where all of them are skipped.
        const isWord = !ordinals && position % 32 === 0 && position + 32 <= end;
        const members = isWord ? set.countFrom(position) : Number.POSITIVE_INFINITY;
        if (members <= left) {
          left -= members;
          position += 31;
          continue;
        }
        const ordinal = ordinals ? (ordinals[position] ?? 0) : position;
        if (set.has(ordinal)) pass(ordinal);
      }
      if (change === undefined) break;
      if (taken.length < limit) pass(change);
    }
    return taken;
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

  #positionAfter(row: OrderKey): number {
    const { ordinals } = this;
    return firstFrom(
      this.changes.products,
      (position) => this.#compare(this.keyOf(ordinals ? (ordinals[position] ?? 0) : position), row) > 0,
    );
  }

  #changesUpTo(row: OrderKey): number {
    return firstFrom(
      this.#changed.length,
      (at) => this.#compare(this.keyOf(this.#changed[at] ?? 0), row) > 0,
    );
  }

  #placeOf(ordinal: number): number {
    return this.#places[ordinal - this.changes.products] ?? 0;
  }
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
