import type { Knex } from 'knex';
import { LRUCache } from 'lru-cache';
import type { SearchScope } from '../../models/catalog/catalog-query';
import type { EmbeddingVersion } from '../../models/vision/embedding-model';
import { valueOfHalf } from '../../models/vision/linear-map';
import type { CatalogNeighbour, IsEnough, Vectors } from '../../models/vision/neighbours';
import { conditionsOnProducts } from '../catalog/search/catalog-clauses';
import { allOf, prepared, rowsOf, type Sql, sql } from '../core/sql';
import { embeddingsOf, imagesShown, nearestIndexOf } from './embedding-tables';
import { type NearImage, VectorMemory } from './vector-memory';

const READ_AT_ONCE = 4_096;
/** With at least this many changed pictures, all vectors are read again. */
const CHANGES_MAX = 2_000;
/** Additional pictures looked at, since some may be of deleted products. */
const SPARE = 20;
/** So many times as many in a scope; if too few of them are in it, the ids of all its pictures are read. */
const SCOPE_SPARE = 4;
/** Pictures whose products are remembered: two megabytes. */
const SHOWN_MAX = 10_000;

interface VectorRow {
  readonly image: number;
  readonly view: number;
  readonly bytes: Buffer;
}

interface Found {
  /** Whether the database has vectors that the memory lacks. */
  readonly isStale: boolean;
  readonly isIndexed: boolean;
  /** Those that the scope shows. */
  readonly pictures: readonly { readonly image: number; readonly products: readonly string[] }[];
  /** Those without vectors. */
  readonly gone: readonly number[];
  /** All pictures of the scope, read if too few of those found are in it. */
  readonly inScope: readonly number[] | null;
}

export class TooManyVectors extends Error {
  override readonly name = 'TooManyVectors';
}

/** Exact search in memory. The database filters the result by scope and reports newer vectors, which are read before another search. */
export class VersionVectors {
  #memory: VectorMemory;
  #refreshing: Promise<unknown> = Promise.resolve();
  /** The products that showed a picture when it was found last. */
  readonly #shownBy = new LRUCache<number, readonly string[]>({ max: SHOWN_MAX });

  private constructor(
    private readonly knex: Knex,
    private readonly version: EmbeddingVersion,
    private readonly vectorsMax: number,
    /** A `pg_snapshot`: the memory has every vector that is visible in it. */
    private seen: string,
  ) {
    this.#memory = this.#emptyMemory();
  }

  /** @throws TooManyVectors for more than `vectorsMax`; later searches do too, once there are more */
  static async read(knex: Knex, version: EmbeddingVersion, vectorsMax: number): Promise<VersionVectors> {
    const vectors = new VersionVectors(knex, version, vectorsMax, '');
    await vectors.#readAll();
    return vectors;
  }

  /** @param queries vectors of all views of all photos @param wanted images, of all photos @param isEnough as of `NeighbourIndex` */
  async nearest(queries: Vectors, wanted: number, scope: SearchScope, isEnough?: IsEnough) {
    const isAny = isWhole(scope) && scope.except === undefined;
    let count = (isWhole(scope) ? wanted : wanted * SCOPE_SPARE) + SPARE;
    let among: ReadonlySet<number> | undefined;
    for (let isFresh = false; ; ) {
      const seen = this.seen;
      const near = await this.#memory.nearest(queries, count, among);
      const isEnd = near.length < count || among !== undefined;
      const images = near.map(({ image }) => image);
      if (isEnough && isAny && images.every((image) => this.#shownBy.has(image))) {
        const neighbours = shownNeighbours(near, this.#shownBy).slice(0, wanted);
        if (!isEnough(neighbours)) return { neighbours, isIndexed: false };
      }
      const found = await this.#find(images, { scope, seen, least: isEnd ? 0 : wanted });
      if (found.gone.length > 0 || (found.isStale && !isFresh)) {
        await this.#refresh(found.gone);
        isFresh = true;
        if (found.gone.length > 0) count *= 2; // many may be gone: a few rounds find them all
      } else if (found.inScope) {
        among = new Set(found.inScope);
        count = wanted + SPARE;
      } else {
        const products = new Map(found.pictures.map((each) => [each.image, each.products]));
        if (isAny) for (const image of images) this.#shownBy.set(image, products.get(image) ?? []);
        return { neighbours: shownNeighbours(near, products).slice(0, wanted), isIndexed: found.isIndexed };
      }
    }
  }

  /** @param options.seen the state that they were found in @param options.least so many of them are to be in the scope */
  async #find(
    images: readonly number[],
    { scope, seen, least }: { scope: SearchScope; seen: string; least: number },
  ): Promise<Found> {
    const statement = sql`WITH pictures AS MATERIALIZED (
        SELECT image_id AS image, array_agg(product_id ORDER BY product_id) AS products
        FROM product_images JOIN catalog_search ON id = product_id
        WHERE image_id = ANY(${images}::bigint[]) AND ${allOf(conditionsOnProducts(scope))}
        GROUP BY image_id)
      SELECT (SELECT written_by FROM ${this.#table} WHERE ${isNewTo(seen)} ORDER BY written_by DESC LIMIT 1)
          IS NOT NULL AS "isStale",
        to_regclass(${nearestIndexOf(this.version.id)}) IS NOT NULL AS "isIndexed",
        (SELECT coalesce(json_agg(pictures), '[]') FROM pictures) AS pictures,
        ARRAY(SELECT image::float8 FROM unnest(${images}::bigint[]) AS given (image)
          WHERE NOT EXISTS (SELECT FROM ${this.#table} e WHERE e.image_id = image)) AS gone,
        CASE WHEN (SELECT count(*) FROM pictures) < ${least}::integer THEN ARRAY(${imagesShown(scope)}) END AS "inScope"`;
    const [found] = await rowsOf<Found>(this.knex, isWhole(scope) ? prepared(statement) : statement);
    if (!found) throw new Error('a statement that always has a line has none');
    return found;
  }

  /** Reads what was stored since; one time after another, so that the newest is put last. @param gone what to read again too */
  #refresh(gone: readonly number[]): Promise<void> {
    const refreshed = this.#refreshing.then(() => this.#readNew(gone));
    this.#refreshing = refreshed.catch(() => undefined);
    return refreshed;
  }

