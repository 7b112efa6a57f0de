import type { Knex } from 'knex';
import { type Deletion, type DerivedProduct, isDeletion } from '../../../models/catalog/import/records';
import { rowsOf, sql } from '../../core/sql';
import { doubtBest, estimatesOfProducts, raiseBest } from './best-estimates';
import { writeProductImages } from './product-images';
import { SOURCE_TABLES } from './source-tables';
import { stage, upsertStaged } from './staging';
import type { Vocabulary } from './vocabulary';
import { CATALOG_ROWS, deleteRows, writeStagedRows } from './write-rows';

const { products, variants } = SOURCE_TABLES;
const ESTIMATES_THAT_MOVE = estimatesOfProducts(sql`SELECT id FROM moved_products`);

/**
 * Writes products with their variants, pictures and rows. A variant that a record no longer names is gone with its
 * prices; one that belonged to a deleted product moves with them. Ids must not repeat. Rows above whose best estimate left
 * are noted.
 */
export async function writeProducts(
  trx: Knex,
  records: readonly (DerivedProduct | Deletion)[],
  vocabulary: Vocabulary,
): Promise<string[]> {
  const live = records.filter((record): record is DerivedProduct => !isDeletion(record));
  const gone = records.filter(isDeletion).map(({ id }) => id);
  const rows = live.map(({ row }) => row);
  await stage(
    trx,
    products,
    live.map((record) => ({ ...record, deleted: false })),
  );
  await stage(
    trx,
    variants,
    live.flatMap(({ id, variants }) =>
      variants.map((variant, position) => ({ ...variant, product_id: id, position })),
    ),
  );
  await stage(trx, CATALOG_ROWS, rows);
  await noteMoved(trx, gone);
  await doubtBest(trx, ESTIMATES_THAT_MOVE);
  await writeSources(trx, gone);
  await writeProductImages(trx, gone);
  await writeStagedRows(trx, rows, vocabulary);
  await deleteRows(trx, gone);
  return await raiseBest(trx, ESTIMATES_THAT_MOVE);
}

/** Notes the products whose estimates come below other rows, or are other ones. */
async function noteMoved(trx: Knex, gone: readonly string[]): Promise<void> {
  await rowsOf(
    trx,
    sql`CREATE TEMPORARY TABLE IF NOT EXISTS moved_products (id text PRIMARY KEY) ON COMMIT DELETE ROWS`,
  );
  await rowsOf(trx, sql`DELETE FROM moved_products`);
  await rowsOf(
    trx,
    sql`INSERT INTO moved_products
        SELECT id FROM staged_catalog_rows AS given
        WHERE EXISTS (SELECT FROM catalog_search AS old WHERE old.id = given.id AND old.facets <> given.facets OFFSET 0)
          OR EXISTS (SELECT FROM products AS old WHERE old.id = given.id AND old.deleted OFFSET 0)
          OR EXISTS (SELECT FROM variants AS old WHERE old.product_id = given.id AND NOT EXISTS (
            SELECT FROM staged_variants AS kept WHERE (kept.id, kept.product_id) = (old.id, old.product_id) OFFSET 0)
            OFFSET 0)
        UNION
        SELECT product_id FROM staged_variants AS given WHERE EXISTS (
          SELECT FROM variants AS old WHERE old.id = given.id AND old.product_id <> given.product_id OFFSET 0)
        UNION
        SELECT unnest(${gone}::text[])`,
  );
}

async function writeSources(trx: Knex, gone: readonly string[]): Promise<void> {
  await upsertStaged(trx, products);
  await rowsOf(
    trx,
    sql`UPDATE products SET deleted = true, updated_at = now() WHERE id = ANY(${gone}::text[]) AND NOT deleted`,
  );
  await rowsOf(
    trx,
    sql`DELETE FROM variants WHERE id IN (
          SELECT old.id FROM staged_products AS given CROSS JOIN LATERAL (
            SELECT id, product_id FROM variants WHERE product_id = given.id OFFSET 0) AS old
          WHERE NOT EXISTS (
            SELECT FROM staged_variants AS kept WHERE (kept.id, kept.product_id) = (old.id, old.product_id) OFFSET 0))`,
  );
  await upsertStaged(trx, variants);
}
