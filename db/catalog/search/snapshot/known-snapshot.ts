import { LRUCache } from 'lru-cache';
import type { Sort } from '../../../../models/catalog/catalog-query';
import type { CatalogState } from '../../../../models/ports';
import { Bitset } from './bitset';
import { ChangedProducts } from './changed-products';
import { CHUNK } from './chunk-bitmaps';
import type { FacetColumn } from './facet-column';
import { CHANGES_MAX, type OpenSnapshot } from './opening';
import type { SnapshotOrder } from './snapshot-order';

/** Bitmaps of a million products are 125,000 bytes each. */
const BITMAP_BYTES_MAX = 64 * 1024 * 1024;
/** `bit_send` puts the length before the bits. */
const LENGTH_BYTES = 4;

/** What is kept of a snapshot between queries. */
export class KnownSnapshot {
  readonly changes: ChangedProducts;
  /** The bitmaps of terms that were asked for, by name. */
  readonly #bitmaps = new LRUCache<string, Bitset>({
    maxSize: BITMAP_BYTES_MAX,
    sizeCalculation: ({ size }) => Math.ceil(size / 8) + 1,
  });
  /** The orders that were asked for. */
  readonly orders = new Map<Sort, SnapshotOrder>();
  /** The facet fields that were counted, by name. */
  readonly facets = new Map<string, FacetColumn>();
  /** What a query saw last. */
  seen: SeenState | null = null;
  /** Whether more has changed than it can answer with. */
  isOutgrown = false;

  constructor(
    readonly number: number,
    readonly products: number,
  ) {
    this.changes = new ChangedProducts(products);
  }

  /** The bitmaps that are kept of terms, by name. */
  bitmapsOf(terms: readonly { readonly name: string }[]): Map<string, Bitset> {
    const kept = terms.flatMap(({ name }): [string, Bitset][] => {
      const bitmap = this.#bitmaps.get(name);
      return bitmap ? [[name, bitmap]] : [];
    });
    return new Map(kept);
  }

  /** Puts the bitmaps of terms that a query has read beside those that were kept, and keeps them too. */
  read(
    bitmaps: Map<string, Bitset>,
    terms: readonly { readonly name: string }[],
    bits: OpenSnapshot['bits'],
  ): void {
    for (const { name, chunk, bytes } of bits) {
      const bitmap = bitmaps.get(name) ?? Bitset.empty(this.products);
      bitmap.addBytes(chunk * CHUNK, bytes.subarray(LENGTH_BYTES));
      bitmaps.set(name, bitmap);
    }
    for (const { name } of terms) {
      const bitmap = bitmaps.get(name);
      if (bitmap) this.#bitmaps.set(name, bitmap);
    }
  }

  /**
   * The ordinals that live in a state; null if too much has changed for an answer.
   *
   * @param opening whose changes add to those of the state before, if it `continues`
   * @param before the state that its statement was told of
   */
  see(
    { transactions }: CatalogState,
    { changes, continues }: OpenSnapshot,
    before: SeenState | null,
  ): Bitset | null {
    if (changes === null || this.changes.size > this.products + CHANGES_MAX) {
      this.isOutgrown = true;
      return null;
    }
    for (const change of changes) this.changes.add(change);
    const lived = (continues && before?.living) || Bitset.full(this.products);
    const living = changes.length === 0 ? lived : this.changes.livingAfter(lived, changes);
    this.seen = { transactions, living };
    return living;
  }
}

/** A state of the database, in which some ordinals of a snapshot and its changes live. */
export interface SeenState {
  /** A `pg_snapshot`: which transactions it has. */
  readonly transactions: string;
  readonly living: Bitset;
}
