import type { Knex } from 'knex';
import { withinEdits } from './edit-distance';
import { rowsOf, sql } from './sql';

/** A word of a query with the words of the catalog that it stands for. At least one of them exists. */
export interface SearchTerm {
  readonly word: string;
  /** Whether the catalog has the word itself. */
  readonly exact: boolean;
  /** Whether it also stands for every word that begins with it: the last word of the query. */
  readonly prefix: boolean;
  /** Words of the catalog that it may be a misspelling of. */
  readonly misspelt: readonly string[];
}

/** Edits that a word may be away from what was meant, by its letters (decisions.md 7). */
export function editsAllowed(word: string): number {
  const letters = [...word].length;
  if (letters < 4) return 0;
  return letters < 8 ? 1 : 2;
}

/**
 * Looks the words of a query up in the catalog's vocabulary. Repetitions are dropped, and words that no row can match.
 *
 * @param words folded words in the order of the query
 */
export async function searchTerms(knex: Knex, words: readonly string[]): Promise<SearchTerm[]> {
  const last = words.at(-1);
  if (last === undefined) return [];
  const distinct = [...new Set(words)];
  const [known, misspelt, begins] = await Promise.all([
    knownWords(knex, distinct),
    misspeltWords(knex, distinct),
    isBeginning(knex, last),
  ]);
  return distinct
    .map((word) => ({
      word,
      exact: known.has(word),
      prefix: word === last && begins,
      misspelt: misspelt.get(word) ?? [],
    }))
    .filter(({ exact, prefix, misspelt }) => exact || prefix || misspelt.length > 0);
}

async function knownWords(knex: Knex, words: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await rowsOf<{ word: string }>(
    knex,
    sql`SELECT word FROM search_words WHERE word = ANY(${words}::text[])`,
  );
  return new Set(rows.map(({ word }) => word));
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

/** Whether any word of the catalog begins so. Ids and words sort by code point, so those words lie side by side. */
async function isBeginning(knex: Knex, beginning: string): Promise<boolean> {
  const [next] = await rowsOf<{ word: string }>(
    knex,
    sql`SELECT word FROM search_words WHERE word >= ${beginning} ORDER BY word LIMIT 1`,
  );
  return next?.word.startsWith(beginning) ?? false;
}
