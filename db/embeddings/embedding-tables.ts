import { fromSql, toSql } from 'pgvector';
import { EVERYTHING, type SearchScope } from '../../models/catalog/catalog-query';
import { conditionsOnProducts } from '../catalog/search/catalog-clauses';
import { allOf, identifier, Sql, sql } from '../core/sql';

/** The table of a version's vectors: `(image_id, view, embedding)`, one row per catalog view of an image. */
export const embeddingsOf = (versionId: number): Sql => identifier(`embeddings_${versionId}`);

/** Name of the approximate index over a version's vectors; while they are few there is none. */
export const nearestIndexOf = (versionId: number): string => `embeddings_${versionId}_nearest`;

/** The column type of vectors. Half precision loses no match and takes half the room. */
export function vectorType(dimensions: number): Sql {
  if (!Number.isInteger(dimensions) || dimensions < 1 || dimensions > 4_000) {
    throw new RangeError(`vectors have 1 to 4000 dimensions, not ${dimensions}`);
  }
  return new Sql(`halfvec(${dimensions})`);
}

/** A vector as pgvector reads it, with the digits that half precision can hold. */
export const vectorText = (vector: Float32Array): string =>
  toSql(Array.from(vector, (value) => Number(value.toPrecision(5))));

/** What `vectorText` wrote, as the database answers it. */
export const vectorOf = (text: string): Float32Array => Float32Array.from(fromSql(text));

/** That a live product of the scope shows the image whose id is in the column. */
export const isShown = (imageId: Sql, scope: SearchScope = EVERYTHING): Sql =>
  sql`EXISTS (SELECT ${shows(imageId, scope)})`;

/** The ids of the live products of the scope that show it, in their order. */
export const productsShowing = (imageId: Sql, scope: SearchScope): Sql =>
  sql`ARRAY(SELECT p.product_id ${shows(imageId, scope)} ORDER BY p.product_id)`;

const shows = (imageId: Sql, scope: SearchScope): Sql =>
  sql`FROM product_images p JOIN catalog_search ON id = p.product_id
      WHERE p.image_id = ${imageId} AND ${allOf(conditionsOnProducts(scope))}`;
