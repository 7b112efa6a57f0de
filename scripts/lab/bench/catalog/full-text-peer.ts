import { Database } from 'node-sqlite3-wasm';
import { rowsOf, sql } from '../../../../db/core/sql';
import type { CatalogQuery } from '../../../../models/catalog/catalog-query';
import { wordsOf } from '../../../../models/catalog/fold-text';
import type { Knex } from '../installation';

const BATCH = 10_000;

/**
 * The same products in an SQLite FTS5 index within this process: no server, no network, no prices, no misspellings.
 * It matches any of the words, the last as a prefix, ranks by BM25, and counts what it matches.
 */
export class FullTextPeer {
  private constructor(private readonly database: Database) {}

  static async load(knex: Knex): Promise<FullTextPeer> {
    const database = new Database();
    database.exec(`CREATE VIRTUAL TABLE products USING fts5(id UNINDEXED, words, tokenize = 'unicode61')`);
    const insert = database.prepare('INSERT INTO products (id, words) VALUES (?, ?)');
    database.exec('BEGIN');
    for (let last = ''; ; ) {
      const rows = await rowsOf<{ id: string; words: string }>(
        knex,
        sql`SELECT id, array_to_string(tsvector_to_array(words), ' ') AS words FROM catalog_search
            WHERE kind = 'product' AND id > ${last} ORDER BY id LIMIT ${BATCH}`,
      );
      for (const { id, words } of rows) insert.run([id, words]);
      last = rows.at(-1)?.id ?? '';
      if (rows.length < BATCH) break;
    }
    database.exec('COMMIT');
    insert.finalize();
    return new FullTextPeer(database);
  }

  /** Finds the first page of a text, and the number of its matches; false for a query without a text. */
  ask({ text }: CatalogQuery): boolean {
    if (text === null) return false;
    const expression = `${wordsOf(text)
      .map((word) => `"${word}"`)
      .join(' OR ')}*`;
    this.database.all('SELECT id FROM products WHERE products MATCH ? ORDER BY rank LIMIT 20', [expression]);
    this.database.get('SELECT count(*) AS total FROM products WHERE products MATCH ?', [expression]);
    return true;
  }

  close(): void {
    this.database.close();
  }
}
