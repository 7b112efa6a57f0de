import { Database } from 'node-sqlite3-wasm';
import type { Database as CatalogDatabase } from '../../../../db/core/knex';
import { rowsOf, sql } from '../../../../db/core/sql';
import type { CatalogQuery } from '../../../../models/catalog/catalog-query';
import { wordsOf } from '../../../../models/catalog/fold-text';

const BATCH = 10_000;

/** The rows of a page, and how many rows match. */
export interface PeerAnswer {
  readonly ids: readonly string[];
  readonly total: number;
}

/** Somebody else who answers the same questions; null for one that is not for him. */
export interface Peer {
  ask(query: CatalogQuery): PeerAnswer | null | Promise<PeerAnswer>;
  close?(): void;
}

/**
 * The same products in an SQLite FTS5 index within this process: no server, no network, no prices, no misspellings.
 * It matches any of the words, the last as a prefix, ranks by BM25, and counts what it matches.
 */
export class FullTextPeer implements Peer {
  private constructor(private readonly database: Database) {}

  static async load(knex: CatalogDatabase['knex']): Promise<FullTextPeer> {
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

  /** The first page and the number of matches of a text. */
  ask({ text }: CatalogQuery): PeerAnswer | null {
    if (text === null) return null;
    const expression = `${wordsOf(text)
      .map((word) => `"${word}"`)
      .join(' OR ')}*`;
    const ids = this.database.all('SELECT id FROM products WHERE products MATCH ? ORDER BY rank LIMIT 20', [
      expression,
    ]);
    const counted = this.database.get('SELECT count(*) AS total FROM products WHERE products MATCH ?', [
      expression,
    ]);
    return { ids: ids.map((row) => String(row['id'])), total: Number(counted?.['total'] ?? 0) };
  }

  close(): void {
    this.database.close();
  }
}
