/** Orders of a listing (contract 4.11). */
export const SORTS = ['popularity_desc', 'popularity_asc', 'name_asc', 'name_desc'] as const;
export type Sort = (typeof SORTS)[number];

/** How many words of a text a row needs (contract 5.18). */
export const MATCHES = ['any', 'all'] as const;

export const MODULES = ['taxonomy', 'pricing'] as const;
export type Module = (typeof MODULES)[number];

/** The row has at least one of `include`, if any, and none of `exclude` in `field`: attribute ids, or tags (contract 4.4). */
export interface Filter {
  readonly field: string;
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  /** The caller's names for the two lists, for refusals. */
  readonly names?: { readonly include: string; readonly exclude: string };
}

export interface SearchScope {
  /** Slug; null means every category. */
  readonly category: string | null;
  /** ANDed. */
  readonly filters: readonly Filter[];
  readonly except?: string;
  readonly sandbox?: true;
}

/** How many products of each category are in the sandbox, the most popular ones (contract 9.8). */
export const SANDBOX_PRODUCTS = 1_000;

/** Most rows of an answer of suggestions (contract 5.11). */
export const SUGGESTIONS_MAX = 10;

export const NO_FILTER: SearchScope = { category: null, filters: [] };

/** A facet whose values are counted over all rows of a result (contract 4.15). */
export interface FacetQuery {
  /** A facet that no row has is counted as empty. */
  readonly field: string;
  readonly limit: number;
  /** Folded words that the name of a value must have, the last as a prefix (contract 4.16); null for all values. */
  readonly words: readonly string[] | null;
}

export interface FacetValue {
  readonly id: string;
  readonly name: string;
  readonly count: number;
}

/** The position of a row in an answer: the rows after it can be determined even if the row has changed (contract 4.18). */
export interface RowPosition {
  readonly id: string;
  readonly popularity: number;
  /** Of the name. */
  readonly sortKey: string;
  /** In a text, the words matched, those matched exactly, and those matched by prefix; empty in a listing. */
  readonly rank: readonly number[];
}

export interface CatalogQuery {
  /** Free text; blank or null means a listing. */
  readonly text: string | null;
  /** Category slugs or names that scope the query; null means every category. */
  readonly categories: readonly string[] | null;
  readonly node: string;
  /** ANDed. */
  readonly filters: readonly Filter[];
  /** 0-based. */
  readonly page: number;
  readonly pageSize: number;
  readonly sort: Sort;
  /** Each field once. */
  readonly facets?: readonly FacetQuery[];
  /** Default: `any`. */
  readonly match?: (typeof MATCHES)[number];
  /** Replaces `page`: the rows after the position that a previous answer named; empty starts at the first row. */
  readonly cursor?: string;
}

/** A query whose categories are known slugs and whose text is split: the input of a repository. */
export interface ResolvedQuery extends Omit<CatalogQuery, 'categories' | 'text' | 'cursor'> {
  readonly categories: readonly string[] | null;
  /** Folded words of the query in order; null for a listing. An empty array finds nothing. */
  readonly words: readonly string[] | null;
  /** Replaces `page`: the rows after this one; null starts at the first row. */
  readonly after?: RowPosition | null;
  readonly sandbox?: true;
}

export interface SearchPage<Row> {
  readonly rows: readonly Row[];
  readonly total: number;
  /** Words of the query matched by the best row; 0 for a listing. */
  readonly wordsMatched: number;
  /** If any was requested: the values of each, by descending number of rows, then by id. */
  readonly facets?: ReadonlyMap<string, readonly FacetValue[]>;
  /** The last of the rows if others follow, for a query with `after`. */
  readonly last?: RowPosition | null;
}
