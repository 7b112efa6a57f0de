import type { Knex } from 'knex';
import { inject, injectable } from 'tsyringe';
import { EVERYTHING, type SearchScope } from '../../models/catalog/catalog-query';
import { type ExactNeighbours, PORTS } from '../../models/ports';
import type { EmbeddingVersion } from '../../models/vision/embedding-model';
import { inTransaction, joined, rowsOf, sql } from '../core/sql';
import { embeddingsOf, isShown, vectorText, vectorType } from './embedding-tables';
import { hasNearestIndex } from './nearest-index-build';

/** The exact search by pgvector: one pass over all vectors, which no index can take part in. */
@injectable()
export class PgvectorExactNeighbours implements ExactNeighbours {
  constructor(@inject(PORTS.Knex) private readonly knex: Knex) {}

  isApproximate({ id }: EmbeddingVersion): Promise<boolean> {
    return hasNearestIndex(this.knex, id);
  }

  async nearest(
    version: EmbeddingVersion,
    vectors: readonly Float32Array[],
    limit: number,
    scope: SearchScope = EVERYTHING,
  ): Promise<readonly number[]> {
    if (vectors.length === 0 || limit <= 0) return [];
    const type = vectorType(version.manifest.output.dimensions);
    const products = vectors.map((vector) => sql`e.embedding <#> ${vectorText(vector)}::${type}`);
    const rows = await inTransaction(this.knex, async (transaction) => {
      await rowsOf(transaction, sql`SET LOCAL statement_timeout = 0`);
      return rowsOf<{ image: number }>(
        transaction,
        sql`SELECT e.image_id AS image, min(least(${joined(products, ', ')})) AS product
            FROM ${embeddingsOf(version.id)} e WHERE ${isShown(sql`e.image_id`, scope)}
            GROUP BY e.image_id ORDER BY product, image LIMIT ${limit}`,
      );
    });
    return rows.map(({ image }) => Number(image));
  }
}
