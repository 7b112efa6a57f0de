import type { Knex } from 'knex';
import { LRUCache } from 'lru-cache';
import { inject, injectable } from 'tsyringe';
import { NO_FILTER, type SearchScope } from '../../models/catalog/catalog-query';
import { type NeighbourIndex, PORTS } from '../../models/ports';
import type { EmbeddingVersion } from '../../models/vision/embedding-model';
import type { CatalogNeighbour, Neighbour, Vectors } from '../../models/vision/neighbours';
import { conditionsOf } from '../catalog/search/catalog-clauses';
import * as core from '../core/sql';
import { identifier, joined, rowsOf, type Sql, sql } from '../core/sql';
import { INDEXED_FROM } from './embedding-repository';
import * as tables from './embedding-tables';
import { hasNearestIndex } from './nearest-index-build';
import { TooManyVectors, VersionVectors } from './version-vectors';

/** Candidate list of the approximate search (`hnsw.ef_search`); a longer one finds more of the true nearest and takes longer. */
const CANDIDATES_MIN = 100;
const CANDIDATES_MAX = 200;

/** A scope with a smaller share of the products is scanned: there the index misses too many near images (docs/benchmarks.md). */
const INDEXED_SHARE_MIN = 0.25;

/** Products sampled to estimate a scope's share, to within a few hundredths. */
const SAMPLE = 4_000;

interface Query {
  readonly version: EmbeddingVersion;
  /** As texts, one for each view of each photo. */
  readonly vectors: readonly string[];
  /** Images wanted for each photo, and in all. */
  readonly each: number;
  readonly limit: number;
  readonly scope: SearchScope;
  /** What a search found by the first vector alone. */
  readonly known?: readonly Neighbour[] | undefined;
}

/** Versions whose vectors are kept in memory: the live one, and one that it is compared with or that was live before. */
const VERSIONS_MAX = 2;
/** A version without an index is kept in memory up to this many times the number of vectors from which one is built. */
const UNINDEXED_MAX = 4;

/**
 * Nearest images through the approximate index of a version, else by an exact search in the memory of this process. pgvector
 * takes some twenty times as long to compare all vectors; it does so for narrow scopes of an indexed version, and while a large
 * version has no index yet.
 */
@injectable()
export class PostgresNeighbourIndex implements NeighbourIndex {
  /** Versions known to have an approximate index, which is permanent, or to be too large for memory. */
  readonly #indexed = new Set<number>();
  readonly #large = new Set<number>();
  readonly #inMemory = new LRUCache<number, Promise<VersionVectors>>({ max: VERSIONS_MAX });

  constructor(
    @inject(PORTS.Knex) private readonly knex: Knex,
    @inject(INDEXED_FROM) private readonly indexedFrom: number,
  ) {}

  nearest: NeighbourIndex['nearest'] = async (version, photos, each, scope = NO_FILTER, isEnough, known) => {
    const [views, limit] = [photos.flat(), each * photos.length];
    if (views.length === 0 || limit <= 0) return [];
    const inMemory = await this.#vectorsOf(version)
      .then((memory) => memory?.nearest(views, limit, scope, isEnough))
      .catch((failure: unknown) => this.#leave(version, failure));
    if (inMemory?.isIndexed) this.#moveOut(version, this.#indexed);
    if (inMemory) return inMemory.neighbours;
    const vectors = views.map(tables.vectorText);
    return this.#nearestInDatabase({ version, vectors, each, limit, scope, known });
  };

  async exact(version: EmbeddingVersion, views: Vectors, limit: number, scope = NO_FILTER) {
    if (views.length === 0 || limit <= 0) return [];
    const query = { version, vectors: views.map(tables.vectorText), each: limit, limit, scope };
    const rows = await core.inTransaction(this.knex, async (transaction) => {
      await core.disableTimeout(transaction);
      return rowsOf<CatalogNeighbour>(transaction, exact(query));
    });
    return rows.map(({ imageId }) => imageId);
  }

  isApproximate({ id }: EmbeddingVersion): Promise<boolean> {
    return hasNearestIndex(this.knex, id);
  }

  async prepare(version: EmbeddingVersion): Promise<void> {
    await this.#vectorsOf(version).catch((failure: unknown) => this.#leave(version, failure));
  }

  /** Forgets vectors that could not be read, so that the next search reads them anew. @throws `failure`, unless they are too many */
  #leave(version: EmbeddingVersion, failure: unknown): null {
    this.#inMemory.delete(version.id);
    if (!(failure instanceof TooManyVectors)) throw failure;
    return this.#moveOut(version, this.#large);
  }

  /** Null when the database must search. */
  async #vectorsOf(version: EmbeddingVersion): Promise<VersionVectors | null> {
    const { id } = version;
    const known = this.#inMemory.get(id);
    if (known) return known;
    if (this.#indexed.has(id) || this.#large.has(id)) return null;
    const isIndexed = this.indexedFrom !== Number.POSITIVE_INFINITY && (await hasNearestIndex(this.knex, id));
    if (isIndexed) return this.#moveOut(version, this.#indexed);
    const reading =
      this.#inMemory.get(id) ?? VersionVectors.read(this.knex, version, UNINDEXED_MAX * this.indexedFrom);
    this.#inMemory.set(id, reading);
    return reading;
  }

