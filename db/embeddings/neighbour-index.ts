import type { Knex } from 'knex';
import { inject, injectable } from 'tsyringe';
import { EVERYTHING, type SearchScope } from '../../models/catalog/catalog-query';
import { unavailable } from '../../models/errors';
import { type NeighbourIndex, PORTS } from '../../models/ports';
import type { EmbeddingVersion } from '../../models/vision/embedding-model';
import type { ShownNeighbour } from '../../models/vision/neighbours';
import { conditionsOf } from '../catalog/search/catalog-clauses';
import { allOf, identifier, joined, rowsOf, type Sql, sql } from '../core/sql';
import {
  embeddingsOf,
  isShown,
  nearestIndexOf,
  productsShowing,
  vectorText,
  vectorType,
} from './embedding-tables';
import { hasNearestIndex } from './nearest-index-build';

/** Candidates that the approximate search keeps in view; more find more of the true nearest and take longer. */
const CANDIDATES_MIN = 100;
const CANDIDATES_MAX = 200;

/**
 * The share of products that a scope must have to be searched through the index. The nearest of few lie far apart in its graph,
 * and it finds some of them only. A scan finds all, and takes longer in a large catalog (docs/benchmarks.md).
 */
const INDEXED_SHARE_MIN = 0.25;

/** Products that are looked at to tell a scope's share: it is known to a few hundredths. */
const SAMPLE = 4_000;

/** An image with the inner product of its nearest view to each query view, negated as pgvector orders by it, and who shows it. */
interface NearRow {
  readonly image: number;
  readonly byView: readonly number[];
  readonly products: readonly string[];
}

/**
 * Nearest images by pgvector: through the approximate index of the version when it has one, else by a scan of all its
 * vectors, which is exact. All query vectors go in one statement.
 */
@injectable()
export class PgvectorNeighbourIndex implements NeighbourIndex {
  /** Versions that were seen to have an approximate index, which they keep. */
  readonly #indexed = new Set<number>();

  constructor(@inject(PORTS.Knex) private readonly knex: Knex) {}

  async nearest(
    version: EmbeddingVersion,
    photos: readonly (readonly Float32Array[])[],
    limit: number,
    scope: SearchScope = EVERYTHING,
  ): Promise<readonly ShownNeighbour[]> {
    const vectors = photos.flat();
    if (vectors.length === 0 || limit <= 0) return [];
    const shown = isShown(sql`e.image_id`, scope);
    const products = productsShowing(sql`image`, scope);
    const query = { version, vectors, each: limit, limit: limit * photos.length, shown, products };
    const scanned = this.#indexed.has(version.id)
      ? []
      : await rowsOf<NearRow>(this.knex, unlessIndexed(query));
    const rows = scanned.length > 0 ? scanned : await this.#nearestByIndex(query, scope);
    return rows.map(({ image, byView: near, products }) => {
      const byView = near.map(distanceOf);
      return { imageId: Number(image), products, distance: Math.min(...byView), byView };
    });
  }

  async #nearestByIndex(query: Query, scope: SearchScope): Promise<readonly NearRow[]> {
    const { id } = query.version;
    if (!this.#indexed.has(id)) {
      if (!(await hasNearestIndex(this.knex, id))) return rowsOf<NearRow>(this.knex, exact(query));
      this.#indexed.add(id);
    }
    const share = await this.#shareOf(scope);
    if (share < INDEXED_SHARE_MIN) return rowsOf<NearRow>(this.knex, exact(query));
    const found = await rowsOf<NearRow>(this.knex, byIndex(query, share));
    // Fewer than asked for: a filter may have ended the search early. The scan loses nothing.
    return found.length >= query.each ? found : rowsOf<NearRow>(this.knex, exact(query));
  }

  /** Of all products, by the pages of a random sample; all of them are looked at where they are few. */
  async #shareOf(scope: SearchScope): Promise<number> {
    const conditions = conditionsOf(scope);
    if (conditions.length === 0) return 1;
    const [line] = await rowsOf<{ share: number | null }>(
      this.knex,
      sql`SELECT avg((${allOf(conditions)})::int)::float8 AS share
          FROM catalog_search TABLESAMPLE SYSTEM (least(100, (
            SELECT 100.0 * ${SAMPLE} / greatest(1, sum(rows)) FROM term_counts WHERE term = ''
          ))) WHERE kind = 'product'`,
    );
    return line?.share ?? 0;
  }

  async check({ id, manifest }: EmbeddingVersion): Promise<void> {
    const [column] = await rowsOf<{ type: string }>(
      this.knex,
      sql`SELECT format_type(atttypid, atttypmod) AS type FROM pg_attribute
          WHERE attrelid = to_regclass(${embeddingsOf(id).text}) AND attname = 'embedding'`,
    );
    const wanted = vectorType(manifest.output.dimensions).text;
    if (!column) throw unavailable(`the vectors of version ${id} are missing`, 1);
    if (column.type !== wanted) {
      throw unavailable(`the vectors of version ${id} are ${column.type}, its model makes ${wanted}`, 1);
    }
  }
}

