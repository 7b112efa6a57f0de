import { conditionsOf, inOrder } from '../../../../db/catalog/search/catalog-clauses';
import type { Database } from '../../../../db/core/knex';
import { allOf, rowsOf, sql } from '../../../../db/core/sql';
import type { CatalogQuery } from '../../../../models/catalog/catalog-query';
import { wordsOf } from '../../../../models/catalog/fold-text';
import type { Peer, PeerAnswer } from './full-text-peer';

/**
 * The SQL that one would write by hand over the same rows and indexes of the same server: `websearch_to_tsquery` through the
 * GIN index of the words, any of which matches, ranked by `ts_rank`; filters through that of the facets; the total by a window.
 * No prices, prefixes or misspellings, and no snapshot.
 */
export class PlainSqlPeer implements Peer {
  constructor(private readonly knex: Database['knex']) {}

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
