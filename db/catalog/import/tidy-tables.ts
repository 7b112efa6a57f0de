import type { Knex } from 'knex';
import pMap from 'p-map';
import { AppError } from '../../../models/errors';
import { identifier, rowsOf, type Sql, sql } from '../../core/sql';
import type { ImportLock } from './import-lock';

/** Tables of which queries read indexes alone where a vacuum has marked the rows as visible to all. */
const SCANNED_TABLES = ['catalog_search', 'term_counts', 'search_words', 'images', 'product_images'];
/** Their dead rows are left to the server, or to the housekeeper of the embedded database. */
const OTHER_TABLES = [
  'categories',
  'tags',
  'synonyms',
  'entities',
  'products',
  'variants',
  'catalog_rows',
  'market_estimates',
  'estimate_history',
  'listings',
  'catalog_stale_rows',
];
/** Vacuums and analyses the tables of a catalog, as many at the same time as there are `connections`. */
export async function tidyTables(knex: Knex, lock: ImportLock, connections: number): Promise<void> {
  const analyze = (table: Sql) =>
    lock.transaction(async (trx) => {
      await rowsOf(trx, sql`ANALYZE ${table}`);
    });
  const vacuum = async (table: Sql) => {
    try {
      await rowsOf(knex, sql`VACUUM (ANALYZE) ${table}`);
    } catch (failure) {
      if (!(failure instanceof AppError)) throw failure;
      // A vacuum of a very large table meets the limit on statements: that is left to the server, statistics are not.
      await analyze(table);
    }
  };
  const tasks = [
    ...SCANNED_TABLES.map((table) => () => vacuum(identifier(table))),
    ...OTHER_TABLES.map((table) => () => analyze(identifier(table))),
  ];
  await pMap(tasks, (task) => task(), { concurrency: connections });
}
