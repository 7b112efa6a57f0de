import type { Knex } from 'knex';
import { AppError } from '../../models/errors';
import { identifier, rowsOf, type Sql, sql } from '../sql';
import type { ImportLock } from './import-lock';

/** Tables of which queries read indexes alone where a vacuum has marked the rows as visible to all. */
const SCANNED_TABLES = ['catalog_search', 'catalog_counts', 'search_words', 'images', 'product_images'];
/** Their dead rows are left to the server, or to the housekeeper of the embedded database. */
const OTHER_TABLES = [
  'categories',
  'tags',
  'entities',
  'products',
  'variants',
  'catalog_rows',
  'market_estimates',
  'estimate_history',
  'listings',
  'catalog_stale_rows',
];
/** A load adds a line for each of its marks; a mark of more lines than this has them merged. */
const COUNT_LINES_MAX = 8;

/** Vacuums and analyses the tables of a catalog, as many at the same time as there are `lanes`. */
export async function tidyTables(knex: Knex, lock: ImportLock, lanes: number): Promise<void> {
  const analyze = (table: Sql) => lock.sharedTransaction((trx) => rowsOf(trx, sql`ANALYZE ${table}`));
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
  ].values();
  const work = async () => {
    for (const task of tasks) await task();
  };
  await Promise.all(Array.from({ length: lanes }, work));
}

/** Merges the lines of marks that have many of them. */
export async function mergeCounts(trx: Knex): Promise<void> {
  await rowsOf(
    trx,
    sql`WITH many AS (
          SELECT kind, category, mark FROM catalog_counts
          GROUP BY kind, category, mark HAVING count(*) > ${COUNT_LINES_MAX}
        ),
        gone AS (
          DELETE FROM catalog_counts c USING many m
          WHERE (c.kind, c.category, c.mark) = (m.kind, m.category, m.mark) RETURNING c.*
        )
        INSERT INTO catalog_counts (kind, category, mark, rows)
        SELECT kind, category, mark, sum(rows) FROM gone GROUP BY kind, category, mark HAVING sum(rows) <> 0`,
  );
}
