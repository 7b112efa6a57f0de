import { deriveRows } from '../../../../db/catalog/import/derived-rows';
import { identifier, inTransaction, rowsOf, type Sql, sql } from '../../../../db/core/sql';
import { coverageFaults } from '../answer-log';
import type { Knex } from '../installation';

/** Tables that hold something only while a change is under way. */
const EMPTIED = [
  'catalog_stale_rows',
  'catalog_import_lock',
  'catalog_import_preview',
  'deferred_indexes',
] as const;

const ROWS_AT_ONCE = 2_000;

/** What does not follow from the records as they stand, when nobody writes any more. */
export async function finalFaults(knex: Knex): Promise<string[]> {
  const faults: string[] = [];
  for (const table of EMPTIED) {
    faults.push(...(await none(knex, `lines left in ${table}`, sql`SELECT FROM ${identifier(table)}`)));
  }
  faults.push(...(await none(knex, 'rows that searches do not see as they are', UNLIKE_SEARCH)));
  faults.push(...(await none(knex, 'products with a row too many or too few', WITHOUT_ROW)));
  const outdated = await outdatedRows(knex);
  if (outdated > 0) faults.push(`${outdated} rows are not what their records say`);
  return [...faults, ...(await embeddingFaults(knex))];
}

async function none(knex: Knex, what: string, found: Sql): Promise<string[]> {
  const [line] = await rowsOf<{ count: number }>(
    knex,
    sql`SELECT count(*) AS count FROM (${found}) AS found`,
  );
  const count = Number(line?.count ?? 0);
  return count === 0 ? [] : [`${count} ${what}`];
}

const UNLIKE_SEARCH = sql`
  SELECT FROM catalog_rows AS shown FULL JOIN catalog_search AS searched USING (id)
  WHERE (shown.kind, shown.category, shown.popularity, shown.sort_key, shown.facets, shown.words) IS DISTINCT FROM
    (searched.kind, searched.category, searched.popularity, searched.sort_key, searched.facets, searched.words)`;

const WITHOUT_ROW = sql`
  SELECT FROM (SELECT id FROM products WHERE NOT deleted) AS living
  FULL JOIN (SELECT id FROM catalog_rows WHERE kind = 'product') AS shown USING (id)
  WHERE living.id IS NULL OR shown.id IS NULL`;

/** Derives every row again, counts those that change by it, and takes that back. */
async function outdatedRows(knex: Knex): Promise<number> {
  const ids: string[] = await knex('catalog_rows').orderBy('id').pluck('id');
  let changed = 0;
  for (let from = 0; from < ids.length; from += ROWS_AT_ONCE) {
    const some = ids.slice(from, from + ROWS_AT_ONCE);
    const takenBack = new Error('taken back');
    await inTransaction(knex, async (trx) => {
      await deriveRows(trx, some);
      const same = await rowsOf(
        trx,
        sql`SELECT FROM catalog_rows WHERE id = ANY(${some}::text[]) AND updated_at <> now()`,
      );
      changed += some.length - same.length;
      throw takenBack;
    }).catch((failure: unknown) => {
      if (failure !== takenBack) throw failure;
    });
  }
  return changed;
}

/** Of the live version: each picture that a product shows is embedded, once, and no other. */
async function embeddingFaults(knex: Knex): Promise<string[]> {
  const unfinished = await none(
    knex,
    'embedding versions that are neither built nor dropped',
    sql`SELECT FROM embedding_versions WHERE state = 'building'`,
  );
  const [live] = await rowsOf<{ id: number; images: number }>(
    knex,
    sql`SELECT id, (SELECT count(DISTINCT image_id) FROM product_images) AS images
        FROM embedding_versions WHERE state = 'live'`,
  );
  if (!live) return [...unfinished, 'no embedding version is live'];
  return [...unfinished, ...(await coverageFaults(knex, live.id, Number(live.images)))];
}
