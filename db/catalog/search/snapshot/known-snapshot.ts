import { LRUCache } from 'lru-cache';
import type { Sort } from '../../../../models/catalog/catalog-query';
import type { Bitset } from './bitset';
import { ChangedProducts } from './changed-products';
import type { FacetColumn } from './facet-column';
import type { SnapshotOrder } from './snapshot-order';

/** Bitmaps of a million products are 125,000 bytes each. */
const BITMAP_BYTES_MAX = 64 * 1024 * 1024;

/** What is kept of a snapshot between queries. */
export class KnownSnapshot {
  readonly changes: ChangedProducts;
  /** The bitmaps of terms that were asked for, by name. */
  readonly bitmaps = new LRUCache<string, Bitset>({
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
}

/** A state of the database, in which some ordinals of a snapshot and its changes live. */
export interface SeenState {
  /** A `pg_snapshot`: which transactions it has. */
  readonly transactions: string;
  readonly living: Bitset;
}
