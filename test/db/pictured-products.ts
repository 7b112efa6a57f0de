import type { Knex } from 'knex';
import { rowsOf, sql } from '../../db/core/sql';
import { Random } from '../../models/random';
import { writeCatalogRows } from '../support/catalog-rows';

/** Of the vectors in these tests. */
export const DIMENSIONS = 16;
/** Vectors of an image. */
export const VIEWS = 2;

/** The product that shows an image of `showImages`. */
export const productOf = (imageId: number) => `product_${imageId - 1}`;
/** One in a hundred is a watch. */
export const categoryOf = (imageId: number) => (imageId % 100 === 0 ? 'watches' : 'handbags');

/** Live products that show one new image each. */
export async function showImages(knex: Knex, count: number): Promise<number[]> {
  await rowsOf(
    knex,
    sql`INSERT INTO categories (id, name, hierarchy, name_fields)
        VALUES ('handbags', 'H', '{}', '{}'), ('watches', 'W', '{}', '{}') ON CONFLICT DO NOTHING`,
  );
  const images = await rowsOf<{ id: number }>(
    knex,
    sql`INSERT INTO images (address)
        SELECT 'https://pictures/' || (SELECT count(*) FROM images) + number || '.jpg'
        FROM generate_series(0, ${count - 1}::integer) AS number RETURNING id`,
  );
  const ids = images.map(({ id }) => id);
  await rowsOf(
    knex,
    sql`WITH shown AS (SELECT unnest(${ids.map(productOf)}::text[]) AS product, unnest(${ids}::bigint[]) AS image),
        made AS (INSERT INTO products (id, category, attributes) SELECT product, 'handbags', '{}' FROM shown)
        INSERT INTO product_images (image_id, product_id) SELECT image, product FROM shown`,
  );
  await writeCatalogRows(
    knex,
    ids.map((id) => ({
      ...{ id: productOf(id), kind: 'product', category: categoryOf(id) },
      ...{ popularity: 0, name: 'Bag', facets: [], words: [] },
    })),
  );
  return ids;
}

/** Reproducible numbers from 0 to 1. */
export function randomOf(seed: number): () => number {
  const random = new Random('vectors', seed);
  return () => random.next();
}

/** Of `DIMENSIONS`. */
export function unitVector(random: () => number): Float32Array {
  const values = Float32Array.from({ length: DIMENSIONS }, () => random() + random() + random() - 1.5);
  return values.map((value) => value / Math.hypot(...values));
}
