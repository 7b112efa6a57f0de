/** Words of a phrase (contract 13.14): a query is searched for every run of up to this many words. */
export const PHRASE_WORDS_MAX = 5;

/** Another reading of words in a query (contract 5.9); a phrase is folded words, one space between. */
export interface Synonym {
  /** The phrases to match. */
  readonly phrases: readonly string[];
  /** What each of them may also be read as; a reading equal to the phrase has no effect. */
  readonly readings: readonly string[];
}
