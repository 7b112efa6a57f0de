import type { Knex } from 'knex';
import { inject, injectable } from 'tsyringe';
import type { CatalogImage } from '../../models/indexing/embedding-version';
import { type ImageSamples, PORTS } from '../../models/ports';
import { allOf, rowsOf, sql } from '../core/sql';
import { embeddingsOf, isShown } from './embedding-tables';

/** Pictures of the catalog in PostgreSQL, to make queries of. */
@injectable()
export class PostgresImageSamples implements ImageSamples {
  constructor(@inject(PORTS.Knex) private readonly knex: Knex) {}

  async sample(versionIds: readonly number[], count: number, seed: number): Promise<readonly CatalogImage[]> {
    const embedded = versionIds.map(
      (id) => sql`EXISTS (SELECT FROM ${embeddingsOf(id)} e WHERE e.image_id = i.id)`,
    );
    const rows = await rowsOf<CatalogImage>(
      this.knex,
      sql`SELECT i.id, i.address FROM images i WHERE ${isShown(sql`i.id`)} AND ${allOf(embedded)}
          ORDER BY md5(${String(seed)}::text || ' ' || i.address), i.id LIMIT ${count}`,
    );
    return rows.map(({ id, address }) => ({ id: Number(id), address }));
  }

  async imagesOf(productIds: readonly string[]): Promise<ReadonlyMap<string, readonly CatalogImage[]>> {
    const rows = await rowsOf<CatalogImage & { product: string }>(
      this.knex,
      sql`SELECT p.product_id AS product, i.id, i.address FROM product_images p JOIN images i ON i.id = p.image_id
          WHERE p.product_id = ANY(${[...productIds]}::text[]) ORDER BY i.id`,
    );
    const images = new Map<string, CatalogImage[]>();
    for (const { product, id, address } of rows) {
      images.set(product, [...(images.get(product) ?? []), { id: Number(id), address }]);
    }
    return images;
  }

  async categoryShares(): Promise<ReadonlyMap<string, number>> {
    const rows = await rowsOf<{ category: string; images: number }>(
      this.knex,
      sql`SELECT r.category, count(DISTINCT p.image_id) AS images
          FROM product_images p JOIN catalog_search r ON r.id = p.product_id GROUP BY r.category ORDER BY r.category`,
    );
    const total = rows.reduce((sum, { images }) => sum + Number(images), 0);
    return new Map(rows.map(({ category, images }) => [category, Number(images) / Math.max(1, total)]));
  }
}
