import type { Sort } from '../../../../models/catalog/catalog-query';
import { compareKeys, type OrderKey } from '../order-key';
import type { Bitset } from './bitset';
import type { ChangedProducts } from './changed-products';

/** The key of every so many positions of an order is kept, once it is needed. */
const FENCE_STEP = 64;
/** Keys that are read at once when places are looked for; of many rows one for each, as then fewest are read in all. */
const KEYS_AT_ONCE = 4_096;

/** Up to so many changes it is faster to place each than to sort all. */
const PLACED_ONE_BY_ONE_MAX = 100;

/** Reads where products of the snapshot that have not changed stand in listings, by ordinal. */
type ReadKeys = (ordinals: readonly number[]) => Promise<ReadonlyMap<number, OrderKey>>;

/** A place among the products of a snapshot that have not changed: behind all positions before `from`, before all from `to` on. */
interface Range {
  readonly from: number;
  readonly to: number;
}

/**
 * The products of a snapshot in one of the orders of a listing, and between which of them those come that have changed
 * since: at a place, which is the position of the first unchanged product behind it. A place is looked for once.
 */
export class SnapshotOrder {
  readonly #compare: (left: OrderKey, right: OrderKey) => number;
  readonly #places: number[] = [];
  readonly #changed: number[] = [];
  #fence: readonly { readonly position: number; readonly key: OrderKey }[] | null = null;

  /** @param ordinals all of the snapshot in their order; null for that of the ordinals themselves */
  constructor(
    sort: Sort,
    private readonly changes: ChangedProducts,
    private readonly ordinals: Uint32Array | null,
  ) {
    this.#compare = compareKeys[sort];
  }

  /** Whether positions are ordinals. */
  get isOwn(): boolean {
    return this.ordinals === null;
  }

  /** The ordinals beyond those of the snapshot, in order; those whose places are known. */
  get changed(): readonly number[] {
    return this.#changed;
  }

  /** The ordinal at a position. */
  at(position: number): number {
    return this.ordinals ? (this.ordinals[position] ?? 0) : position;
  }

  /** The place of an ordinal beyond those of the snapshot. */
  placeAt(ordinal: number): number {
    return this.#places[ordinal - this.changes.products] ?? 0;
  }

  /** Finds the places of all changes up to an ordinal. */
  async placeChanges(end: number, readKeys: ReadKeys): Promise<void> {
    const { changes } = this;
    const first = changes.products + this.#places.length;
    const rows: OrderKey[] = [];
    for (let ordinal = first; ordinal < end; ordinal++) rows.push(changes.rowAt(ordinal) ?? NOWHERE);
    if (rows.length === 0) return;
    const places = await this.placesOf(rows, readKeys);
    // Another query may have found some of them meanwhile: the same ones.
    const known = changes.products + this.#places.length - first;
    const isMany = rows.length - known > PLACED_ONE_BY_ONE_MAX;
    for (let at = known; at < rows.length; at++) {
      this.#places.push(places[at] ?? 0);
      this.#changed.splice(
        isMany ? this.#changed.length : this.changesUpTo(rows[at] ?? NOWHERE),
        0,
        first + at,
      );
    }
    if (isMany) this.#changed.sort((left, right) => this.#compare(this.#rowAt(left), this.#rowAt(right)));
  }

  /** How many of the changes in order come no later than a row. */
  changesUpTo(row: OrderKey): number {
    return firstFrom(this.#changed.length, (at) => {
      const ordinal = this.#changed[at] ?? 0;
      return this.#compare(this.#rowAt(ordinal), row) > 0;
    });
  }

  #rowAt(ordinal: number): OrderKey {
    return this.changes.rowAt(ordinal) ?? NOWHERE;
  }

  /** The places of rows. */
  async placesOf(rows: readonly OrderKey[], readKeys: ReadKeys): Promise<number[]> {
    const fence = await this.#fenceBy(readKeys);
    let ranges = rows.map((row): Range => {
      const behind = firstFrom(fence.length, (at) => this.#compare(fence[at]?.key ?? NOWHERE, row) > 0);
      const before = fence[behind - 1]?.position ?? -1;
      return { from: before + 1, to: fence[behind]?.position ?? this.changes.products };
    });
    const probesMax = Math.max(1, Math.floor(KEYS_AT_ONCE / rows.length));
    for (;;) {
      const probes = ranges.map((range) => this.#probesIn(range, probesMax));
      const ordinals = new Set(probes.flatMap((positions) => positions.map((position) => this.at(position))));
      if (ordinals.size === 0) return ranges.map(({ from }) => from);
      const keys = await readKeys([...ordinals]);
      ranges = ranges.map(({ from, to }, at) => {
        const [row, positions] = [rows[at] ?? NOWHERE, probes[at] ?? []];
        const behind = positions.findIndex(
          (position) => this.#compare(keys.get(this.at(position)) ?? NOWHERE, row) > 0,
        );
        const before = (behind === -1 ? positions.length : behind) - 1;
        return { from: (positions[before] ?? from - 1) + 1, to: positions[behind] ?? to };
      });
    }
  }

  /** Up to so many positions of unchanged products in a range, evenly spread. */
  #probesIn({ from, to }: Range, most: number): number[] {
    const unchanged: number[] = [];
    for (let position = from; position < to; position++) {
      if (!this.changes.touched.has(this.at(position))) unchanged.push(position);
    }
    const count = Math.min(most, unchanged.length);
    return Array.from(
      { length: count },
      (_, at) => unchanged[Math.floor(((at + 1) * unchanged.length) / (count + 1))] ?? from,
    );
  }

  async #fenceBy(readKeys: ReadKeys) {
    if (this.#fence) return this.#fence;
    const positions: number[] = [];
    for (let position = FENCE_STEP - 1; position < this.changes.products; position += FENCE_STEP) {
      if (!this.changes.touched.has(this.at(position))) positions.push(position);
    }
    const keys = await readKeys(positions.map((position) => this.at(position)));
    const fence = positions.flatMap((position) => {
      const key = keys.get(this.at(position));
      return key ? [{ position, key }] : [];
    });
    this.#fence = fence;
    return fence;
  }
}

/** Stands for a row that can't be missing. */
const NOWHERE: OrderKey = { id: '', popularity: 0, sortKey: '' };

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
