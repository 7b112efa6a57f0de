import type { SynonymRecord } from '../../../models/catalog/import/records';
import * as terms from '../../../models/catalog/index-terms';
import { type Sql, sql } from '../../core/sql';

/** Words of a query that may be one word of a row; more where a digit is among them. */
const JOINED_MAX = 3;
const REFERENCE_MAX = 6;
/** Letters of a word that may be two words of a row, or three, and of each part. */
const SPLIT_MIN = 5;
const THIRDS_MIN = 7;
const SPLIT_MAX = 30;
const PART_MIN = 2;
/** Digits that are also the beginning of a reference. */
const NUMBER = /^\d{5,}$/;
/** Shortest last word, one letter of it a digit, that may be the prefix of a reference. */
const BEGUN_MIN = 4;
const DIGIT = /\p{Nd}/u;
const CHANGES_SORT = /(?<=\p{Nd})(?=\p{L})|(?<=\p{L})(?=\p{Nd})/u;

/** Another way to write neighbouring words of a query, which matches each of them as `near` does. */
interface WordForm {
  readonly words: readonly string[];
  readonly reading: Reading;
}

/** The ways in which rows may have the words of a query: joined, split and as references (contract 5.16, 5.17). */
export function formsOf(words: readonly string[]): WordForm[] {
  return [...joinedForms(words), ...[...new Set(words)].flatMap(singleForms)];
}

function joinedForms(words: readonly string[]): WordForm[] {
  return runsOf(words, REFERENCE_MAX).flatMap((run) => {
    const joined = run.join('');
    const hasDigit = DIGIT.test(joined);
    if (!hasDigit && run.length > JOINED_MAX) return [];
    return [
      ...(run.length > 1 ? [{ words: run, reading: [joined] }] : []),
      ...(hasDigit ? [{ words: run, reading: [terms.referenceOf(run)] }] : []),
    ];
  });
}

const runsOf = (words: readonly string[], most: number): (readonly string[])[] =>
  words.flatMap((_, from) =>
    words.slice(from, from + most).map((__, more) => words.slice(from, from + more + 1)),
  );

function singleForms(word: string): WordForm[] {
  const numbers = terms
    .numbersIn(word)
    .flatMap((number) => [[number], ...(NUMBER.test(number) ? [] : [[terms.referenceOf([number])]])]);
  return [...splits(word), ...numbers].map((reading) => ({ words: [word], reading }));
}

/** Two or three words that are the word together; one with digits is split in two, between digits and letters. */
function splits(word: string): Reading[] {
  if (terms.partBeginning(word) !== null) return [];
  if (DIGIT.test(word)) {
    const parts = word.split(CHANGES_SORT);
    return parts.slice(1).map((_, at) => [parts.slice(0, at + 1).join(''), parts.slice(at + 1).join('')]);
  }
  const letters = terms.lettersOf(word);
  if (letters.length < SPLIT_MIN || letters.length > SPLIT_MAX) return [];
  const halves = inTwo(letters);
  if (letters.length < THIRDS_MIN) return halves.map(textsOf);
  return [
    ...halves,
    ...halves.flatMap(([first, second]) => inTwo(second).map((rest) => [first, ...rest])),
  ].map(textsOf);
}

const inTwo = (letters: readonly string[]): [string[], string[]][] =>
  letters
    .slice(PART_MIN, letters.length - PART_MIN + 1)
    .map((_, at) => [letters.slice(0, at + PART_MIN), letters.slice(at + PART_MIN)]);

const textsOf = (parts: readonly (readonly string[])[]): Reading => parts.map((letters) => letters.join(''));

/** The beginnings of terms that match the word nearly: the word if it is the last, its parts, and references (contract 5.16). */
export function beginningsOf(word: string, isLast: boolean): string[] {
  const part = terms.partBeginning(word);
  if (part !== null) return [part];
  const isNumber = NUMBER.test(word);
  const isReference = isNumber || (isLast && DIGIT.test(word) && word.length >= BEGUN_MIN);
  return [...(isLast || isNumber ? [word] : []), ...(isReference ? [terms.referenceOf([word])] : [])];
}

/** The digits that a word begins with and that are a reference by themselves; null if it has none, or nothing else. */
export const numberAlone = (word: string): string | null => /(?<!\d)\d{5,}(?=\D)/.exec(word)?.[0] ?? null;

/** Records that are considered for one query. */
const SYNONYMS_MAX = 200;
/** Words in all readings of a query together. */
const WORDS_MAX = 200;

export type Synonym = Pick<SynonymRecord, 'phrases' | 'readings'>;

/** Words that together stand for a word of a query. */
export type Reading = readonly string[];

/** A subquery for the synonyms of phrases in a query; the work is bounded however many there are. */
export const synonymsOf = (words: readonly string[]): Sql =>
  sql`SELECT json_agg(found) FROM (
      SELECT phrases, readings FROM synonyms WHERE phrases && ${[...phrasesIn(words).keys()]}::text[]
      ORDER BY id LIMIT ${SYNONYMS_MAX}) AS found`;

/** What the words of a query, in order, may also be read as (contract 5.9, 5.10); a phrase's reading is one of each of its words. */
export function readingsOf(
  words: readonly string[],
  synonyms: readonly Synonym[],
): ReadonlyMap<string, readonly Reading[]> {
  const phrases = phrasesIn(words);
  const wordsMax = Math.max(terms.PHRASE_WORDS_MAX, Math.floor(WORDS_MAX / Math.max(1, new Set(words).size)));
  const found = new Map<string, Set<string>>();
  for (const synonym of synonyms) {
    for (const phrase of synonym.phrases.filter((each) => phrases.has(each))) {
      const readings = synonym.readings.filter((reading) => reading !== phrase);
      for (const word of phrases.get(phrase) ?? []) {
        found.set(word, new Set([...(found.get(word) ?? []), ...readings]));
      }
    }
  }
  return new Map([...found].map(([word, readings]) => [word, firstOf(readings, wordsMax)]));
}

const phrasesIn = (words: readonly string[]): ReadonlyMap<string, readonly string[]> =>
  new Map(runsOf(words, terms.PHRASE_WORDS_MAX).map((run) => [run.join(' '), run]));

function firstOf(readings: Iterable<string>, wordsMax: number): Reading[] {
  const first: Reading[] = [];
  let left = wordsMax;
  for (const reading of readings) {
    const words = reading.split(' ');
    left -= words.length;
    if (left < 0) break;
    first.push(words);
  }
  return first;
}
