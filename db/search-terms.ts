import type { Knex } from 'knex';
import { withinEdits } from './edit-distance';
import { rowsOf, sql } from './sql';

/** What a word of a query may stand for among the words of the catalog. */
export interface Reading {
  readonly word: string;
  /** Longer words that begin with it, for which the last word of a query stands. */
  readonly longer: readonly string[];
  /** Whether there are too many of those to list; then `longer` is empty. */
  readonly anyLonger: boolean;
  /** Words that it may be a misspelling of. */
  readonly misspelt: readonly string[];
}

/** A reading within a scope: it matches at least one row there. */
export interface SearchTerm extends Reading {
  /** Rows that have the word itself. */
  readonly rows: number;
}

/** So many longer words are listed; more would make expressions long that are evaluated row by row. */
export const LONGER_MAX = 40;

/** Edits that a word may be away from what was meant, by its letters (decisions.md 7). */
export function editsAllowed(word: string): number {
  const letters = [...word].length;
  if (letters < 4) return 0;
  return letters < 8 ? 1 : 2;
}

/** Looks the words of a query up in the vocabulary; each once, in their order. */
export async function readingsOf(knex: Knex, words: readonly string[]): Promise<Reading[]> {
  const last = words.at(-1);
  if (last === undefined) return [];
  const distinct = [...new Set(words)];
  const [misspelt, longer] = await Promise.all([misspeltWords(knex, distinct), longerWords(knex, last)]);
  const anyLonger = longer.length > LONGER_MAX;
  return distinct.map((word) => ({
    word,
    longer: word === last && !anyLonger ? longer : [],
    anyLonger: word === last && anyLonger,
    misspelt: misspelt.get(word) ?? [],
  }));
}

/** Every listed word of a reading. */
export const wordsListed = ({ word, longer, misspelt }: Reading): string[] => [word, ...longer, ...misspelt];

/**
 * The readings that can match in a scope, with those of their words that do.
 *
 * @param rowsWith how many rows of the scope have a word
 */
export function termsOf(readings: readonly Reading[], rowsWith: (word: string) => number): SearchTerm[] {
  const present = (words: readonly string[]) => words.filter((word) => rowsWith(word) > 0);
  return readings
    .map(({ word, longer, anyLonger, misspelt }) => ({
      word,
      longer: present(longer),
      anyLonger,
      misspelt: present(misspelt),
      rows: rowsWith(word),
    }))
    .filter(
      ({ rows, longer, anyLonger, misspelt }) =>
        rows > 0 || anyLonger || longer.length > 0 || misspelt.length > 0,
    );
}

/** Words within the allowed edits share a stub (see the migration of `search_words.stubs`); the distance decides. */
async function misspeltWords(
  knex: Knex,
  words: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const long = words.filter((word) => editsAllowed(word) > 0);
  if (long.length === 0) return new Map();
  const candidates = await rowsOf<{ asked: string; word: string }>(
    knex,
    sql`SELECT asked.word AS asked, known.word
        FROM unnest(${long}::text[], ${long.map(editsAllowed)}::integer[]) AS asked (word, edits)
        JOIN search_words known ON known.stubs && word_stubs(asked.word, asked.edits)
        WHERE known.word <> asked.word ORDER BY asked.word, known.word`,
  );
  const found = new Map<string, string[]>();
  for (const { asked, word } of candidates) {
    if (!withinEdits(asked, word, editsAllowed(asked))) continue;
    found.set(asked, [...(found.get(asked) ?? []), word]);
  }
  return found;
}

/** Longer words that begin so, one more than are listed. Words sort by code point, so they lie side by side. */
async function longerWords(knex: Knex, beginning: string): Promise<string[]> {
  const following = await rowsOf<{ word: string }>(
    knex,
    sql`SELECT word FROM search_words WHERE word > ${beginning} ORDER BY word LIMIT ${LONGER_MAX + 1}`,
  );
  return following.map(({ word }) => word).filter((word) => word.startsWith(beginning));
}
