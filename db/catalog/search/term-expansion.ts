import type { Knex } from 'knex';
import type { ResolvedQuery } from '../../../models/catalog/catalog-query';
import { partBeginning } from '../../../models/catalog/index-terms';
import type { Synonym } from '../../../models/catalog/synonym';
import type { CatalogState } from '../../../models/ports';
import { prepared, rowsOf, type Sql, sql } from '../../core/sql';
import { STATE } from './catalog-state';
import { type NearCandidate, type NearWord, nearCandidates, nearWords } from './near-words';
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
  const last = words.at(-1);
  if (last === undefined) return { expansions: [], state: null };
  const distinct = [...new Set(words)];
  const beginnings = new Map(
    distinct.flatMap((word) => {
      const beginning = partBeginning(word) ?? (word === last ? word : null);
      return beginning === null ? [] : [[word, beginning]];
    }),
  );
  const longerMax = Math.min(LONGER_MAX, Math.floor(LISTED_MAX / Math.max(1, beginnings.size)));
  const { state, longer, near, synonyms } = await lookUp(
    knex,
    words,
    distinct,
    [...new Set(beginnings.values())],
    longerMax,
  );
  const misspelt = await listed(knex, scope, distinct.length, nearWords(distinct, near));
  const readings = readingsOf(words, synonyms);
  const expansions = distinct.map((word) => {
    const beginning = beginnings.get(word) ?? null;
    const terms = longer
      .filter(({ asked, known }) => asked === beginning && known.startsWith(asked) && known !== word)
      .map(({ known }) => known);
    const anyLonger = terms.length > longerMax;
    return {
      word,
      synonyms: readings.get(word) ?? [],
      beginning,
      longer: anyLonger ? terms.filter((term) => term === beginning) : terms,
      anyLonger,
      misspelt: misspelt.get(word) ?? [],
    };
  });
  return { expansions, state };
}

/** All that the vocabulary has for some words, in one statement. */
async function lookUp(
  knex: Knex,
  words: readonly string[],
  distinct: readonly string[],
  beginnings: readonly string[],
  longerMax: number,
) {
  const lines = await rowsOf<FoundLine>(
    knex,
    prepared(sql`SELECT 'state' AS part, NULL::text AS asked, NULL::text AS known,
        json_build_object('transactions', transactions, 'snapshot', snapshot) AS told FROM (SELECT ${STATE}) AS state
      UNION ALL SELECT 'longer', asked, known, NULL FROM (${longerTerms(beginnings, longerMax)}) AS longer
      UNION ALL SELECT 'near', asked, known, NULL FROM (${nearCandidates(distinct)}) AS near
      UNION ALL SELECT 'synonym', NULL, NULL, json_build_object('phrases', phrases, 'readings', readings)
        FROM (${synonymsOf(words)}) AS synonyms`),
  );
  return {
    state: lines.flatMap((line) => (line.part === 'state' ? [line.told] : []))[0] ?? null,
    longer: lines.filter((line) => line.part === 'longer'),
    near: lines.filter((line) => line.part === 'near'),
    synonyms: lines.flatMap((line) => (line.part === 'synonym' ? [line.told] : [])),
  };
}

type FoundLine =
  | { readonly part: 'state'; readonly told: CatalogState }
  | ({ readonly part: 'longer' } & NearCandidate)
  | ({ readonly part: 'near' } & NearCandidate)
  | { readonly part: 'synonym'; readonly told: Synonym };

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

/** A query for the terms that begin so, itself among them; of each more than are listed, if there are more. */
const longerTerms = (beginnings: readonly string[], listedMax: number): Sql =>
  // Words sort by code point, so they lie side by side.
  sql`SELECT begun.beginning AS asked, following.word AS known FROM unnest(${beginnings}::text[]) AS begun (beginning)
      CROSS JOIN LATERAL (
        SELECT word FROM search_words WHERE word >= begun.beginning ORDER BY word LIMIT ${listedMax + 2}) AS following`;
