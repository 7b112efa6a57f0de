import type { Sort } from '../../../../models/catalog/catalog-query';
import type { Bitset } from './bitset';
import { ChangedProducts } from './changed-products';
import type { FacetColumn } from './facet-column';
import type { SnapshotOrder } from './snapshot-order';

/** What is kept of a snapshot between queries. */
export class KnownSnapshot {
  readonly changes: ChangedProducts;
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
