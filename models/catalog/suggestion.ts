import type { SearchScope } from './catalog-query';
import type { CatalogItem } from './item';

/** Rows of one answer at most (contract 5.11). */
export const SUGGESTIONS_MAX = 10;

/** What stands in a search box, once its text is split and its category known. */
export interface SuggestionQuery extends Pick<SearchScope, 'category' | 'sandbox'> {
  /** As it was typed, one space between words and none at the ends. */
  readonly text: string;
  /** Its folded words in order; null for a blank text, an empty array finds nothing. */
  readonly words: readonly string[] | null;
  readonly size: number;
}

/** What a suggestion tells of a row. */
export type SuggestedRow = Pick<CatalogItem, 'id' | 'kind' | 'name' | 'attributes'>;

/** Where a part of a name begins and where it has ended, in UTF-16 code units. */
export type NamePart = readonly [from: number, to: number];

/** A row that completes a text. */
export interface Suggestion extends SuggestedRow {
  /** The parts of its name that the text names, from left to right. */
  readonly matched: readonly NamePart[];
}
