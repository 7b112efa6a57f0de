import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import type { FeedRun } from '../../../models/ports';
import { rowsOf, sql } from '../../core/sql';
import { countOf } from './catalog-tables';
import type { InTransaction } from './record-store';

/** Begins an import of a feed, in `product_feeds`. @param write does work in a transaction of the import */
export async function openFeed(knex: Knex, write: InTransaction, feed: string): Promise<FeedRun> {
  const run = randomUUID();
  const missing = sql`FROM product_feeds AS own JOIN products ON id = product_id
    WHERE feed = ${feed} AND run <> ${run} AND NOT deleted
      AND NOT EXISTS (SELECT FROM product_feeds AS other WHERE other.product_id = own.product_id AND other.feed <> own.feed)`;
  const live = sql`FROM product_feeds JOIN products ON id = product_id WHERE feed = ${feed} AND NOT deleted`;
  return {
    known: await countOf(knex, live),
    async note(productIds) {
      if (productIds.length === 0) return;
      const noted = sql`INSERT INTO product_feeds (feed, product_id, run)
        SELECT ${feed}, id, ${run} FROM unnest(${[...new Set(productIds)]}::text[]) AS given (id) ORDER BY id
        ON CONFLICT (feed, product_id) DO UPDATE SET run = excluded.run`;
      await write((trx) => rowsOf(trx, noted));
    },
    missingCount: () => countOf(knex, missing),
    async missing(after, limit) {
      const rows = await rowsOf<{ id: string }>(knex)`
        SELECT product_id AS id ${missing} AND product_id > ${after} ORDER BY product_id LIMIT ${limit}`;
      return rows.map(({ id }) => id);
    },
    async forgetMissing() {
      await write((trx) => rowsOf(trx)`DELETE FROM product_feeds WHERE feed = ${feed} AND run <> ${run}`);
    },
  };
}