  #moveOut({ id }: EmbeddingVersion, to: Set<number>): null {
    to.add(id);
    this.#inMemory.delete(id);
    return null;
  }

  async #nearestInDatabase(query: Query): Promise<readonly CatalogNeighbour[]> {
    const { id } = query.version;
    if (!this.#indexed.has(id) && (await hasNearestIndex(this.knex, id))) this.#indexed.add(id);
    const share = this.#indexed.has(id) ? await this.#shareOf(query.scope) : 0;
    const found =
      share < INDEXED_SHARE_MIN ? [] : await rowsOf<CatalogNeighbour>(this.knex, byIndex(query, share));
    // Fewer than requested: a filter may have ended the search early. The scan is exact.
    return found.length >= query.each ? found : rowsOf<CatalogNeighbour>(this.knex, exact(query));
  }

  /** The share of all products that are in the scope, by a random sample of pages; in a small catalog counted. */
  async #shareOf(scope: SearchScope): Promise<number> {
    const conditions = conditionsOf(scope);
    if (conditions.length === 0) return 1;
    const [line] = await rowsOf<{ share: number | null }>(this.knex)`
      SELECT avg((${core.allOf(conditions)})::int)::float8 AS share
      FROM catalog_search TABLESAMPLE SYSTEM (least(100, (
        SELECT 100.0 * ${SAMPLE} / greatest(1, reltuples) FROM pg_class WHERE oid = 'catalog_search'::regclass
      ))) WHERE kind = 'product'`;
    return line?.share ?? 0;
  }

  check(version: EmbeddingVersion): Promise<void> {
    return tables.checkVectors(this.knex, version);
  }
}

/**
 * The images that the index finds near any query vector (the first only if none are known), with all their views compared. The
 * search settings are set in the same statement, before the query vectors are read, so no transaction is needed.
 * @param share of the products that count; the narrower the scope, the more candidates are searched
 */
function byIndex(query: Query, share: number): Sql {
  const { version, vectors, limit, scope, known = [] } = query;
  // Vectors near a query vector that surely hold the wanted number of images.
  const needed = query.each * version.manifest.views.catalog.length;
  const type = tables.vectorType(version.manifest.output.dimensions);
  const asked = vectors.slice(Math.min(1, known.length)).map((vector) => sql`(${vector}::${type})`);
  const [images, distances] = [known.map(({ imageId }) => imageId), known.map(({ distance }) => distance)];
  const candidates = Math.round(Math.min(CANDIDATES_MAX, Math.max(CANDIDATES_MIN, needed)) / share);
  const table = tables.embeddingsOf(version.id);
  const statement = sql`
    WITH asked AS MATERIALIZED (
      SELECT vector, set_config('hnsw.ef_search', ${String(candidates)}, true),
        set_config('hnsw.iterative_scan', 'relaxed_order', true)
      FROM (VALUES ${joined(asked, ', ')}) AS given (vector)
    ), found AS (
      SELECT near.* FROM asked CROSS JOIN LATERAL (
        SELECT e.image_id, e.embedding <#> asked.vector AS product FROM ${table} e
        WHERE ${tables.isShown(sql`e.image_id`, scope)} ORDER BY product LIMIT ${core.constant(needed)}
      ) AS near
      UNION ALL SELECT image, distance - 1 FROM unnest(${images}::bigint[], ${distances}::float8[]) AS known (image, distance)
      WHERE ${tables.isShown(sql`image`, scope)}
    ), near AS (
      SELECT image_id FROM found GROUP BY image_id ORDER BY min(product), image_id LIMIT ${core.constant(limit)}
    )
    ${nearestViews(query, sql`${table} e JOIN near USING (image_id)`)}`;
  return conditionsOf(scope).length === 0 ? core.prepared(statement) : statement;
}

/** One pass over all vectors, whatever the number of query vectors. */
const exact = (query: Query): Sql =>
  nearestViews(
    query,
    sql`${tables.embeddingsOf(query.version.id)} e WHERE ${tables.isShown(sql`e.image_id`, query.scope)}`,
  );

/** The images of vectors `e`, nearest first; who shows them is looked up of those alone. */
function nearestViews({ version, vectors, limit, scope }: Query, source: Sql): Sql {
  const type = tables.vectorType(version.manifest.output.dimensions);
  const views = vectors.map((_, view) => identifier(`view_${view}`));
  // Rounding can take a unit vector's product with itself a little beyond one.
  const near = vectors.map((each) => sql`least(2, greatest(0, 1 + min(e.embedding <#> ${each}::${type})))`);
  return sql`
    SELECT image AS "imageId", ARRAY[${joined(views, ', ')}] AS "byView", least(${joined(views, ', ')}) AS distance,
      ${tables.productsShowing(sql`image`, scope)} AS products
    FROM (SELECT e.image_id, ${joined(near, ', ')} FROM ${source} GROUP BY e.image_id) AS seen (image, ${joined(views, ', ')})
    ORDER BY distance, image LIMIT ${core.constant(limit)}`;
}
