/** Words of a phrase (contract 13.14): a query is looked through for every run of so many. */
export const PHRASE_WORDS_MAX = 5;

/** Another reading of words in a query (contract 5.9); a phrase is folded words, one space between. */
export interface Synonym {
  /** What is read. */
  readonly phrases: readonly string[];
  /** What each of them may also be read as; one that is the phrase itself says nothing. */
  readonly readings: readonly string[];
}
