import type { Knex } from 'knex';
import { rowsOf, sql } from '../../core/sql';
import { embeddingsOf } from '../../embeddings/embedding-tables';

/**
 * Makes the pictures of each staged product those that it and its variants have, and takes away all of those that are
 * gone. A picture that no product shows any more loses its vectors in every embedding version, so that no photo is
 * matched with it.
 */
export async function writeProductImages(trx: Knex, gone: readonly string[]): Promise<void> {
  const shown = sql`
    SELECT id AS product_id, unnest(images) AS address FROM staged_products
    UNION SELECT product_id, unnest(images) FROM staged_variants`;
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
          FROM (SELECT id FROM staged_products UNION ALL SELECT unnest(${gone}::text[])) AS given
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
