import type { Knex } from 'knex';
import type { CatalogState } from '../../../models/ports';
import { constant, lines, prepared, rowsOf, type Sql, sql } from '../../core/sql';
import { STATE } from './catalog-state';
import { candidatesOf, type NearWord, nearWords, type WordsByWord } from './misspellings';
import type { Frequencies } from './snapshot-chunks';
import * as wordForms from './word-forms';

export interface TermExpansion {
  readonly word: string;
  /** Readings equal to the word: itself, if any row may have it, and synonyms. */
  readonly exact: readonly wordForms.Reading[];
  /** Less exact readings: joined and split words, references, and longer words where the word may be a prefix. */
  readonly near: readonly wordForms.Reading[];
  /** Beginnings of more words than are listed; each of these words matches as `near` does. */
  readonly beginnings: readonly string[];
  /** Words that it may be a misspelling of, and the number alone of a reference. */
  readonly misspelt: readonly string[];
}

/** Up to this many longer words are listed; if there are more, their common prefix is. */
export const LONGER_MAX = 40;
/** Joined and split words and references of one word. */
export const FORMS_MAX = 40;
/** Misspelt words of one word. */
export const MISSPELT_MAX = 40;
/** Words listed for a query in each of the three, shared by its words. */
const LISTED_MAX = 200;

export interface VocabularyStatistics {
  /** Of the words of products. */
  readonly frequencies: Frequencies;
  readonly commonDeletions: ReadonlySet<string>;
}

/**
 * Looks up words, each once, in bounded work (contract 5.8). Also returns the state that was read, or null.
 * @param isTyped as if no word were misspelt: misspellings are most of the work
 */
export async function expandTerms(
  knex: Knex,
  words: readonly string[],
  { frequencies, commonDeletions }: VocabularyStatistics,
  isTyped: boolean,
): Promise<{ readonly expansions: readonly TermExpansion[]; readonly state: CatalogState | null }> {
  const asked = candidatesOf(isTyped ? [] : words, commonDeletions);
  const { typed, candidates, state } = await lookUp(knex, words, asked);
  const max = Math.min(MISSPELT_MAX, Math.max(1, Math.floor(LISTED_MAX / typed.length)));
  const near = nearWords(candidates);
  const expansions = typed.map((each) => {
    const best = mostLikely(near.get(each.word) ?? [], frequencies).slice(0, max);
    return { ...each, misspelt: isTyped ? [] : [...new Set([...each.misspelt, ...best])] };
  });
  return { expansions, state };
}

/** The nearest first, and the most frequent of these. */
function mostLikely(near: readonly NearWord[], frequencies: Frequencies): string[] {
  const frequencyOf = ({ word }: NearWord) => frequencies.get(word) ?? 0;
  return near
    .toSorted((left, right) => left.edits - right.edits || frequencyOf(right) - frequencyOf(left))
    .map(({ word }) => word);
}

