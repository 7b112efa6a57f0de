import type { Knex } from 'knex';
import type { CatalogState } from '../../../models/ports';
import { constant, lines, prepared, rowsOf, type Sql, sql } from '../../core/sql';
import { STATE } from './catalog-state';
import { candidatesOf, type NearWord, nearWords, type WordsByWord } from './misspellings';
import {
  beginningsOf,
  formsOf,
  numberAlone,
  type Reading,
  readingsOf,
  type Synonym,
  synonymsOf,
} from './word-forms';

export interface TermExpansion {
  readonly word: string;
  /** Readings equal to the word, which is the first of them. */
  readonly exact: readonly Reading[];
  /** Less exact readings: joined and split words, references, and longer words where the word may be a prefix. */
  readonly near: readonly Reading[];
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

/** Looks up words, each once, in bounded work (contract 5.8). Also returns the state that was read, or null. */
export async function expandTerms(
  knex: Knex,
  words: readonly string[],
): Promise<{ readonly expansions: readonly TermExpansion[]; readonly state: CatalogState | null }> {
  const { typed, candidates, state } = await lookUp(knex, words, candidatesOf(words));
  const misspelt = await listed(knex, typed.length, nearWords(candidates));
  const expansions = typed.map((each) => ({
    ...each,
    misspelt: [...new Set([...each.misspelt, ...(misspelt.get(each.word) ?? [])])],
  }));
  return { expansions, state };
}

/** The same, as if no word were misspelt: misspellings are most of the work. */
export async function expandTyped(knex: Knex, words: readonly string[]): Promise<TermExpansion[]> {
  const { typed } = await lookUp(knex, words, candidatesOf([]));
  return typed.map((each) => ({ ...each, misspelt: [] }));
}

/** The words as they are typed and, in the same statement, what they may be misspellings of. */
async function lookUp(
  knex: Knex,
  words: readonly string[],
  candidates: Sql,
): Promise<{ typed: TermExpansion[]; candidates: WordsByWord; state: CatalogState | null }> {
  if (words.length === 0) return { typed: [], candidates: {}, state: null };
  const distinct = [...new Set(words)];
  const begun = new Map(distinct.map((word) => [word, beginningsOf(word, word === words.at(-1))]));
  const beginnings = [...new Set([...begun.values()].flat())];
  const forms = formsOf(words);
  const numbers = distinct.flatMap((word) => numberAlone(word) ?? []);
  const asked = [...new Set([...forms.flatMap(({ reading }) => reading), ...numbers])];
  const [found] = await rowsOf<{
    longer: WordsByWord | null;
    synonyms: Synonym[] | null;
    known: string[] | null;
    candidates: WordsByWord | null;
    state: CatalogState;
  }>(
    knex,
    prepared(sql`SELECT (${longerOf(beginnings)}) AS longer, (${synonymsOf(words)}) AS synonyms,
        (SELECT json_agg(word) FROM ${lines(asked)} AS asked (word)
          WHERE EXISTS (SELECT FROM search_words AS known WHERE known.word = asked.word OFFSET 0)) AS known,
        (${candidates}) AS candidates, ${STATE}`),
  );
  const longer = new Map(Object.entries(found?.longer ?? {}));
  const longerMax = Math.min(LONGER_MAX, Math.floor(LISTED_MAX / Math.max(1, beginnings.length)));
  const formsMax = Math.min(FORMS_MAX, Math.max(1, Math.floor(LISTED_MAX / distinct.length)));
  const synonyms = readingsOf(words, found?.synonyms ?? []);
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
    const number = numberAlone(word);
    return {
      word,
      exact: [[word], ...(synonyms.get(word) ?? [])],
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

const distinctReadings = (readings: readonly Reading[]): Reading[] => [
  ...new Map(readings.map((reading) => [reading.join(' '), reading])).values(),
];

/** The terms with each of these beginnings, itself included, and what follows; more of each than are listed, if there are. */
function longerOf(beginnings: readonly string[]): Sql {
  // Words sort by code point, so they lie side by side.
  return sql`SELECT json_object_agg(beginning, ARRAY(
      SELECT word FROM search_words WHERE word >= beginning ORDER BY word LIMIT ${constant(LONGER_MAX + 2)}))
    FROM ${lines(beginnings)} AS begun (beginning)`;
}

async function listed(
  knex: Knex,
  words: number,
  near: ReadonlyMap<string, readonly NearWord[]>,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const max = Math.min(MISSPELT_MAX, Math.max(1, Math.floor(LISTED_MAX / words)));
  const tooMany = [...near.values()].filter((each) => each.length > max).flat();
  const frequent = await productsOf(knex, new Set(tooMany.map(({ word }) => word)));
  const frequencyOf = ({ word }: NearWord) => frequent.get(word) ?? 0;
  const best = (each: readonly NearWord[]) =>
    each
      .toSorted((left, right) => left.edits - right.edits || frequencyOf(right) - frequencyOf(left))
      .slice(0, max);
  return new Map([...near].map(([word, each]) => [word, best(each).map((found) => found.word)]));
}

/** How many products have each word, for those words that many products have. */
async function productsOf(knex: Knex, words: ReadonlySet<string>): Promise<ReadonlyMap<string, number>> {
  if (words.size === 0) return new Map();
  const counted = await rowsOf<{ term: string; products: number }>(
    knex,
    prepared(sql`SELECT asked.term, coalesce(frequent.products, 0)::integer AS products
        FROM ${lines([...words])} AS asked (term) CROSS JOIN LATERAL (
          SELECT sum(bit_count(bits)) AS products FROM search_snapshot_bitmaps b
          WHERE b.snapshot = (SELECT max(number) FROM search_snapshots) AND b.term = asked.term OFFSET 0) AS frequent`),
  );
  return new Map(counted.map(({ term, products }) => [term, products]));
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

export const matchingAll = (expansions: readonly TermExpansion[]): string =>
  expansions.map((expansion) => `(${matchingAny([expansion])})`).join(' & ');

/** Words hold letters, marks and digits only, so quoting them is enough. */
const quoted = (word: string): string => `'${word}'`;
const allWords = (reading: Reading): string => `(${reading.map(quoted).join(' & ')})`;
