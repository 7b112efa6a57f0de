import type { RowPosition } from '../../../models/catalog/catalog-query';
import type { FoundRows } from '../../../models/ports';

/** A part of an ordered answer. */
export interface Window {
  readonly offset: number;
  readonly limit: number;
  /** It begins behind this row; then there is no offset. */
  readonly after?: RowPosition | null;
}

/** Numbers of rows by facet field and id. */
export type FacetCounts = ReadonlyMap<string, ReadonlyMap<string, number>>;

/** A page and the totals of its whole answer. */
export interface FoundPage {
  /** Ids, or ordinals of the snapshot that answers. */
  readonly rows: FoundRows['rows'];
  readonly total: number;
  /** Words of the query matched by the best row of all; 0 in a listing. */
  readonly wordsMatched: number;
  /** How many rows of the whole answer have each value of the fields that were asked for. */
  readonly facets: FacetCounts;
}
