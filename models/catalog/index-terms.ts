import { foldText, WORDS, wordsOf } from './fold-text';

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
 * What a row with this text is found by: its words, its references, and for runs of scripts without spaces what is left of
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

/** Begins the terms for references. No word holds it. */
const REFERENCE = '#';
const DIGIT = /\p{Nd}/u;
/** Between two words of a reference, and between two references that may be one. */
const TIGHT = /^[\p{Pd}./]$/u;
const LOOSE = /^\s+$/u;
/** Words of a reference, and letters of its term, at most. */
const REFERENCE_WORDS_MAX = 8;
const REFERENCE_LETTERS_MAX = 40;
/** A word that is a part of a reference whatever separates it from the other parts: it has a digit, or few letters. */
const CODE = /\p{Nd}|^.{1,3}$/u;
/** Digits that are a reference by themselves, in the middle or at the end of a word. */
const NUMBER = /(?<=[^\d])\d{5,}/g;

/** The term of rows in which these words with a digit are written together, apart or with other signs between. */
export const referenceOf = (words: readonly string[]): string => REFERENCE + words.join('');

/** Whether a term is one for references. */
export const isReference = (term: string): boolean => term.startsWith(REFERENCE);

/** The long numbers in a word that have letters before them, with what follows: `126610ln` of `m126610ln`. */
export const numbersIn = (word: string): string[] =>
  Array.from(word.matchAll(NUMBER), ({ index }) => word.slice(index));

/**
 * The terms for references in a folded text (contract 5.16): of words with a digit among them that hyphens, dots or slashes
 * separate (`11-03`) all runs (`#1103`), of two such that a space separates both (`#rm1103`), and numbers that follow letters
 * (`#535653` for `lou535653`).
 */
function referencesIn(folded: string): string[] {
  const found = new Set<string[]>();
  let [token, before, end]: [string[], string[], number] = [[], [], 0];
  const isCode = (words: readonly string[]) => words.length > 0 && words.every((word) => CODE.test(word));
  const close = () => {
    for (let from = 0; from < token.length; from++) {
      for (let to = from + 2; to <= Math.min(token.length, from + REFERENCE_WORDS_MAX); to++)
        found.add(token.slice(from, to));
    }
    if (!isCode(before) || !isCode(token)) return;
    found.add([...before, ...token]).add([...before.slice(-1), ...token.slice(0, 1)]);
  };
  for (const { 0: word, index } of folded.matchAll(WORDS)) {
    const between = folded.slice(end, index);
    if (!TIGHT.test(between)) {
      close();
      before = LOOSE.test(between) ? token : [];
      token = [];
    }
    token.push(word);
    end = index + word.length;
  }
  close();
  const numbers = (folded.match(WORDS) ?? []).flatMap(numbersIn);
  const references = Array.from(found, referenceOf).filter((reference) => DIGIT.test(reference));
  return [...references, ...numbers.map((number) => referenceOf([number]))].filter(
    ({ length }) => length <= REFERENCE_LETTERS_MAX,
  );
}

/** Whether a text has all of the folded words, the last also as a beginning (contract 4.16). Nothing has no word. */
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
