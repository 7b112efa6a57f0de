import type { OrderKey } from '../order-key';
import { Bitset } from './bitset';
import { beginningsOf, categoryTerm, isFacet, rareBeginningTerm } from './chunk-bitmaps';
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
  /** The products of the snapshot that have ever changed. */
  readonly touched: Bitset;
  readonly #rows: ChangedRow[] = [];
  readonly #facets: ReadonlyMap<string, readonly string[]>[] = [];
  readonly #lines = new Set<number>();
  /** All ordinals that a product ever had, and the one after each change. */
  readonly #ordinalsById = new Map<string, number[]>();
  readonly #ordinalAt = new Map<number, number>();
  readonly #ordinalsByTerm = new Map<string, number[]>();

  /** @param products of the snapshot */
  constructor(readonly products: number) {
    this.touched = Bitset.empty(products);
  }

  /** Ordinals, those of the snapshot among them. */
  get size(): number {
    return this.products + this.#rows.length;
  }

  add({ id, line, ordinal, row }: ChangedProduct): void {
    if (this.#lines.has(line)) return;
    this.#lines.add(line);
    if (ordinal !== null) this.touched.add(ordinal);
    const ordinals = this.#ordinalsById.get(id) ?? (ordinal === null ? [] : [ordinal]);
    this.#ordinalsById.set(id, ordinals);
    if (!row) return;
    const own = this.size;
    this.#rows.push(row);
    this.#facets.push(byField(row.terms));
    ordinals.push(own);
    this.#ordinalAt.set(line, own);
    this.#note(categoryTerm(row.category), own);
    for (const term of row.terms) {
      this.#note(term, own);
      if (!isFacet(term))
        for (const beginning of beginningsOf(term)) this.#note(rareBeginningTerm(beginning), own);
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

  /** By rising ordinal; those of rare words that begin so are those of all words that do. */
  carrying(term: string): readonly number[] {
    return this.#ordinalsByTerm.get(term) ?? NONE;
  }

  /** Of an ordinal beyond those of the snapshot. */
  rowAt(ordinal: number): ChangedRow | undefined {
    return this.#rows[ordinal - this.products];
  }

  /** The values of a facet field that such an ordinal has. */
  facetIdsAt(ordinal: number, field: string): readonly string[] {
    return this.#facets[ordinal - this.products]?.get(field) ?? [];
  }

  #note(term: string, ordinal: number): void {
    const carriers = this.#ordinalsByTerm.get(term);
    if (!carriers) this.#ordinalsByTerm.set(term, [ordinal]);
    else if (carriers.at(-1) !== ordinal) carriers.push(ordinal);
  }
}
