import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import type { FeedRun } from '../../../models/ports';
import { rowsOf, sql } from '../../core/sql';
import { countOf } from './catalog-tables';
import type { InTransaction } from './record-store';

/** An import of a feed, in `product_feeds`. */
export class PostgresFeedRun implements FeedRun {
  readonly #run = randomUUID();

  private constructor(
    private readonly knex: Knex,
    private readonly write: InTransaction,
    private readonly feed: string,
    readonly known: number,
  ) {}

  /** @param write does work in a transaction of the import */
  static async open(knex: Knex, write: InTransaction, feed: string): Promise<PostgresFeedRun> {
    const live = sql`FROM product_feeds JOIN products ON id = product_id WHERE feed = ${feed} AND NOT deleted`;
    return new PostgresFeedRun(knex, write, feed, await countOf(knex, live));
  }

  async note(productIds: readonly string[]): Promise<void> {
    if (productIds.length === 0) return;
    const ids = [...new Set(productIds)];
    await this.write((trx) =>
      rowsOf(
        trx,
        sql`INSERT INTO product_feeds (feed, product_id, run)
            SELECT ${this.feed}, id, ${this.#run} FROM unnest(${ids}::text[]) AS given (id) ORDER BY id
            ON CONFLICT (feed, product_id) DO UPDATE SET run = excluded.run`,
      ),
    );
  }

  async missingCount(): Promise<number> {
    return await countOf(this.knex, this.#missing());
  }

  async missing(after: string, limit: number): Promise<readonly string[]> {
    const rows = await rowsOf<{ id: string }>(
      this.knex,
      sql`SELECT product_id AS id ${this.#missing()} AND product_id > ${after} ORDER BY product_id LIMIT ${limit}`,
    );
    return rows.map(({ id }) => id);
  }

  async forgetMissing(): Promise<void> {
    await this.write((trx) =>
      rowsOf(trx, sql`DELETE FROM product_feeds WHERE feed = ${this.feed} AND run <> ${this.#run}`),
    );
  }

  readonly #missing = () => sql`FROM product_feeds AS own JOIN products ON id = product_id
    WHERE feed = ${this.feed} AND run <> ${this.#run} AND NOT deleted
      AND NOT EXISTS (SELECT FROM product_feeds AS other WHERE other.product_id = own.product_id AND other.feed <> own.feed)`;
}
