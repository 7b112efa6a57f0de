import type { Knex } from 'knex';
import type { ResolvedQuery } from '../../../models/catalog/catalog-query';
import { partBeginning } from '../../../models/catalog/index-terms';
import type { Synonym } from '../../../models/catalog/synonym';
import type { CatalogState } from '../../../models/ports';
import { constant, lines, prepared, rowsOf, type Sql, sql } from '../../core/sql';
import { STATE } from './catalog-state';
import { candidatesOf, type NearWord, nearWords, type WordsByWord } from './near-words';
import { type Reading, readingsOf, synonymsOf } from './synonyms';
import { TermCounts } from './term-counts';

/** What a word of a query may stand for among the words of the catalog. */
export interface TermExpansion {
  readonly word: string;
  /** Other readings, as good as the word itself. */
  readonly synonyms: readonly Reading[];
  /** With what the terms begin that also match it: the last word as a prefix, and words without spaces by their parts. */
  readonly beginning: string | null;
  /** Terms that begin so. Where there are too many to list, only the beginning itself, if it is a term of its own. */
  readonly longer: readonly string[];
  /** Whether there are too many of those to list. */
  readonly anyLonger: boolean;
  /** Words that it may be a misspelling of. */
  readonly misspelt: readonly string[];
}

/** An expansion within a scope: it matches at least one row there. */
export interface SearchTerm extends TermExpansion {
  /** No fewer rows than those that have the word itself or another reading of it. */
  readonly rows: number;
}

/** So many longer words are listed; more would make expressions long that are evaluated row by row. */
export const LONGER_MAX = 40;
/** Misspelt words of one word. */
export const MISSPELT_MAX = 40;
/** Listed words of a query, for each of the two; its words share them. */
const LISTED_MAX = 200;

type Scope = Pick<ResolvedQuery, 'node' | 'categories' | 'filters'>;

/** Expansions of all words of a query, and the state of the catalog that they are of; null where none had to be read. */
interface Expanded {
  readonly expansions: readonly TermExpansion[];
  readonly state: CatalogState | null;
}

/**
 * Looks the words of a query up in the vocabulary; each once, in their order. What a text of any length leads to is
 * bounded: of more misspelt words than are listed the nearest, then the most frequent of the scope are.
 */
export async function expandTerms(knex: Knex, scope: Scope, words: readonly string[]): Promise<Expanded> {
  const { typed, candidates, state } = await lookUp(knex, words, candidatesOf(words));
  const misspelt = await listed(knex, scope, typed.length, nearWords(candidates));
  return { expansions: typed.map((each) => ({ ...each, misspelt: misspelt.get(each.word) ?? [] })), state };
}

/** The same, as if no word were misspelt: that is most of the work. */
export async function expandTyped(knex: Knex, words: readonly string[]): Promise<TermExpansion[]> {
  return (await lookUp(knex, words, candidatesOf([]))).typed;
}

