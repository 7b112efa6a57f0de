import type { Knex } from 'knex';
import { rowsOf, sql } from '../sql';

/** So many are remembered; then it begins anew, so that the memory of an import stays flat. */
const REMEMBERED_MAX = 20_000;

/** The words that misspelt ones are compared with. Most words of a row were learnt with another row. */
export class Vocabulary {
  private readonly known = new Set<string>();

  /** Adds the words of rows. */
  async learn(trx: Knex, rows: readonly { readonly words: readonly string[] }[]): Promise<void> {
    const unknown = new Set<string>();
    for (const { words } of rows) for (const word of words) if (!this.known.has(word)) unknown.add(word);
    if (unknown.size === 0) return;
    const words = [...unknown];
    // The stubs of a word are dear, and are made before a conflict would be seen. OFFSET 0: one look-up each.
    await rowsOf(
      trx,
      sql`INSERT INTO search_words (word) SELECT given.word FROM unnest(${words}::text[]) AS given (word)
          WHERE NOT EXISTS (SELECT FROM search_words known WHERE known.word = given.word OFFSET 0)
          ON CONFLICT DO NOTHING`,
    );
    if (this.known.size + words.length > REMEMBERED_MAX) this.known.clear();
    for (const word of words) this.known.add(word);
  }

  /** To be told when a transaction was taken back, and its words with it. */
  forget(): void {
    this.known.clear();
  }
}
