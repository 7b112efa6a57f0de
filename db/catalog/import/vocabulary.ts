import type { Knex } from 'knex';
import { copyRows } from '../../core/copy-rows';
import { rowsOf, sql } from '../../core/sql';
import type { WrittenTable } from '../../core/written-table';
import { indexedDeletions } from '../search/deletion-neighbourhood';

/** So many are remembered; then it begins anew, so that the memory of an import stays flat. */
const REMEMBERED_MAX = 20_000;

const SEARCH_WORDS: WrittenTable = {
  name: 'search_words',
  key: ['word'],
  columns: { word: 'text', deletions: 'text[]' },
  dated: false,
};

/** The words that misspelt ones are compared with. Most words of a row were learnt with another row. */
export class Vocabulary {
  private readonly known = new Set<string>();

  /** Adds words; the same one may be given many times. */
  async learn(trx: Knex, words: readonly string[]): Promise<void> {
    const given = [...new Set(words)].filter((word) => !this.known.has(word));
    if (given.length === 0) return;
    // OFFSET 0: one look-up each.
    const missing = await rowsOf<{ word: string }>(
      trx,
      sql`SELECT given.word FROM unnest(${given}::text[]) AS given (word)
          WHERE NOT EXISTS (SELECT FROM search_words known WHERE known.word = given.word OFFSET 0)`,
    );
    await copyRows(
      trx,
      SEARCH_WORDS,
      missing.map(({ word }) => ({ word, deletions: indexedDeletions(word) })),
    );
    if (this.known.size + given.length > REMEMBERED_MAX) this.known.clear();
    for (const word of given) this.known.add(word);
  }

  /** To be told when a transaction was taken back, and its words with it. */
  forget(): void {
    this.known.clear();
  }
}