  async #readNew(gone: readonly number[]): Promise<void> {
    const [state] = await rowsOf<{ seen: string; images: readonly number[] }>(this.knex)`
      SELECT pg_current_snapshot()::text AS seen, ARRAY(
      SELECT image_id::float8 FROM ${this.#table} WHERE ${isNewTo(this.seen)} ORDER BY written_by DESC
      LIMIT ${CHANGES_MAX * this.version.manifest.views.catalog.length}) AS images`;
    const images = [...new Set([...gone, ...(state?.images ?? [])])];
    if (images.length >= CHANGES_MAX) return this.#readAll();
    const rows = await rowsOf<VectorRow>(this.knex)`
      ${this.#vectorRows} WHERE image_id = ANY(${images}::bigint[]) ORDER BY image_id, view`;
    const stored = new Set(rows.map(({ image }) => image));
    for (const image of images) if (!stored.has(image)) this.#memory.remove(image);
    this.#put(this.#memory, rows);
    this.seen = state?.seen ?? this.seen;
  }

  async #readAll(): Promise<void> {
    const [state] = await rowsOf<{ seen: string }>(this.knex)`SELECT pg_current_snapshot()::text AS seen`;
    const memory = this.#emptyMemory();
    let last: VectorRow | undefined;
    do {
      const rows = await rowsOf<VectorRow>(this.knex)`
        ${this.#vectorRows} WHERE (image_id, view) > (${last?.image ?? 0}::bigint, ${last?.view ?? -1}::smallint)
        ORDER BY image_id, view LIMIT ${READ_AT_ONCE}`;
      this.#put(memory, rows);
      last = rows.length < READ_AT_ONCE ? undefined : rows.at(-1);
    } while (last);
    this.#memory = memory;
    this.seen = state?.seen ?? this.seen;
  }

  #put(memory: VectorMemory, rows: readonly VectorRow[]): void {
    for (const { image, view, bytes } of rows) memory.put(image, view, vectorIn(bytes));
    if (memory.size * this.version.manifest.views.catalog.length > this.vectorsMax)
      throw new TooManyVectors();
  }

  #emptyMemory(): VectorMemory {
    const { output, views } = this.version.manifest;
    return new VectorMemory(output.dimensions, views.catalog.length);
  }

  get #table(): Sql {
    return embeddingsOf(this.version.id);
  }

  get #vectorRows(): Sql {
    return sql`SELECT image_id AS image, view, halfvec_send(embedding) AS bytes FROM ${this.#table}`;
  }
}

const shownNeighbours = (near: readonly NearImage[], shownBy: Pick<Map<number, readonly string[]>, 'get'>) =>
  near.flatMap(({ image: imageId, byQuery: byView }): CatalogNeighbour[] => {
    const products = shownBy.get(imageId) ?? [];
    return products.length === 0 ? [] : [{ imageId, products, distance: Math.min(...byView), byView }];
  });

const isWhole = ({ category, filters, sandbox }: SearchScope): boolean =>
  category === null && filters.length === 0 && !sandbox;

/** The row was written by a transaction that a state, as `pg_current_snapshot()` tells it, does not have. */
const isNewTo = (seen: string): Sql =>
  sql`written_by >= pg_snapshot_xmin(${seen}::pg_snapshot)
    AND NOT pg_visible_in_snapshot(written_by, ${seen}::pg_snapshot)`;

/** The header of `halfvec_send`: the number of values, and two unused bytes. */
const HEADER_BYTES = 4;

function vectorIn(bytes: Buffer): Float32Array {
  halves ??= Float32Array.from({ length: 65_536 }, (_, bits) => valueOfHalf(bits));
  const vector = new Float32Array((bytes.length - HEADER_BYTES) / 2);
  for (let at = 0; at < vector.length; at += 1) {
    vector[at] = halves[bytes.readUInt16BE(HEADER_BYTES + 2 * at)] ?? 0;
  }
  return vector;
}

/** The value of each 16-bit pattern. */
let halves: Float32Array | undefined;
