import type { Knex } from 'knex';
import { fromSql, toSql } from 'pgvector';
import { NO_FILTER, type SearchScope } from '../../models/catalog/catalog-query';
import { unavailable } from '../../models/errors';
import type { EmbeddingVersion } from '../../models/vision/embedding-model';
import { conditionsOnProducts } from '../catalog/search/catalog-clauses';
import { allOf, identifier, rowsOf, Sql, sql } from '../core/sql';

/** `(image_id, view, embedding, written_by)`, a row per catalog view; the transaction `written_by` is null in older rows. */
export const embeddingsOf = (versionId: number): Sql => identifier(`embeddings_${versionId}`);

/** Name of the approximate index over a version's vectors; while they are few there is none. */
export const nearestIndexOf = (versionId: number): string => `embeddings_${versionId}_nearest`;

/** The column type of vectors. Half precision loses no match and takes half the space. */
export function vectorType(dimensions: number): Sql {
  if (!Number.isInteger(dimensions) || dimensions < 1 || dimensions > 4_000) {
    throw new RangeError(`vectors have 1 to 4000 dimensions, not ${dimensions}`);
  }
  return new Sql(`halfvec(${dimensions})`);
}

/** A vector as pgvector reads it, with the digits that half precision can hold. */
export const vectorText = (vector: Float32Array): string =>
  toSql(Array.from(vector, (value) => Number(value.toPrecision(5))));

export const vectorOf = (text: string): Float32Array => Float32Array.from(fromSql(text));

/** A live product of the scope shows the image whose id is in the column. */
export const isShown = (imageId: Sql, scope: SearchScope = NO_FILTER): Sql =>
  sql`EXISTS (SELECT ${shows(imageId, scope)})`;

/** The ids of the live products of the scope that show it, in their order. */
export const productsShowing = (imageId: Sql, scope: SearchScope): Sql =>
  sql`ARRAY(SELECT p.product_id ${shows(imageId, scope)} ORDER BY p.product_id)`;

/** The ids of the images that live products of the scope show. */
export const imagesShown = (scope: SearchScope): Sql =>
  sql`SELECT DISTINCT p.image_id::float8 FROM product_images p JOIN catalog_search ON id = p.product_id
      WHERE ${allOf(conditionsOnProducts(scope))}`;

/** @throws unavailable when the vectors of a version are missing or do not match its model */
export async function checkVectors(knex: Knex, { id, manifest }: EmbeddingVersion): Promise<void> {
  const [column] = await rowsOf<{ type: string }>(knex)`
    SELECT format_type(atttypid, atttypmod) AS type FROM pg_attribute
    WHERE attrelid = to_regclass(${embeddingsOf(id).text}) AND attname = 'embedding'`;
  const wanted = vectorType(manifest.output.dimensions).text;
  if (!column) throw unavailable(`the vectors of version ${id} are missing`, 1);
  if (column.type !== wanted) {
    throw unavailable(`the vectors of version ${id} are ${column.type}, its model makes ${wanted}`, 1);
  }
}

const shows = (imageId: Sql, scope: SearchScope): Sql =>
  sql`FROM product_images p JOIN catalog_search ON id = p.product_id
      WHERE p.image_id = ${imageId} AND ${allOf(conditionsOnProducts(scope))}`;
