import type { Knex } from 'knex';
import pMap from 'p-map';
import { sqlStateOf } from '../../core/postgres-faults';
import { identifier, rowsOf, Sql, sql } from '../../core/sql';
import type { ImportLock } from './import-lock';

/** Tables of which all indexes but the key are made at the end: in a million rows, half the work of keeping them. */
const TABLES = ['catalog_search', 'search_words'];
/** Readers that come wait as long for those that are there; after that the indexes stay, and the import is slower. */
const LOCK_TIMEOUT = '500ms';
const LOCK_NOT_AVAILABLE = '55P03';
/** For each index at the same time. */
const MEMORY = '128MB';

/**
 * Takes the indexes of search away, until `makeIndexes`. What is searched meanwhile is found by reading all rows, so
 * this is for a catalog that has hardly any. Resolves to whether they are gone: not when somebody keeps them in use.
 */
export async function deferIndexes(lock: ImportLock): Promise<boolean> {
  try {
    await lock.transaction(async (trx) => {
      await rowsOf(trx, sql`SELECT set_config('lock_timeout', ${LOCK_TIMEOUT}, true)`);
      const deferred = await rowsOf<{ name: string }>(
        trx,
        sql`INSERT INTO deferred_indexes (name, definition)
            SELECT relname, pg_get_indexdef(pg_class.oid) FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
            WHERE indrelid = ANY(${TABLES}::regclass[]) AND NOT indisunique RETURNING name`,
      );
      for (const { name } of deferred) await rowsOf(trx, sql`DROP INDEX ${identifier(name)}`);
    });
    return true;
  } catch (failure) {
    if (sqlStateOf(failure) === LOCK_NOT_AVAILABLE) return false;
    throw failure;
  }
}

/** How many indexes are still to be made, also by an import before that was killed. */
export async function countDeferredIndexes(knex: Knex): Promise<number> {
  const [counted] = await rowsOf<{ count: number }>(
    knex,
    sql`SELECT count(*) AS count FROM deferred_indexes`,
  );
  return counted?.count ?? 0;
}

/** Makes them, each in a transaction of its own, as many at the same time as there are `connections`. */
export async function makeIndexes(
  knex: Knex,
  lock: ImportLock,
  connections: number,
  onMade: () => void,
): Promise<void> {
  const deferred = await rowsOf<{ name: string; definition: string }>(
    knex,
    sql`SELECT name, definition FROM deferred_indexes ORDER BY name`,
  );
  const make = async ({ name, definition }: { name: string; definition: string }) => {
    await lock.transaction(async (trx) => {
      // One process each: containers give processes that work together little memory to share.
      await rowsOf(
        trx,
        sql`SELECT set_config('maintenance_work_mem', ${MEMORY}, true),
              set_config('max_parallel_maintenance_workers', '0', true)`,
      );
      // Somebody may have made it by hand after an import was killed.
      if (!(await isThere(trx, name))) await rowsOf(trx, new Sql(definition));
      await rowsOf(trx, sql`DELETE FROM deferred_indexes WHERE name = ${name}`);
    });
    onMade();
  };
  await pMap(deferred, make, { concurrency: connections });
}

async function isThere(trx: Knex, index: string): Promise<boolean> {
  const [found] = await rowsOf<{ there: boolean }>(
    trx,
    sql`SELECT to_regclass(quote_ident(${index})) IS NOT NULL AS there`,
  );
  return found?.there === true;
}
