import type { Knex } from 'knex';
import { type Deletion, type DerivedProduct, isDeletion } from '../../../models/catalog/import/records';
import { rowsOf, sql } from '../../core/sql';
import { stage, upsertStaged } from '../../core/staging';
import { embeddingsOf } from '../../embeddings/embedding-tables';
import { doubtBest, estimatesOfProducts, raiseBest } from './best-estimates';
import { SOURCE_TABLES } from './source-tables';
import { deriveRows } from './stale-rows';
import type { Vocabulary } from './vocabulary';
import { CATALOG_ROWS, deleteRows, writeStagedRows } from './write-rows';

const { products, variants } = SOURCE_TABLES;
const ESTIMATES_THAT_MOVE = estimatesOfProducts(sql`SELECT id FROM moved_products`);

/**
 * Writes products with their variants, pictures and rows. A variant that its product no longer names is away, with its
 * prices; one that was away, or another product's, comes with them (contract 13.15). Ids must not repeat, those of variants
 * neither. Rows above whose best estimate left are noted.
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
  const bereft = await findBereft(trx, gone);
  await noteMoved(trx, [...gone, ...bereft]);
  await doubtBest(trx, ESTIMATES_THAT_MOVE);
  await writeSources(trx, gone);
  await writeProductImages(trx, gone, bereft);
  await writeStagedRows(trx, rows, vocabulary);
  await deleteRows(trx, gone);
  await deriveRows(trx, bereft);
  return await raiseBest(trx, ESTIMATES_THAT_MOVE);
}

/** The live products, besides the staged ones and those that are gone, that lose a variant to a staged one. */
async function findBereft(trx: Knex, gone: readonly string[]): Promise<string[]> {
  const bereft = await rowsOf<{ id: string }>(
    trx,
    sql`SELECT DISTINCT old.product_id AS id FROM staged_variants AS given
        CROSS JOIN LATERAL (SELECT product_id FROM variants WHERE id = given.id OFFSET 0) AS old
        WHERE NOT EXISTS (SELECT FROM staged_products WHERE id = old.product_id OFFSET 0)
          AND EXISTS (SELECT FROM products WHERE id = old.product_id AND NOT deleted OFFSET 0)
          AND NOT old.product_id = ANY(${gone}::text[])`,
  );
  return bereft.map(({ id }) => id);
}

/** Notes the staged products whose estimates come below other rows, or are other ones, and `others`. */
async function noteMoved(trx: Knex, others: readonly string[]): Promise<void> {
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
          SELECT FROM variants AS old
          WHERE old.id = given.id AND old.product_id IS DISTINCT FROM given.product_id OFFSET 0)
        UNION
        SELECT unnest(${others}::text[])`,
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
    sql`UPDATE variants SET product_id = NULL, away_since = now() WHERE id IN (
          SELECT old.id FROM staged_products AS given CROSS JOIN LATERAL (
            SELECT id FROM variants WHERE product_id = given.id OFFSET 0) AS old
          WHERE NOT EXISTS (SELECT FROM staged_variants WHERE id = old.id OFFSET 0))`,
  );
  await upsertStaged(trx, variants);
}

/**
 * Makes the pictures of each staged product, and of those that lost a variant, those that it and its variants have, and
 * takes away all of those that are gone. A picture that no product shows any more loses its vectors in every embedding version, so that no photo is
 * matched with it.
 */
async function writeProductImages(
  trx: Knex,
  gone: readonly string[],
  bereft: readonly string[],
): Promise<void> {
  const shown = sql`
    SELECT id AS product_id, unnest(images) AS address FROM staged_products
    UNION SELECT product_id, unnest(images) FROM staged_variants
    UNION SELECT id, unnest(images) FROM products WHERE id = ANY(${bereft}::text[])
    UNION SELECT product_id, unnest(images) FROM variants WHERE product_id = ANY(${bereft}::text[])`;
  await rowsOf(
    trx,
    sql`INSERT INTO images (address)
        SELECT DISTINCT address FROM (${shown}) AS given
        WHERE NOT EXISTS (SELECT FROM images WHERE images.address = given.address OFFSET 0) ON CONFLICT DO NOTHING`,
  );
  const left = await rowsOf<{ image_id: number }>(
    trx,
    sql`WITH shown AS MATERIALIZED (
          SELECT image.id AS image_id, product_id FROM (${shown}) AS given
          CROSS JOIN LATERAL (SELECT id FROM images WHERE images.address = given.address OFFSET 0) AS image),
        added AS (INSERT INTO product_images SELECT image_id, product_id FROM shown ON CONFLICT DO NOTHING)
        DELETE FROM product_images WHERE (image_id, product_id) IN (
          SELECT old.image_id, old.product_id
          FROM (SELECT id FROM staged_products UNION ALL SELECT unnest(${[...gone, ...bereft]}::text[])) AS given
          CROSS JOIN LATERAL (SELECT * FROM product_images WHERE product_id = given.id OFFSET 0) AS old
          EXCEPT SELECT image_id, product_id FROM shown)
        RETURNING image_id`,
  );
  await forgetOrphans(trx, [...new Set(left.map((row) => row.image_id))]);
}

async function forgetOrphans(trx: Knex, imageIds: readonly number[]): Promise<void> {
  if (imageIds.length === 0) return;
  // Locked against a worker that stores vectors of them at this moment.
  const rows = await rowsOf<{ id: number }>(
    trx,
    sql`SELECT id FROM images WHERE id = ANY(${imageIds}::bigint[])
          AND NOT EXISTS (SELECT FROM product_images WHERE image_id = id)
        ORDER BY id FOR NO KEY UPDATE`,
  );
  const orphans = rows.map((row) => row.id);
  if (orphans.length === 0) return;
  await trx('embedding_failures').whereIn('image_id', orphans).delete();
  const versions: { id: number }[] = await trx('embedding_versions')
    .whereNot({ state: 'pruned' })
    // Until the import commits, none of them is pruned.
    .forShare()
    .select('id');
  for (const version of versions) {
    await rowsOf(
      trx,
      sql`DELETE FROM ${embeddingsOf(version.id)} WHERE image_id = ANY(${orphans}::bigint[])`,
    );
  }
}
