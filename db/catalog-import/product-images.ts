import type { Knex } from 'knex';
import { embeddingsOf } from '../embedding-tables';
import { rowsOf, sql } from '../sql';
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
  const shownJson = JSON.stringify(shown);
  await rowsOf(
    trx,
    sql`INSERT INTO images (address)
     SELECT DISTINCT address FROM jsonb_to_recordset(${shownJson}::jsonb) AS given (address text)
     WHERE NOT EXISTS (SELECT 1 FROM images WHERE images.address = given.address)
     ON CONFLICT DO NOTHING`,
  );
  const rows = await rowsOf<{ image_id: number }>(
    trx,
    sql`WITH shown AS MATERIALIZED (
       SELECT images.id AS image_id, given.id AS product_id
       FROM jsonb_to_recordset(${shownJson}::jsonb) AS given (id text, address text) JOIN images USING (address)),
     added AS (INSERT INTO product_images SELECT image_id, product_id FROM shown ON CONFLICT DO NOTHING)
     DELETE FROM product_images old WHERE product_id = ANY(${products.map(({ id }) => id)}::text[]) AND NOT EXISTS (
       SELECT 1 FROM shown WHERE shown.image_id = old.image_id AND shown.product_id = old.product_id)
     RETURNING image_id`,
  );
  await forgetOrphans(trx, [...new Set(rows.map((row) => row.image_id))]);
}

async function forgetOrphans(trx: Knex, imageIds: readonly number[]): Promise<void> {
  if (imageIds.length === 0) return;
  const rows = await rowsOf<{ id: number }>(
    trx,
    sql`SELECT id FROM unnest(${imageIds}::bigint[]) AS id
     WHERE NOT EXISTS (SELECT 1 FROM product_images WHERE image_id = id)`,
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
