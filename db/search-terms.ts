import type { Knex } from 'knex';
import { withinEdits } from './edit-distance';
import { rowsOf, sql } from './sql';

/** What a word of a query may stand for among the words of the catalog. */
export interface Reading {
  readonly word: string;
  /** Whether it is the last word of the query and others begin with it, for all of which it then stands. */
  readonly prefix: boolean;
  /** Words that it may be a misspelling of. */
  readonly misspelt: readonly string[];
}

/** A reading within a scope: it matches at least one row there. */
export interface SearchTerm extends Reading {
  /** Rows that have the word itself. */
  readonly rows: number;
}

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
  const [misspelt, begins] = await Promise.all([misspeltWords(knex, distinct), isBeginning(knex, last)]);
  return distinct.map((word) => ({
    word,
    prefix: word === last && begins,
    misspelt: misspelt.get(word) ?? [],
  }));
}

/**
 * The readings that can match in a scope, with the misspelt words that do.
 *
 * @param rowsWith how many rows of the scope have a word
 */
export function termsOf(readings: readonly Reading[], rowsWith: (word: string) => number): SearchTerm[] {
  return readings
    .map(({ word, prefix, misspelt }) => ({
      word,
      prefix,
      misspelt: misspelt.filter((meant) => rowsWith(meant) > 0),
      rows: rowsWith(word),
    }))
    .filter(({ rows, prefix, misspelt }) => rows > 0 || prefix || misspelt.length > 0);
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

/** Whether any longer word of the catalog begins so. Words sort by code point, so those lie side by side. */
async function isBeginning(knex: Knex, beginning: string): Promise<boolean> {
  const [next] = await rowsOf<{ word: string }>(
    knex,
    sql`SELECT word FROM search_words WHERE word > ${beginning} ORDER BY word LIMIT 1`,
  );
  return next?.word.startsWith(beginning) ?? false;
}
