import type { Knex } from 'knex';
import { inject, injectable } from 'tsyringe';
import type { SearchScope } from '../../models/catalog/catalog-query';
import type { CatalogImage } from '../../models/indexing/embedding-version';
import { addTo } from '../../models/multimap';
import { type IdPage, type ImageSamples, PORTS, type ProductWithPictures } from '../../models/ports';
import { conditionsOnProducts } from '../catalog/search/catalog-clauses';
import { allOf, rowsOf, type Sql, sql } from '../core/sql';
import { embeddingsOf, isShown, vectorOf } from './embedding-tables';

/** A product with one of its pictures; null where it has none. */
interface PictureRow {
  readonly id: string;
  readonly popularity: number;
  readonly image: number | null;
  readonly vectors: readonly string[];
}

@injectable()
export class PostgresImageSamples implements ImageSamples {
  constructor(@inject(PORTS.Knex) private readonly knex: Knex) {}

  sample(versionIds: readonly number[], count: number, seed: number): Promise<readonly CatalogImage[]> {
    const embedded = versionIds.map(
      (id) => sql`EXISTS (SELECT FROM ${embeddingsOf(id)} e WHERE e.image_id = i.id)`,
    );
    return rowsOf<CatalogImage>(this.knex)`
      SELECT i.id::float8 AS id, i.address FROM images i WHERE ${isShown(sql`i.id`)} AND ${allOf(embedded)}
        AND NOT EXISTS (
          SELECT FROM product_images p WHERE p.image_id = i.id AND p.product_id IN (
            SELECT unnest(products) FROM embedding_maps WHERE version_id = ANY(${[...versionIds]}::integer[])))
      ORDER BY md5(${String(seed)}::text || ' ' || i.address), i.id LIMIT ${count}`;
  }

  async imagesOf(productIds: readonly string[]): Promise<ReadonlyMap<string, readonly CatalogImage[]>> {
    const rows = await rowsOf<CatalogImage & { product: string }>(this.knex)`
      SELECT p.product_id AS product, i.id::float8 AS id, i.address FROM product_images p JOIN images i ON i.id = p.image_id
      WHERE p.product_id = ANY(${[...productIds]}::text[]) ORDER BY i.id`;
    const images = new Map<string, CatalogImage[]>();
    for (const { product, ...image } of rows) addTo(images, product, image);
    return images;
  }

  productsIn(versionId: number, scope: SearchScope, { afterId, limit }: IdPage<string>) {
    const conditions = [sql`kind = 'product'`, sql`id > ${afterId}`, ...conditionsOnProducts(scope)];
    return this.#withPictures(
      versionId,
      sql`SELECT id, popularity FROM catalog_search WHERE ${allOf(conditions)} ORDER BY id LIMIT ${limit}`,
    );
  }

  picturesOf(versionId: number, productIds: readonly string[]): Promise<readonly ProductWithPictures[]> {
    return this.#withPictures(
      versionId,
      sql`SELECT id, popularity FROM catalog_search
          WHERE kind = 'product' AND id = ANY(${[...productIds]}::text[])`,
    );
  }

  /** @param products their ids and popularity */
  async #withPictures(versionId: number, products: Sql): Promise<readonly ProductWithPictures[]> {
    const rows = await rowsOf<PictureRow>(this.knex)`SELECT r.id, r.popularity, p.image_id::float8 AS image,
        array_remove(array_agg(e.embedding::text ORDER BY e.view), NULL) AS vectors
      FROM (${products}) AS r
      LEFT JOIN product_images p ON p.product_id = r.id
      LEFT JOIN ${embeddingsOf(versionId)} e ON e.image_id = p.image_id
      GROUP BY r.id, r.popularity, p.image_id ORDER BY r.id, p.image_id`;
    const found = new Map<string, ProductWithPictures>();
    for (const { id, popularity, image, vectors } of rows) {
      const picture = image === null ? [] : [{ imageId: image, vectors: vectors.map(vectorOf) }];
      found.set(id, { id, popularity, pictures: [...(found.get(id)?.pictures ?? []), ...picture] });
    }
    return [...found.values()];
  }

  async productsWithPictures(
    versionId: number,
    least: number,
    limit: number,
  ): Promise<{ total: number; ids: readonly string[] }> {
    const rows = await rowsOf<{ id: string; total: number }>(this.knex)`
      SELECT p.product_id AS id, count(*) OVER ()::integer AS total
      FROM product_images p JOIN catalog_search r ON r.id = p.product_id
      WHERE EXISTS (SELECT FROM ${embeddingsOf(versionId)} e WHERE e.image_id = p.image_id)
      GROUP BY p.product_id HAVING count(DISTINCT p.image_id) >= ${least}
      ORDER BY md5(p.product_id), p.product_id LIMIT ${limit}`;
    return { total: rows[0]?.total ?? 0, ids: rows.map(({ id }) => id) };
  }

  async vectorsAt(versionId: number, addresses: readonly string[], limit: number) {
    const table = embeddingsOf(versionId);
    const rows = await rowsOf<Pick<PictureRow, 'vectors'>>(this.knex)`
      SELECT array_agg(e.embedding::text ORDER BY e.view) AS vectors
      FROM (
        SELECT i.id, array_position(${[...addresses]}::text[], i.address) AS place FROM images i
        WHERE i.address = ANY(${[...addresses]}::text[]) AND EXISTS (SELECT FROM ${table} e WHERE e.image_id = i.id)
        ORDER BY place LIMIT ${limit}
      ) AS first JOIN ${table} e ON e.image_id = first.id
      GROUP BY first.place ORDER BY first.place`;
    return rows.map(({ vectors }) => vectors.map(vectorOf));
  }

  async categoryShares(): Promise<ReadonlyMap<string, number>> {
    const rows = await rowsOf<{ category: string; share: number }>(this.knex)`
      SELECT r.category, count(DISTINCT p.image_id) / sum(count(DISTINCT p.image_id)) OVER ()::float8 AS share
      FROM product_images p JOIN catalog_search r ON r.id = p.product_id GROUP BY r.category ORDER BY r.category`;
    return new Map(rows.map(({ category, share }) => [category, share]));
  }
}
