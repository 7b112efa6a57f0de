import type { Sort } from '../../../../models/catalog/catalog-query';
import { compareKeys, type OrderKey } from '../order-key';
import { Bitset } from './bitset';
import { categoryTerm } from './chunk-bitmaps';
import { byField } from './facet-codes';

/** Changes of one product, by the last of their lines. */
export interface Change {
  readonly id: string;
  readonly line: number;
}

/** A product after a change. */
export interface ChangedProduct extends Change {
  /** Its ordinal in the snapshot; null if it was not there. */
  readonly ordinal: number | null;
  /** Null if it is gone. */
  readonly row: ChangedRow | null;
}

/** A product with its facets and words. */
export interface ChangedRow extends OrderKey {
  readonly category: string;
  readonly terms: readonly string[];
}

const NONE: readonly number[] = [];

/**
 * The products that have changed since a snapshot was made, as a part of its set algebra: each, after each change, has
 * an ordinal of its own beyond those of the snapshot. It only ever grows, so queries that see different states of the
 * catalog share it: which ordinals live for a query, `livingAfter` tells.
 */
export class ChangedProducts {
  readonly #rows: ChangedRow[] = [];
  readonly #facets: ReadonlyMap<string, readonly string[]>[] = [];
  readonly #lines = new Set<number>();
  /** All ordinals that a product ever had, and the one after each change. */
  readonly #ordinalsById = new Map<string, number[]>();
  readonly #ordinalAt = new Map<number, number>();
  readonly #ordinalsByTerm = new Map<string, number[]>();
  readonly #orders = new Map<Sort, number[]>();

  /** @param products of the snapshot */
  constructor(readonly products: number) {}

  /** Ordinals, those of the snapshot among them. */
  get size(): number {
    return this.products + this.#rows.length;
  }

  has({ line }: Change): boolean {
    return this.#lines.has(line);
  }

  add({ id, line, ordinal, row }: ChangedProduct): void {
    if (this.#lines.has(line)) return;
    this.#lines.add(line);
    const ordinals = this.#ordinalsById.get(id) ?? (ordinal === null ? [] : [ordinal]);
    this.#ordinalsById.set(id, ordinals);
    if (!row) return;
    const own = this.size;
    this.#rows.push(row);
    this.#facets.push(byField(row.terms));
    ordinals.push(own);
    this.#ordinalAt.set(line, own);
    for (const term of [...row.terms, categoryTerm(row.category)]) {
      const carriers = this.#ordinalsByTerm.get(term);
      if (carriers) carriers.push(own);
      else this.#ordinalsByTerm.set(term, [own]);
    }
  }

  /** The ordinals that live after further changes, all of which were added. */
  livingAfter(living: Bitset, changes: readonly Change[]): Bitset {
    const after = living.copy(this.size);
    for (const { id, line } of changes) {
      for (const ordinal of this.#ordinalsById.get(id) ?? NONE) after.remove(ordinal);
      const ordinal = this.#ordinalAt.get(line);
      if (ordinal !== undefined) after.add(ordinal);
    }
    return after;
  }

  carrying(term: string): readonly number[] {
    return this.#ordinalsByTerm.get(term) ?? NONE;
  }

  /** Those of longer words that begin so. */
  *carryingLonger(beginning: string): Generator<number> {
    for (const [term, ordinals] of this.#ordinalsByTerm) {
      if (term.length > beginning.length && term.startsWith(beginning) && !term.includes(':'))
        yield* ordinals;
    }
  }

  /** The values of a facet field that members of a set have, each as often as it comes. */
  *facetIds(field: string, set: Bitset): Generator<string> {
    for (let ordinal = this.products; ordinal < set.size; ordinal++) {
      if (set.has(ordinal)) yield* this.#facets[ordinal - this.products]?.get(field) ?? [];
    }
  }

  /** Of an ordinal beyond those of the snapshot. */
  rowAt(ordinal: number): ChangedRow | undefined {
    return this.#rows[ordinal - this.products];
  }

  /** The members of a set in an order; of ordinals beyond those of the snapshot. */
  membersInOrder(set: Bitset, sort: Sort): number[] {
    return this.#inOrder(sort).filter((ordinal) => ordinal < set.size && set.has(ordinal));
  }

  /** All ordinals in an order; what came since it was asked for last is sorted into it. */
  #inOrder(sort: Sort): readonly number[] {
    const order = this.#orders.get(sort) ?? [];
    this.#orders.set(sort, order);
    if (order.length === this.#rows.length) return order;
    for (let at = order.length; at < this.#rows.length; at++) order.push(this.products + at);
    const compare = compareKeys[sort];
    return order.sort((left, right) => {
      const [first, second] = [this.rowAt(left), this.rowAt(right)];
      return first && second ? compare(first, second) : 0;
    });
  }
}