/** The words as they are typed and, in the same statement, what they may be misspellings of. */
async function lookUp(
  knex: Knex,
  words: readonly string[],
  candidates: Sql,
): Promise<{ typed: TermExpansion[]; candidates: WordsByWord; state: CatalogState | null }> {
  const last = words.at(-1);
  if (last === undefined) return { typed: [], candidates: {}, state: null };
  const distinct = [...new Set(words)];
  const beginnings = new Map(
    distinct.flatMap((word) => {
      const beginning = partBeginning(word) ?? (word === last ? word : null);
      return beginning === null ? [] : [[word, beginning] as const];
    }),
  );
  const longerMax = Math.min(LONGER_MAX, Math.floor(LISTED_MAX / Math.max(1, beginnings.size)));
  const [found] = await rowsOf<{
    longer: WordsByWord | null;
    synonyms: Synonym[] | null;
    candidates: WordsByWord | null;
    transactions: string;
    snapshot: number | null;
  }>(
    knex,
    prepared(sql`SELECT (${longerOf([...beginnings.values()])}) AS longer,
        (${synonymsOf(words)}) AS synonyms, (${candidates}) AS candidates, ${STATE}`),
  );
  const longer = new Map(Object.entries(found?.longer ?? {}));
  const synonyms = readingsOf(words, found?.synonyms ?? []);
  const typed = distinct.map((word) => {
    const beginning = beginnings.get(word) ?? null;
    const begunSo = beginning === null ? [] : (longer.get(beginning) ?? []);
    const terms = begunSo.filter((term) => term !== word && term.startsWith(beginning ?? ''));
    const anyLonger = terms.length > longerMax;
    return {
      word,
      synonyms: synonyms.get(word) ?? [],
      beginning,
      longer: anyLonger ? terms.filter((term) => term === beginning) : terms,
      anyLonger,
      misspelt: [],
    };
  });
  const state = found ? { transactions: found.transactions, snapshot: found.snapshot } : null;
  return { typed, candidates: found?.candidates ?? {}, state };
}

/** The terms that begin so, itself among them, and what follows; of each more than are listed, if there are more. */
function longerOf(beginnings: readonly string[]): Sql {
  // Words sort by code point, so they lie side by side.
  return sql`SELECT json_object_agg(beginning, ARRAY(
      SELECT word FROM search_words WHERE word >= beginning ORDER BY word LIMIT ${constant(LONGER_MAX + 2)}))
    FROM ${lines(beginnings)} AS begun (beginning)`;
}

/** Every listed word of an expansion. */
export const wordsListed = ({ word, synonyms, longer, misspelt }: TermExpansion): string[] => [
  word,
  ...synonyms.flat(),
  ...longer,
  ...misspelt,
];

/** Those of them that match without others. */
export const wordsAlone = (expansion: TermExpansion): string[] =>
  wordsListed({ ...expansion, synonyms: expansion.synonyms.filter(({ length }) => length === 1) });

/**
 * The expansions that can match in a scope, with those of their words that do.
 *
 * @param rowsWith how many rows of the scope have a word
 */
export function termsOf(
  expansions: readonly TermExpansion[],
  rowsWith: (word: string) => number,
): SearchTerm[] {
  const present = (words: readonly string[]) => words.filter((word) => rowsWith(word) > 0);
  const rowsWithAll = (reading: Reading) => Math.min(...reading.map(rowsWith));
  return expansions
    .map((expansion) => ({
      ...expansion,
      synonyms: expansion.synonyms.filter((reading) => rowsWithAll(reading) > 0),
      longer: present(expansion.longer),
      misspelt: present(expansion.misspelt),
      rows: [[expansion.word], ...expansion.synonyms].reduce((sum, each) => sum + rowsWithAll(each), 0),
    }))
    .filter(
      ({ rows, longer, anyLonger, misspelt }) =>
        rows > 0 || anyLonger || longer.length > 0 || misspelt.length > 0,
    );
}

/** Of the near words of each word as many as are listed. */
async function listed(
  knex: Knex,
  scope: Scope,
  words: number,
  near: ReadonlyMap<string, readonly NearWord[]>,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const max = Math.min(MISSPELT_MAX, Math.max(1, Math.floor(LISTED_MAX / words)));
  const tooMany = [...near.values()].filter((each) => each.length > max).flat();
  const counts =
    tooMany.length > 0 ? await TermCounts.read(knex, scope, ...tooMany.map(({ word }) => word)) : null;
  const best = (each: readonly NearWord[]) => {
    if (counts === null || each.length <= max) return each;
    return each
      .filter(({ word }) => counts.of(word) > 0)
      .sort((left, right) => left.edits - right.edits || counts.of(right.word) - counts.of(left.word))
      .slice(0, max);
  };
  return new Map([...near].map(([word, each]) => [word, best(each).map((found) => found.word)]));
}
