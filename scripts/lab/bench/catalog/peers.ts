import { Database } from 'node-sqlite3-wasm';
import { conditionsOf, inOrder } from '../../../../db/catalog/search/catalog-clauses';
import type { Database as CatalogDatabase } from '../../../../db/core/knex';
import { allOf, rowsOf, sql } from '../../../../db/core/sql';
import type { CatalogQuery } from '../../../../models/catalog/catalog-query';
import { wordsOf } from '../../../../models/catalog/fold-text';

const BATCH = 10_000;

/** The rows of a page, and how many rows match. */
interface PeerAnswer {
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

/**
 * The SQL that one would write by hand over the same rows and indexes of the same server: `websearch_to_tsquery` through the
 * GIN index of the words, any of which matches, ranked by `ts_rank`; filters through that of the facets; the total by a window.
 * No prices, prefixes or misspellings, and no snapshot.
 */
export class PlainSqlPeer implements Peer {
  constructor(private readonly knex: CatalogDatabase['knex']) {}

  /** The page and the number of matches of a query. */
  async ask({ text, node, filters, page, pageSize, sort }: CatalogQuery): Promise<PeerAnswer> {
    const asked = text === null ? null : sql`websearch_to_tsquery('simple', ${wordsOf(text).join(' or ')})`;
    const conditions = [
      sql`kind = ${node}`,
      ...conditionsOf({ category: null, filters }),
      ...(asked === null ? [] : [sql`words @@ ${asked}`]),
    ];
    const order = asked === null ? inOrder(sort) : sql`ts_rank(words, ${asked}) DESC, ${inOrder(sort)}`;
    const rows = await rowsOf<{ id: string; total: number }>(
      this.knex,
      sql`SELECT id, count(*) OVER () AS total FROM catalog_search WHERE ${allOf(conditions)}
          ORDER BY ${order} LIMIT ${pageSize} OFFSET ${page * pageSize}`,
    );
    return { ids: rows.map(({ id }) => id), total: rows[0]?.total ?? 0 };
  }
}