interface Query {
  readonly version: EmbeddingVersion;
  /** Of all views of all photos. */
  readonly vectors: readonly Float32Array[];
  /** Images wanted for each photo, and of all. */
  readonly each: number;
  readonly limit: number;
  /** That the image of vector `e` counts. */
  readonly shown: Sql;
  /** The products that show `image`. */
  readonly products: Sql;
}

/** Vectors of each query vector's neighbourhood that surely hold the wanted number of images. */
const neededOf = ({ version, each }: Query): number => each * version.manifest.views.catalog.length;

/** In a scope so many more that as many of its own are in view. */
const candidatesOf = (query: Query, share: number): number =>
  Math.round(Math.min(CANDIDATES_MAX, Math.max(CANDIDATES_MIN, neededOf(query))) / share);

/**
 * The images that the index finds near any query vector, then all their views against all query vectors. How the index is searched
 * is set by the statement itself, which spares a transaction and three ways to the database: a query vector is there only once that is
 * done, and no search begins without one.
 *
 * @param share of the products that count
 */
function byIndex(query: Query, share: number): Sql {
  const { version, vectors, limit, shown } = query;
  const type = vectorType(version.manifest.output.dimensions);
  const table = embeddingsOf(version.id);
  return sql`
    WITH asked AS MATERIALIZED (
      SELECT vector, set_config('hnsw.ef_search', ${String(candidatesOf(query, share))}, true),
        set_config('hnsw.iterative_scan', 'relaxed_order', true)
      FROM unnest(${vectors.map(vectorText)}::${type}[]) AS given (vector)
    ), near AS (
      SELECT found.image_id FROM asked CROSS JOIN LATERAL (
        SELECT e.image_id, e.embedding <#> asked.vector AS product FROM ${table} e
        WHERE ${shown} ORDER BY e.embedding <#> asked.vector LIMIT ${neededOf(query)}
      ) AS found
      GROUP BY found.image_id ORDER BY min(found.product), found.image_id LIMIT ${limit}
    )
    ${nearestViews(query, sql`${table} e JOIN near USING (image_id)`)}`;
}

/** One pass over all vectors, whatever the number of query vectors. */
const exact = (query: Query): Sql =>
  nearestViews(query, sql`${embeddingsOf(query.version.id)} e WHERE ${query.shown}`);

/**
 * The same for a version without an index, nothing for one that has it. One statement: the embedded database, which
 * belongs to a transaction while it lasts, does not wait for this process between its parts.
 */
const unlessIndexed = (query: Query): Sql =>
  exact({
    ...query,
    shown: sql`${query.shown} AND to_regclass(${nearestIndexOf(query.version.id)}) IS NULL`,
  });

/** The images of vectors `e`, nearest first, with the inner product of the nearest view to each query vector. Who shows them is looked up of those alone. */
function nearestViews({ version, vectors, limit, products }: Query, source: Sql): Sql {
  const type = vectorType(version.manifest.output.dimensions);
  const names = vectors.map((_, view) => identifier(`product_${view}`));
  const nearest = vectors.map(
    (vector, view) =>
      sql`min(e.embedding <#> ${vectorText(vector)}::${type}) AS ${identifier(`product_${view}`)}`,
  );
  return sql`
    SELECT image, ARRAY[${joined(names, ', ')}] AS "byView", ${products} AS products FROM (
      SELECT e.image_id AS image, ${joined(nearest, ', ')} FROM ${source} GROUP BY e.image_id
    ) AS seen
    ORDER BY least(${joined(names, ', ')}), image LIMIT ${limit}`;
}

/** Rounding can take a unit vector's product with itself a little beyond one. */
const distanceOf = (product: number): number => Math.min(2, Math.max(0, 1 + product));
