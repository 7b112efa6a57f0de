import type { Knex } from 'knex';
import { query } from './query';
import type { ProductRecord } from './records';

/** Every picture that shows a product: its own and those of its variants. */
export const picturesOf = (product: ProductRecord): string[] => [
  ...new Set([...product.images, ...product.variants.flatMap((variant) => variant.images)]),
];

/**
 * Makes the pictures of each product those that are given, none for one that left the catalog. A picture that no
 * product shows any more loses its vectors in every embedding version, so that no photo is matched with it.
 */
export async function writeProductImages(
  trx: Knex,
  products: readonly { readonly id: string; readonly addresses: readonly string[] }[],
): Promise<void> {
  if (products.length === 0) return;
  const shown = products.flatMap(({ id, addresses }) => addresses.map((address) => ({ id, address })));
  await query(
    trx,
    `INSERT INTO images (address)
     SELECT DISTINCT address FROM jsonb_to_recordset(?::jsonb) AS given (address text)
     WHERE NOT EXISTS (SELECT 1 FROM images WHERE images.address = given.address)
     ON CONFLICT DO NOTHING`,
    [JSON.stringify(shown)],
  );
  const rows = await query<{ image_id: number }>(
    trx,
    `WITH shown AS MATERIALIZED (
       SELECT images.id AS image_id, given.id AS product_id
       FROM jsonb_to_recordset(?::jsonb) AS given (id text, address text) JOIN images USING (address)),
     added AS (INSERT INTO product_images SELECT image_id, product_id FROM shown ON CONFLICT DO NOTHING)
     DELETE FROM product_images old WHERE product_id = ANY(?) AND NOT EXISTS (
       SELECT 1 FROM shown WHERE shown.image_id = old.image_id AND shown.product_id = old.product_id)
     RETURNING image_id`,
    [JSON.stringify(shown), products.map(({ id }) => id)],
  );
  await forgetOrphans(trx, [...new Set(rows.map((row) => row.image_id))]);
}

async function forgetOrphans(trx: Knex, imageIds: readonly number[]): Promise<void> {
  if (imageIds.length === 0) return;
  const rows = await query<{ id: number }>(
    trx,
    `SELECT id FROM unnest(?::bigint[]) AS id
     WHERE NOT EXISTS (SELECT 1 FROM product_images WHERE image_id = id)`,
    [imageIds],
  );
  const orphans = rows.map((row) => row.id);
  if (orphans.length === 0) return;
  await trx('embedding_failures').whereIn('image_id', orphans).delete();
  const versions: { id: number }[] = await trx('embedding_versions').select('id');
  for (const version of versions) {
    await query(trx, 'DELETE FROM ?? WHERE image_id = ANY(?::bigint[])', [
      `embeddings_${version.id}`,
      orphans,
    ]);
  }
}