/** The words as they are typed and, in the same statement, what they may be misspellings of. */
async function lookUp(
  knex: Knex,
  words: readonly string[],
  candidates: Sql,
): Promise<{ typed: TermExpansion[]; candidates: WordsByWord; state: CatalogState | null }> {
  if (words.length === 0) return { typed: [], candidates: {}, state: null };
  const distinct = [...new Set(words)];
  const begun = new Map(distinct.map((word) => [word, wordForms.beginningsOf(word, word === words.at(-1))]));
  const beginnings = [...new Set([...begun.values()].flat())];
  const forms = wordForms.formsOf(words);
  const numbers = distinct.flatMap((word) => wordForms.numberAlone(word) ?? []);
  const asked = [...new Set([...distinct, ...forms.flatMap(({ reading }) => reading), ...numbers])];
  const [found] = await rowsOf<{
    longer: WordsByWord | null;
    synonyms: wordForms.Synonym[] | null;
    known: string[] | null;
    candidates: WordsByWord | null;
    state: CatalogState;
  }>(
    knex,
    prepared(sql`SELECT (${longerOf(beginnings)}) AS longer, (${wordForms.synonymsOf(words)}) AS synonyms,
        (SELECT json_agg(word) FROM ${lines(asked)} AS asked (word)
          WHERE EXISTS (SELECT FROM search_words AS known WHERE known.word = asked.word OFFSET 0)) AS known,
        (${candidates}) AS candidates, ${STATE}`),
  );
  const longer = new Map(Object.entries(found?.longer ?? {}));
  const longerMax = Math.min(LONGER_MAX, Math.floor(LISTED_MAX / Math.max(1, beginnings.length)));
  const formsMax = Math.min(FORMS_MAX, Math.max(1, Math.floor(LISTED_MAX / distinct.length)));
  const synonyms = wordForms.readingsOf(words, found?.synonyms ?? []);
  const known = new Set(found?.known);
  const knownForms = forms.filter(({ reading }) => reading.every((each) => known.has(each)));
  const typed = distinct.map((word): TermExpansion => {
    const terms = (begun.get(word) ?? []).map((beginning) => ({
      beginning,
      longer: (longer.get(beginning) ?? []).filter((term) => term !== word && term.startsWith(beginning)),
    }));
    const many = terms.filter((each) => each.longer.length > longerMax);
    const listed = terms.flatMap((each) =>
      many.includes(each) ? each.longer.filter((term) => term === each.beginning) : each.longer,
    );
    const number = wordForms.numberAlone(word);
    return {
      word,
      exact: [...(known.has(word) ? [[word]] : []), ...(synonyms.get(word) ?? [])],
      near: distinctReadings([
        ...knownForms
          .filter((form) => form.words.includes(word))
          .map(({ reading }) => reading)
          .slice(0, formsMax),
        ...listed.map((term) => [term]),
      ]),
      beginnings: many.map(({ beginning }) => beginning),
      misspelt: number !== null && known.has(number) ? [number] : [],
    };
  });
  return { typed, candidates: found?.candidates ?? {}, state: found?.state ?? null };
}

const distinctReadings = (readings: readonly wordForms.Reading[]): wordForms.Reading[] => [
  ...new Map(readings.map((reading) => [reading.join(' '), reading])).values(),
];

/** The terms with each of these beginnings, itself included, and what follows; more of each than are listed, if there are. */
function longerOf(beginnings: readonly string[]): Sql {
  // Words sort by code point, so they lie side by side.
  return sql`SELECT json_object_agg(beginning, ARRAY(
      SELECT word FROM search_words WHERE word >= beginning ORDER BY word LIMIT ${constant(LONGER_MAX + 2)}))
    FROM ${lines(beginnings)} AS begun (beginning)`;
}

/** A row whose words satisfy the `tsquery` matches a word of the query with this rank: 3 exactly, 2 nearly, 1 misspelt. */
export interface TermMatch {
  readonly expression: string;
  readonly term: number;
  readonly rank: 1 | 2 | 3;
}

/** All ways in which a row may match the words; the best one of each word counts. */
export const matchesOf = (expansions: readonly TermExpansion[]): TermMatch[] =>
  expansions.flatMap(({ exact, near, beginnings, misspelt }, term) => [
    ...exact.map((reading): TermMatch => ({ expression: allWords(reading), term, rank: 3 })),
    ...near.map((reading): TermMatch => ({ expression: allWords(reading), term, rank: 2 })),
    ...beginnings.map((beginning): TermMatch => ({ expression: `${quoted(beginning)}:*`, term, rank: 2 })),
    ...misspelt.map((word): TermMatch => ({ expression: quoted(word), term, rank: 1 })),
  ]);

/** A `tsquery` for rows that match at least one of the words; empty, which matches nothing, for no words. */
export const matchingAny = (expansions: readonly TermExpansion[]): string =>
  matchesOf(expansions)
    .map(({ expression }) => expression)
    .join(' | ');

/** The same for rows that match all words. */
export function matchingAll(expansions: readonly TermExpansion[]): string {
  const each = expansions.map((expansion) => matchingAny([expansion]));
  return each.includes('') ? '' : each.map((expression) => `(${expression})`).join(' & ');
}

/** Words hold letters, marks and digits only, so quoting them is enough. */
const quoted = (word: string): string => `'${word}'`;
const allWords = (reading: wordForms.Reading): string => `(${reading.map(quoted).join(' & ')})`;
