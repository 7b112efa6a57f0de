import { wordsOf } from './fold-text';

/** A word has no letters that are more than a code point, unless one of these is in it. */
const JOINING = /[\p{M}\u0e33\u0eb3\u1100-\u11ff\ua960-\ua97f\ud7b0-\ud7ff]/u;
const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' });

/** Characters of scripts that are written without spaces: Han, kana and Thai. */
const UNSPACED =
  '[\\p{Script_Extensions=Han}\\p{Script_Extensions=Hira}\\p{Script_Extensions=Kana}\\p{Script_Extensions=Thai}]+';
const UNSPACED_RUNS = new RegExp(UNSPACED, 'gu');
const UNSPACED_WORD = new RegExp(`^${UNSPACED}$`, 'u');

/** Begins the terms for parts of words. No word holds it. */
const PART = '~';
/** Letters of such a run that a query must have, to be found in the middle of a word. */
const PART_MIN = 2;
/** Letters of a part that are compared. */
const PART_MAX = 32;

/** The letters of a word as a reader sees them (grapheme clusters), each with its marks. */
export function lettersOf(word: string): string[] {
  return JOINING.test(word)
    ? Array.from(graphemes.segment(word), ({ segment }) => segment)
    : Array.from(word);
}

/**
 * What a row with this text is found by: its words, and for runs of scripts without spaces what is left of the run from
 * each letter on (`~易威登`, `~威登` for `路易威登`), so that each part of it is the beginning of a term.
 */
export function indexTermsOf(text: string): string[] {
  const terms = wordsOf(text);
  for (const word of [...terms]) {
    for (const run of word.match(UNSPACED_RUNS) ?? []) {
      const letters = lettersOf(run);
      for (let at = 0; at + PART_MIN <= letters.length; at++) {
        terms.push(PART + letters.slice(at, at + PART_MAX).join(''));
      }
    }
  }
  return terms;
}

/**
 * Whether a text has all of the words, the last perhaps as the beginning of a longer one (contract 4.16). Nothing has no
 * word.
 *
 * @param words folded
 */
export function hasWords(text: string, words: readonly string[]): boolean {
  const terms = indexTermsOf(text);
  const begins = (beginning: string) => terms.some((term) => term.startsWith(beginning));
  const has = (word: string, at: number) => {
    const part = partBeginning(word);
    return (
      terms.includes(word) || (at === words.length - 1 && begins(word)) || (part !== null && begins(part))
    );
  };
  return words.length > 0 && words.every(has);
}

/** A facet that no row has: fields are not empty. */
const NO_FACET = ':';

/**
 * The term of rows with an attribute or a tag: `<field>:<id>`, `tags:<tag id>`. No field holds a colon and no id is
 * empty (contract 4.6); asked for such ones, the text would be that of another facet, or no facet's at all.
 */
export const facetOf = (field: string, id: string): string =>
  field.includes(':') || id === '' ? NO_FACET : `${field}:${id}`;

/** With what the terms begin that hold this word of a query anywhere; null for scripts with spaces and single letters. */
export function partBeginning(word: string): string | null {
  if (!UNSPACED_WORD.test(word)) return null;
  const letters = lettersOf(word);
  return letters.length < PART_MIN ? null : PART + letters.slice(0, PART_MAX).join('');
}
