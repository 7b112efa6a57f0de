import type { Sort } from '../../../../models/catalog/catalog-query';
import type { Bitset } from './bitset';
import { ChangedProducts } from './changed-products';
import type { FacetColumn } from './facet-column';

/** What is kept of a snapshot between queries. */
export class KnownSnapshot {
  readonly changes: ChangedProducts;
  /** All ordinals in the orders that were asked for, four bytes each. */
  readonly orders = new Map<Sort, Uint32Array>();
  /** The facet fields that were counted, by name, four bytes a product each. */
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
