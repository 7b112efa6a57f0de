import type { Knex } from 'knex';
import { inject, injectable } from 'tsyringe';
import { type Clock, PORTS } from '../../models/ports';
import { isVoid } from './shared-clauses';
import { disableTimeout, identifier, inTransaction, rowsOf, sql } from './sql';

/** An import without a heartbeat for this long has died; much longer than any of its transactions. */
const IMPORT_DEAD_MS = 3_600_000;

/** Images removed at a time: no import begins meanwhile. */
const REMOVED_MAX = 1_000;

/** Until the transaction ends, no image is removed while a writer marks those that it will name, and vice versa. */
export const UNOWNED_IMAGES_ALONE = sql`LOCK TABLE unowned_images IN EXCLUSIVE MODE`;

/** Tables whose rows are deleted some time after what a column says. */
const DATED = {
  predictions: 'created_at',
  vision_jobs: 'created_at',
  search_misses: 'day',
  idempotent_calls: 'expires_at',
} as const;

/** Housekeeping in PostgreSQL. Deletions take at most `limit` rows, and resolve to how many there were. */
@injectable()
export class PostgresHousekeepingStore {
  constructor(
    @inject(PORTS.Knex) private readonly knex: Knex,
    @inject(PORTS.Clock) private readonly clock: Clock,
  ) {}

  /** Claims a task for this process: of all that ask, one succeeds in each interval. */
  async claim(task: string, everyMs: number): Promise<boolean> {
    const now = this.clock.now();
    const claimed = await rowsOf(this.knex)`
      INSERT INTO housekeeping AS last (task, begun_at) VALUES (${task}, ${now})
      ON CONFLICT (task) DO UPDATE SET begun_at = excluded.begun_at
      WHERE last.begun_at <= ${new Date(now.getTime() - everyMs)} OR ${isVoid(sql`last.begun_at`, now, 0)}
      RETURNING task`;
    return claimed.length > 0;
  }

  /** Deletes rows from before a time, or from before its day in a table by days, the oldest first. */
  async deleteBefore(table: keyof typeof DATED, time: Date, limit: number): Promise<number> {
    const [name, dated] = [identifier(table), identifier(DATED[table])];
    const bound =
      table === 'search_misses' ? sql`(${time}::timestamptz AT TIME ZONE 'UTC')::date` : sql`${time}`;
    const deleted = await rowsOf(this.knex)`DELETE FROM ${name} WHERE ctid IN (
        SELECT ctid FROM ${name} WHERE ${dated} < ${bound} ORDER BY ${dated} LIMIT ${limit} FOR UPDATE SKIP LOCKED)
      RETURNING ctid`;
    return deleted.length;
  }

  /** Variants that no product has named since before a time, with their prices. */
  async deleteAwayVariants(before: Date, limit: number): Promise<number> {
    const deleted = await rowsOf(this.knex)`
      WITH gone AS (
        DELETE FROM variants WHERE id IN (
          SELECT id FROM variants WHERE away_since < ${before}
          ORDER BY away_since LIMIT ${limit} FOR UPDATE SKIP LOCKED)
        RETURNING id),
      estimates AS (DELETE FROM market_estimates WHERE variant_id IN (SELECT id FROM gone)),
      history AS (DELETE FROM estimate_history WHERE variant_id IN (SELECT id FROM gone)),
      offers AS (DELETE FROM listings WHERE variant_id IN (SELECT id FROM gone))
      SELECT id FROM gone`;
    return deleted.length;
  }

  /** Removes images unnamed since before `unownedBefore`, unless an import runs. Files go before their rows: imports check that they exist. */
  collectImages(
    addresses: readonly string[],
    unownedBefore: Date,
    remove: (addresses: readonly string[]) => Promise<void>,
  ): Promise<number> {
    return inTransaction(this.knex, async (transaction) => {
      if (!(await this.blockImports(transaction))) return 0;
      await disableTimeout(transaction);
      await rowsOf(transaction, UNOWNED_IMAGES_ALONE);
      const now = this.clock.now();
      const owned = await ownedOf(transaction, addresses);
      const unowned = addresses.filter((address) => !owned.has(address));
      await rowsOf(transaction)`DELETE FROM unowned_images WHERE address = ANY(${[...owned]}::text[])`;
      await rowsOf(transaction)`INSERT INTO unowned_images (address, since)
        SELECT address, ${now}::timestamptz FROM unnest(${unowned}::text[]) AS found (address)
        ON CONFLICT (address) DO UPDATE SET since = excluded.since
        WHERE ${isVoid(sql`unowned_images.since`, now, 0)}`;
      const due = await rowsOf<{ address: string }>(transaction)`DELETE FROM unowned_images WHERE address IN (
          SELECT address FROM unowned_images WHERE address = ANY(${unowned}::text[]) AND since < ${unownedBefore}
          LIMIT ${REMOVED_MAX})
        RETURNING address`;
      if (due.length === 0) return 0;
      const gone = due.map(({ address }) => address);
      await remove(gone);
      await forget(transaction, gone);
      return gone.length;
    });
  }

  /** Makes imports that start wait for the end of the transaction; false while one runs. */
  private async blockImports(transaction: Knex): Promise<boolean> {
    await rowsOf(transaction)`LOCK TABLE catalog_import_lock IN SHARE MODE`;
    const now = this.clock.now();
    const running = await rowsOf(transaction)`SELECT holder FROM catalog_import_lock
      WHERE heartbeat_at > ${new Date(now.getTime() - IMPORT_DEAD_MS)} AND NOT ${isVoid(sql`heartbeat_at`, now, 0)}`;
    return running.length === 0;
  }
}

/** The addresses among these that a live row names, or one that is still to be derived. */
async function ownedOf(transaction: Knex, addresses: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await rowsOf<{ address: string }>(transaction)`SELECT DISTINCT address FROM (
      SELECT unnest(images || thumbnails) AS address FROM catalog_rows
      UNION ALL SELECT unnest(images || thumbnails) FROM categories
      UNION ALL SELECT unnest(images || thumbnails) FROM entities WHERE NOT deleted
      UNION ALL SELECT unnest(images || thumbnails) FROM products WHERE NOT deleted
      UNION ALL SELECT unnest(v.images || v.thumbnails) FROM variants v JOIN products p ON p.id = v.product_id
        WHERE NOT p.deleted
    ) AS named JOIN unnest(${addresses}::text[]) AS stored (address) USING (address)`;
  return new Set(rows.map(({ address }) => address));
}

async function forget(transaction: Knex, addresses: readonly string[]): Promise<void> {
  await rowsOf(transaction)`DELETE FROM catalog_stored_images
    WHERE address = ANY(${addresses}::text[]) OR thumbnail = ANY(${addresses}::text[])`;
  await rowsOf(transaction)`DELETE FROM images i WHERE address = ANY(${addresses}::text[])
    AND NOT EXISTS (SELECT FROM product_images p WHERE p.image_id = i.id)`;
}
