import type { Knex } from 'knex';
import { rowsOf } from '../../db/core/sql';
import { Random } from '../../models/random';
import { normalized } from '../../models/vision/linear-map';
import { writeCatalogRows } from '../support/catalog-rows';

/** Not a multiple of what the scan of vectors in memory compares at once. */
export const DIMENSIONS = 11;
export const VIEWS = 2;

/** The product that shows an image of `showImages`. */
export const productOf = (imageId: number) => `product_${imageId - 1}`;
export const categoryOf = (imageId: number) => (imageId % 100 === 0 ? 'watches' : 'handbags');

/** Live products that show one new image each. */
export async function showImages(knex: Knex, count: number): Promise<number[]> {
  await rowsOf(knex)`INSERT INTO categories (id, name, hierarchy, name_fields)
    VALUES ('handbags', 'H', '{}', '{}'), ('watches', 'W', '{}', '{}') ON CONFLICT DO NOTHING`;
  const images = await rowsOf<{ id: number }>(knex)`INSERT INTO images (address)
    SELECT 'https://pictures/' || (SELECT count(*) FROM images) + number || '.jpg'
    FROM generate_series(0, ${count - 1}::integer) AS number RETURNING id`;
  const ids = images.map(({ id }) => id);
  await rowsOf(knex)`
    WITH shown AS (SELECT unnest(${ids.map(productOf)}::text[]) AS product, unnest(${ids}::bigint[]) AS image),
    made AS (INSERT INTO products (id, category, attributes) SELECT product, 'handbags', '{}' FROM shown)
    INSERT INTO product_images (image_id, product_id) SELECT image, product FROM shown`;
  const rest = { kind: 'product', popularity: 0, name: 'Bag', facets: [], words: [] };
  const rows = ids.map((id) => ({ ...rest, id: productOf(id), category: categoryOf(id) }));
  await writeCatalogRows(knex, rows);
  return ids;
}

/** The unit vectors of one image after the other, always the same from a seed. */
export function viewsFrom(seed: number): (views?: number) => readonly Float32Array[] {
  const random = new Random('vectors', seed);
  const unitVector = () => normalized(Float32Array.from({ length: DIMENSIONS }, () => random.bell()));
  return (views = VIEWS) => Array.from({ length: views }, unitVector);
}
