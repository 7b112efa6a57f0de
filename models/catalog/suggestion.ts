import type { SearchScope } from './catalog-query';
import type { CatalogItem } from './item';

/** Most rows of one answer (contract 5.11). */
export const SUGGESTIONS_MAX = 10;

/** The content of a search box, once its text is split and its category known. */
export interface SuggestionQuery extends Pick<SearchScope, 'category' | 'sandbox'> {
  /** As typed, with one space between words and none at the ends. */
  readonly text: string;
  /** Its folded words in order; null for a blank text, an empty array finds nothing. */
  readonly words: readonly string[] | null;
  readonly size: number;
}

export type SuggestedRow = Pick<CatalogItem, 'id' | 'kind' | 'name' | 'attributes'>;

/** The start and the end (exclusive) of a part of a name, in UTF-16 code units. */
export type NamePart = readonly [from: number, to: number];

export interface Suggestion extends SuggestedRow {
  /** The parts of its name that match the text, from left to right. */
  readonly matched: readonly NamePart[];
}
