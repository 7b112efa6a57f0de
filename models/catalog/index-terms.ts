import { foldText, WORDS, wordsOf } from './fold-text';

/** Every letter of a word is a single code point, unless the word contains one of these. */
const JOINING = /[\p{M}\u0e33\u0eb3\u1100-\u11ff\ua960-\ua97f\ud7b0-\ud7ff]/u;
export const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' });

/** Characters of scripts that are written without spaces: Han, kana and Thai (contract 5.7). */
const UNSPACED =
  '[\\p{Script_Extensions=Han}\\p{Script_Extensions=Hira}\\p{Script_Extensions=Kana}\\p{Script_Extensions=Thai}]+';
const UNSPACED_RUNS = new RegExp(UNSPACED, 'gu');
const UNSPACED_WORD = new RegExp(`^${UNSPACED}$`, 'u');

/** Prefix of the terms for parts of words. No word contains it. */
const PART = '~';
/** Minimum letters of such a run in a query for matches in the middle of a word. */
const PART_MIN = 2;
const PART_MAX = 32;

/** The letters of a word as a reader sees them (grapheme clusters), each with its marks. */
export function lettersOf(word: string): string[] {
  return JOINING.test(word)
    ? Array.from(graphemes.segment(word), ({ segment }) => segment)
    : Array.from(word);
}

/**
 * The terms that find a row with this text (contract 5.2): its words, its references, and for runs of scripts without spaces the rest of
 * the run from each letter on (`~易威登`, `~威登` for `路易威登`), so that each part of it is the beginning of a term.
 */
export function indexTermsOf(text: string): string[] {
  const terms = wordsOf(text);
  if (DIGIT.test(text)) terms.push(...referencesIn(foldText(text)));
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

/** Words of a phrase of a synonym (contract 13.14): a query is searched for every run of up to this many words. */
export const PHRASE_WORDS_MAX = 5;

/** Prefix of the terms for references. No word contains it. */
const REFERENCE = '#';
const DIGIT = /\p{Nd}/u;
/** Between two words of a reference, and between two references that may be one. */
const TIGHT = /^[\p{Pd}./]$/u;
const LOOSE = /^\s+$/u;
/** Most words of a reference, and most letters of its term. */
const REFERENCE_WORDS_MAX = 8;
const REFERENCE_LETTERS_MAX = 40;
/** A word that is part of a reference regardless of the separator to the other parts: it has a digit, or few letters. */
const CODE = /\p{Nd}|^.{1,3}$/u;
/** Digits that form a reference by themselves, in the middle or at the end of a word. */
const NUMBER = /(?<=[^\d])\d{5,}/g;

/** The term of rows that contain these words with a digit joined, apart or with other separators. */
export const referenceOf = (words: readonly string[]): string => REFERENCE + words.join('');
export const isReference = (term: string): boolean => term.startsWith(REFERENCE);

/** The long numbers in a word after letters, with what follows: `126610ln` of `m126610ln`. */
export const numbersIn = (word: string): string[] =>
  Array.from(word.matchAll(NUMBER), ({ index }) => word.slice(index));

/**
 * The terms for references in a folded text (contract 5.16): of words with a digit among them that hyphens, dots or slashes
 * separate (`11-03`) all runs (`#1103`), for two such words separated by a space, both together (`#rm1103`), and numbers
 * that follow letters (`#535653` for `lou535653`).
 */
function referencesIn(folded: string): string[] {
  const tokens: { readonly words: string[]; readonly isLoose: boolean }[] = [];
  const [references, numbers]: [string[], string[]] = [[], []];
  let end = 0;
  for (const { 0: word, index } of folded.matchAll(WORDS)) {
    const between = folded.slice(end, index);
    const token = TIGHT.test(between) && tokens.at(-1);
    if (token) token.words.push(word);
    else tokens.push({ words: [word], isLoose: LOOSE.test(between) });
    for (const number of numbersIn(word)) numbers.push(referenceOf([number]));
    end = index + word.length;
  }
  tokens.forEach(({ words, isLoose }, position) => {
    for (let from = 0; from < words.length; from++) {
      for (let to = from + 2; to <= Math.min(words.length, from + REFERENCE_WORDS_MAX); to++)
        references.push(referenceOf(words.slice(from, to)));
    }
    const before = tokens[position - 1]?.words ?? [];
    if (!isLoose || position === 0 || ![...before, ...words].every((word) => CODE.test(word))) return;
    references.push(
      referenceOf([...before, ...words]),
      referenceOf([...before.slice(-1), ...words.slice(0, 1)]),
    );
  });
  return [...references, ...numbers].filter(
    (term) => term.length <= REFERENCE_LETTERS_MAX && DIGIT.test(term),
  );
}

/** Whether a text has all of the folded words, the last also as a prefix (contract 4.16); false without words. */
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
 * The term of rows with an attribute or a tag: `<field>:<id>`, `tags:<tag id>`. No field contains a colon and no id is
 * empty (contract 4.6); with such input the term would be that of another facet, or of no facet.
 */
export const facetOf = (field: string, id: string): string =>
  field.includes(':') || id === '' ? NO_FACET : `${field}:${id}`;

/** The prefix of terms that contain this query word anywhere; null for scripts with spaces and single letters. */
export function partBeginning(word: string): string | null {
  if (!UNSPACED_WORD.test(word)) return null;
  const letters = lettersOf(word);
  return letters.length < PART_MIN ? null : PART + letters.slice(0, PART_MAX).join('');
}
