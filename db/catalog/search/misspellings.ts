import type { Knex } from 'knex';
import { isReference, lettersOf } from '../../../models/catalog/index-terms';
import { addTo } from '../../../models/multimap';
import { constant, lines, prepared, rowsOf, type Sql, sql } from '../../core/sql';

/** A deletion that this many words share is ignored: it says hardly anything about a word. */
const DELETION_WORDS_MAX = 2_000;
/** Deletions that are looked up for one query. */
const DELETIONS_MAX = 400;
/** Words that are looked at for one deletion, and for one query. */
const CANDIDATES_PER_DELETION = 200;
const CANDIDATES_MAX = 6_000;
/** Words looked at before and after a word in alphabetical order, for those that differ only at the end. */
const BESIDE_MAX = 20;
/** Words within the allowed edits that are returned for one query. */
const NEAR_MAX = 1_000;

export interface NearWord {
  readonly word: string;
  readonly edits: number;
}

/** Edits allowed for a word, by its number of letters (contract 5.3, 5.6). */
export function editsAllowed(word: string): number {
  const letters = lettersOf(word).length;
  if (letters < 4) return 0;
  return letters < 8 ? 1 : 2;
}

/** Words of the vocabulary by words of a query, as the database has them. */
export type WordsByWord = Readonly<Record<string, readonly string[]>>;

/** The candidates within the edits of each word, nearest first, in bounded work whatever the vocabulary holds. */
export function nearWords(candidates: WordsByWord): ReadonlyMap<string, readonly NearWord[]> {
  const near = Object.entries(candidates).flatMap(([asked, words]) => {
    const letters = lettersOf(asked);
    const allowed = editsAllowed(asked);
    const others = new Set(words.filter((word) => word !== asked && !isReference(word)));
    return [...others].map((word) => ({
      asked,
      word,
      edits: editsBetween(letters, lettersOf(word), allowed),
    }));
  });
  const found = new Map<string, NearWord[]>();
  for (const { asked, ...each } of near
    .filter(({ edits }) => edits < Number.POSITIVE_INFINITY)
    .sort((left, right) => left.edits - right.edits || (left.word < right.word ? -1 : 1))
    .slice(0, NEAR_MAX)) {
    addTo(found, asked, each);
  }
  return found;
}

/** The deletions that too many words share, as the statistics of the column have them: an index would read its lists whole. */
export async function readCommonDeletions(knex: Knex): Promise<ReadonlySet<string>> {
  const common = await rowsOf<{ deletion: string }>(
    knex,
    prepared(sql`SELECT deletion FROM pg_stats CROSS JOIN LATERAL
        ROWS FROM (unnest(most_common_elems::text::text[]), unnest(most_common_elem_freqs)) AS most (deletion, share)
      WHERE schemaname = current_schema() AND tablename = 'search_words' AND attname = 'deletions'
        AND share * (SELECT reltuples FROM pg_class WHERE oid = 'search_words'::regclass) > ${constant(DELETION_WORDS_MAX)}`),
  );
  return new Set(common.map(({ deletion }) => deletion));
}

/** A subquery for the candidates of `nearWords`: other words that share a deletion with a word, within the limits. */
export function candidatesOf(words: readonly string[], common: ReadonlySet<string>): Sql {
  const misspellable = [...new Set(words)].filter((word) => editsAllowed(word) > 0);
  if (misspellable.length === 0) return sql`NULL`;
  const asked = deletionsInTurn(misspellable).filter(({ deletion }) => !common.has(deletion));
  return sql`WITH candidates (asked, known) AS (
      (SELECT asked.word, known.word
      FROM json_to_recordset(${JSON.stringify(asked)}::json) AS asked (word text, deletion text)
      CROSS JOIN LATERAL words_with_deletion(asked.deletion, ${constant(CANDIDATES_PER_DELETION)}) AS known (word)
      LIMIT ${constant(CANDIDATES_MAX)})
      UNION ALL
      SELECT asked.word, beside.word FROM ${lines(misspellable)} AS asked (word)
      CROSS JOIN LATERAL (
        (SELECT word FROM search_words WHERE word < asked.word ORDER BY word DESC LIMIT ${constant(BESIDE_MAX)})
        UNION ALL
        (SELECT word FROM search_words WHERE word > asked.word ORDER BY word LIMIT ${constant(BESIDE_MAX)})) AS beside
    )
    SELECT json_object_agg(asked, words) FROM (
      SELECT asked, array_agg(known) AS words FROM candidates GROUP BY asked) AS by_word`;
}

/** The deletions of all words, interleaved, so that a limit drops those that lack the most letters of every word. */
function deletionsInTurn(words: readonly string[]) {
  return words
    .flatMap((word) =>
      deletionNeighbourhood(word, editsAllowed(word)).map((deletion, rank) => ({ word, deletion, rank })),
    )
    .sort((left, right) => left.rank - right.rank)
    .slice(0, DELETIONS_MAX)
    .map(({ word, deletion }) => ({ word, deletion }));
}

/** Letters at the beginning of a word that deletions are made of. */
const BEGINNING = 7;
/** Words of the vocabulary shorter than this are no corrections; below the next limit they have one deletion at most. */
const CORRECTION_MIN = 3;
const TWO_DELETIONS_MIN = 6;

/**
 * The deletion neighbourhood of a word of the vocabulary. Words within n edits of each other (insert, delete, replace, swap
 * neighbours) have a common text that lacks at most n of the first seven letters of each, so a look-up by deletions misses
 * nothing; what it finds too much is measured afterwards. A word of six letters or more may be two edits from one of eight; a
 * word of three to five is at most one edit from any.
 */
export function indexedDeletions(word: string): string[] {
  const { length } = lettersOf(word);
  return length < CORRECTION_MIN ? [] : deletionNeighbourhood(word, length < TWO_DELETIONS_MIN ? 1 : 2);
}

/** What a word is after at most so many letters are deleted: each text once, those with fewer deletions first. */
export function deletionNeighbourhood(word: string, deletionsMax: number): string[] {
  let lefts = [lettersOf(word).slice(0, BEGINNING)];
  const found = new Set(lefts.map((letters) => letters.join('')));
  for (let deletions = 1; deletions <= deletionsMax; deletions++) {
    lefts = lefts.flatMap((letters) => letters.map((_, at) => letters.toSpliced(at, 1)));
    for (const letters of lefts) found.add(letters.join(''));
  }
  return [...found];
}

/** Edits (insert, drop, replace, swap neighbours; no letter twice) that make one word of another; infinity beyond `editsMax`. */
export function editsBetween(from: readonly string[], to: readonly string[], editsMax: number): number {
  if (Math.abs(from.length - to.length) > editsMax) return Number.POSITIVE_INFINITY;
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const same = from[row - 1] === to[column - 1];
      let edits = Math.min(
        cell(previous, column) + 1,
        cell(current, column - 1) + 1,
        cell(previous, column - 1) + (same ? 0 : 1),
      );
      const swapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      if (row > 1 && column > 1 && swapped) edits = Math.min(edits, cell(beforePrevious, column - 2) + 1);
      current.push(edits);
    }
    if (Math.min(...current) > editsMax) return Number.POSITIVE_INFINITY;
    beforePrevious = previous;
    previous = current;
  }
  const edits = cell(previous, to.length);
  return edits <= editsMax ? edits : Number.POSITIVE_INFINITY;
}

const cell = (row: readonly number[], column: number): number => row[column] ?? Number.POSITIVE_INFINITY;
