import type { Knex } from 'knex';
import pMap from 'p-map';
import { AppError } from '../../../models/errors';
import { sqlStateOf } from '../../core/postgres-faults';
import { identifier, rowsOf, Sql, sql } from '../../core/sql';
import { countOf } from './catalog-tables';
import type { InTransaction } from './record-store';

interface Upkeep {
  readonly knex: Knex;
  readonly inTransaction: InTransaction;
  /** Tasks at the same time; the embedded database has one session. */
  readonly connections: number;
}

/** Tables whose indexes, except for the key, are made at the end: half the work of keeping them, in a million rows. */
const DEFERRING_TABLES = ['catalog_search', 'search_words'];
/** Readers wait that long behind others for the lock; after that the indexes stay, and the import is slower. */
const LOCK_TIMEOUT = '500ms';
const LOCK_NOT_AVAILABLE = '55P03';
/** For each index at the same time. */
const MEMORY = '128MB';

/** Drops the indexes of search, until `makeIndexes`, unless somebody keeps them in use. Searches read all rows meanwhile. */
export async function deferIndexes({ inTransaction }: Pick<Upkeep, 'inTransaction'>): Promise<void> {
  try {
    await inTransaction(async (trx) => {
      await rowsOf(trx)`SELECT set_config('lock_timeout', ${LOCK_TIMEOUT}, true)`;
      const deferred = await rowsOf<{ name: string }>(trx)`INSERT INTO deferred_indexes (name, definition)
        SELECT relname, pg_get_indexdef(pg_class.oid) FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
        WHERE indrelid = ANY(${DEFERRING_TABLES}::regclass[]) AND NOT indisunique RETURNING name`;
      for (const { name } of deferred) await rowsOf(trx)`DROP INDEX ${identifier(name)}`;
    });
  } catch (failure) {
    if (sqlStateOf(failure) !== LOCK_NOT_AVAILABLE) throw failure;
  }
}

/** How many indexes are still to be made, including those of an earlier import that was killed. */
export const countDeferredIndexes = (knex: Knex): Promise<number> =>
  countOf(knex, sql`FROM deferred_indexes`);

export async function makeIndexes(
  { knex, inTransaction, connections }: Upkeep,
  onMade: () => void,
): Promise<void> {
  const deferred = await rowsOf<{ name: string; definition: string }>(knex)`
    SELECT name, definition FROM deferred_indexes ORDER BY name`;
  const make = async ({ name, definition }: { name: string; definition: string }) => {
    await inTransaction(async (trx) => {
      // One process each: containers give parallel processes little memory to share.
      await rowsOf(trx)`SELECT set_config('maintenance_work_mem', ${MEMORY}, true),
        set_config('max_parallel_maintenance_workers', '0', true)`;
      // Somebody may have made it by hand after an import was killed.
      const idempotent = definition.replace(/^CREATE INDEX /, 'CREATE INDEX IF NOT EXISTS ');
      await rowsOf(trx, new Sql(idempotent));
      await rowsOf(trx)`DELETE FROM deferred_indexes WHERE name = ${name}`;
    });
    onMade();
  };
  await pMap(deferred, make, { concurrency: connections });
}

/** Analysed only on the columns used for look-ups: statistics of the long ones cost as much as all others. */
const LOOKED_UP = [
  sql`categories (id)`,
  sql`tags (id)`,
  sql`synonyms (id, phrases)`,
  sql`catalog_rows (id, kind, category)`,
  sql`entities (id, kind, category, deleted)`,
  sql`products (id, category, deleted)`,
  sql`variants (id, product_id, "position", away_since)`,
  sql`market_estimates (variant_id, source, region)`,
  sql`estimate_history (variant_id, region, date, source)`,
  sql`listings (variant_id, region, link, date)`,
  sql`catalog_stale_rows (id)`,
];
/** Tables whose indexes alone answer queries where a vacuum has marked the rows as visible to all. */
const SCANNED = [sql`catalog_search`, sql`search_words`, sql`images`, sql`product_images`];

export async function tidyTables({ knex, inTransaction, connections }: Upkeep): Promise<void> {
  const analyze = (table: Sql) => inTransaction((trx) => rowsOf(trx)`ANALYZE ${table}`);
  const vacuum = (table: Sql) =>
    rowsOf(knex)`VACUUM (ANALYZE) ${table}`.catch((failure: unknown) => {
      // Vacuuming a very large table reaches the limit on statements: that is left to the server, statistics are not.
      if (failure instanceof AppError) return analyze(table);
      throw failure;
    });
  await pMap(SCANNED, vacuum, { concurrency: connections });
  await pMap(LOOKED_UP, analyze, { concurrency: connections });
}
