import type { Knex } from 'knex';
import { inject, injectable } from 'tsyringe';
import type { EmbeddingVersion } from '../models/indexing/embedding-version';
import { type NeighbourIndex, PORTS } from '../models/ports';
import type { Neighbour } from '../models/vision/neighbours';
import { embeddingTable, vectorText } from './embedding-table';
import { inTransaction, joined, rowsOf, type Sql, sql } from './sql';

/**
 * Candidates that the graph search keeps in hand. Recall@10 against exact search at a million vectors: .966 at 100,
 * .98 at 200.
 */
const EF_SEARCH = 200;

/** Several views of one image may crowd the nearest; so many rows are read for each image that is wanted. */
const OVERFETCH = 2;

/** Nearest images with pgvector: HNSW where the version has an index, an exact scan where it has none yet. */
@injectable()
export class PgvectorNeighbourIndex implements NeighbourIndex {
  constructor(@inject(PORTS.Knex) private readonly knex: Knex) {}

  async nearest(
    version: EmbeddingVersion,
    vectors: readonly Float32Array[],
    limit: number,
    category?: string,
  ): Promise<readonly Neighbour[]> {
    if (vectors.length === 0) return [];
    const searches = vectors.map((vector) => nearestViews(version.id, vector, limit * OVERFETCH, category));
    return inTransaction(this.knex, async (transaction) => {
      await rowsOf(
        transaction,
        sql`SELECT set_config('hnsw.ef_search', ${String(EF_SEARCH)}, true),
              set_config('hnsw.iterative_scan', 'strict_order', true)`,
      );
      return rowsOf<Neighbour>(
        transaction,
        sql`SELECT image_id AS "imageId", min(distance) AS distance FROM (${joined(searches, ' UNION ALL ')}) AS views
            GROUP BY image_id ORDER BY min(distance), image_id LIMIT ${limit}`,
      );
    });
  }
}

/**
 * The stored views nearest to one vector, of images that a live product shows. The negative inner product of unit
 * vectors is the cosine distance less one. The condition is part of the ordered scan, so it never costs rows.
 */
function nearestViews(versionId: number, vector: Float32Array, limit: number, category?: string): Sql {
  const query = sql`${vectorText(vector)}::halfvec`;
  const within = category === undefined ? sql`` : sql` AND p.category = ${category}`;
  return sql`(SELECT e.image_id, 1 + (e.embedding <#> ${query}) AS distance
    FROM ${embeddingTable(versionId)} e
    WHERE EXISTS (SELECT FROM product_images s JOIN products p ON p.id = s.product_id
      WHERE s.image_id = e.image_id AND NOT p.deleted${within})
    ORDER BY e.embedding <#> ${query} LIMIT ${limit})`;
}
