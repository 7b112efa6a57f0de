import type { Knex } from 'knex';
import { inject, injectable } from 'tsyringe';
import type { CatalogImage, Coverage, GroupCoverage } from '../../models/indexing/embedding-version';
import {
  type EmbeddingRepository,
  type FailedImage,
  type IdPage,
  type ImageVectors,
  type PicturesOf,
  PORTS,
} from '../../models/ports';
import { inTransaction, rowsOf, type Sql, sql } from '../core/sql';
import { embeddingsOf, isShown, vectorOf, vectorText } from './embedding-tables';
import { PostgresEmbeddingVersions } from './embedding-versions';
import { buildNearestIndex, hasNearestIndex } from './nearest-index-build';

/** Token: a version with this many vectors gets an approximate index. Infinity: never, if the database could not serve meanwhile. */
export const INDEXED_FROM = Symbol.for('IndexedFrom');

/** Token of the memory, in MiB, that the database server may take for building an index. */
export const INDEX_MEMORY_MIB = Symbol.for('IndexMemoryMib');

/** Embedding versions in PostgreSQL with pgvector, each with a table of its own. */
@injectable()
export class PostgresEmbeddingRepository extends PostgresEmbeddingVersions implements EmbeddingRepository {
  constructor(
    @inject(PORTS.Knex) knex: Knex,
    @inject(INDEXED_FROM) private readonly indexedFrom: number,
    @inject(INDEX_MEMORY_MIB) private readonly indexMemoryMib: number = 256,
  ) {
    super(knex);
  }

  async vectorsMissingIn(versionId: number, otherId: number, { afterId, limit }: IdPage<number>) {
    const rows = await rowsOf<{ image: number; vectors: readonly string[] }>(this.knex)`
      SELECT e.image_id::float8 AS image, array_agg(e.embedding::text ORDER BY e.view) AS vectors
      FROM ${embeddingsOf(versionId)} e WHERE e.image_id IN (
        SELECT i.id FROM images i
        WHERE i.id > ${afterId} AND ${isShown(sql`i.id`)} AND ${isDone(versionId)} AND NOT ${isDone(otherId)}
        ORDER BY i.id LIMIT ${limit}
      ) GROUP BY e.image_id ORDER BY e.image_id`;
    return rows.map(({ image, vectors }) => ({ imageId: image, vectors: vectors.map(vectorOf) }));
  }

  async coverage(versionId: number, productId?: string, refetch = false): Promise<Coverage> {
    const ofProduct = productId === undefined ? sql`true` : isOf({ product: productId });
    const [coverage] = await rowsOf<Coverage>(this.knex)`SELECT ${COUNTS} FROM (
      SELECT ${isDone(versionId)} AND (i.address LIKE '/%' OR ${!refetch}) AS done, ${hasFailed(versionId)} AS failed
      FROM images i WHERE ${isShown(sql`i.id`)} AND ${ofProduct}) AS shown`;
    return coverage ?? { pending: 0, done: 0, failed: 0 };
  }

  async coverageByGroup(versionId: number, feed?: string): Promise<readonly GroupCoverage[]> {
    const isWanted = feed === undefined ? sql`true` : sql`feed = ${feed}`;
    const categories = sql`SELECT 'category', category, id FROM catalog_search WHERE kind = 'product' UNION ALL`;
    return await rowsOf<GroupCoverage>(this.knex)`
      WITH grouped ("group", name, product_id) AS (
        ${feed === undefined ? categories : sql``}
        SELECT 'feed', feed, product_id FROM product_feeds JOIN products ON id = product_id
        WHERE NOT deleted AND ${isWanted}),
      counted AS (SELECT "group", name, count(*)::integer AS products FROM grouped GROUP BY "group", name),
      pictured AS (
        SELECT "group", name, ${isDone(versionId)} AS done, ${hasFailed(versionId)} AS failed FROM (
          SELECT DISTINCT "group", name, image_id AS id FROM grouped JOIN product_images USING (product_id)) AS i)
      SELECT "group", name, products, ${COUNTS}
      FROM counted LEFT JOIN pictured USING ("group", name) GROUP BY "group", name, products ORDER BY "group", name`;
  }

  pending(versionId: number, { afterId, limit }: IdPage<number>): Promise<readonly CatalogImage[]> {
    const isWanted = sql`i.id > ${afterId} AND NOT ${isDone(versionId)} AND NOT ${hasFailed(versionId)}`;
    return this.#shownImages(isWanted, limit);
  }

  async refetchable({ afterId, limit }: IdPage<number>): Promise<readonly CatalogImage[]> {
    const images = await this.#shownImages(sql`i.id > ${afterId} AND NOT i.address LIKE '/%'`, limit);
    return images.map((image) => ({ ...image, refetch: true }));
  }

  unembedded(versionId: number, productIds: readonly string[]): Promise<readonly CatalogImage[]> {
    const isTheirs = sql`i.id IN (SELECT image_id FROM product_images WHERE product_id = ANY(${productIds}::text[]))`;
    return this.#shownImages(sql`${isTheirs} AND NOT ${isDone(versionId)}`, null);
  }

  /** Those of live products on a condition, by id. */
  #shownImages(condition: Sql, limit: number | null): Promise<readonly CatalogImage[]> {
    return rowsOf<CatalogImage>(this.knex)`SELECT i.id::float8 AS id, i.address FROM images i
      WHERE ${condition} AND ${isShown(sql`i.id`)} ORDER BY i.id LIMIT ${limit}::bigint`;
  }

  async missing(versionId: number, imageIds: readonly number[]): Promise<ReadonlySet<number>> {
    const rows = await rowsOf<{ id: number }>(this.knex)`
      SELECT i.id::float8 AS id FROM unnest(${[...imageIds]}::bigint[]) AS i (id) WHERE NOT ${isDone(versionId)}`;
    return new Set(rows.map(({ id }) => id));
  }

  async store(versionId: number, embeddings: readonly ImageVectors[]): Promise<void> {
    const images = [...new Map(embeddings.map((each) => [each.imageId, each])).values()];
    if (images.length === 0) return;
    const ids = images.map(({ imageId }) => imageId);
    const views = images.flatMap(({ imageId, vectors }) =>
      vectors.map((vector, view) => ({ imageId, view, text: vectorText(vector) })),
    );
    const table = embeddingsOf(versionId);
    await inTransaction(this.knex, async (transaction) => {
      // A writer that takes a picture from its last product waits until it can take these vectors too, or was first.
      await rowsOf(transaction)`SELECT FROM images WHERE id = ANY(${ids}::bigint[]) ORDER BY id FOR SHARE`;
      // In the order of the ids, so that two writers of the same images wait instead of deadlocking.
      await rowsOf(transaction)`INSERT INTO ${table} (image_id, view, embedding)
        SELECT image_id, view, vector::halfvec FROM unnest(${views.map(({ imageId }) => imageId)}::bigint[],
          ${views.map(({ view }) => view)}::smallint[], ${views.map(({ text }) => text)}::text[])
          AS given (image_id, view, vector)
        WHERE EXISTS (SELECT FROM product_images AS shown WHERE shown.image_id = given.image_id)
        ORDER BY image_id, view
        ON CONFLICT (image_id, view) DO UPDATE
          SET embedding = excluded.embedding, written_by = excluded.written_by`;
      await rowsOf(transaction)`
        DELETE FROM ${table} e USING unnest(${ids}::bigint[], ${images.map(({ vectors }) => vectors.length)}::integer[])
          AS given (image_id, views)
        WHERE e.image_id = given.image_id AND e.view >= given.views`;
      await rowsOf(transaction)`
        DELETE FROM embedding_failures WHERE version_id = ${versionId} AND image_id = ANY(${ids}::bigint[])`;
    });
  }

  async recordFailures(
    versionId: number,
    failures: readonly { imageId: number; reason: string }[],
  ): Promise<void> {
    const reasons = new Map(failures.map(({ imageId, reason }) => [imageId, reason]));
    await rowsOf(this.knex)`INSERT INTO embedding_failures (version_id, image_id, reason)
      SELECT ${versionId}::integer, image_id, reason
      FROM unnest(${[...reasons.keys()]}::bigint[], ${[...reasons.values()]}::text[]) AS given (image_id, reason)
      ORDER BY image_id
      ON CONFLICT (version_id, image_id) DO UPDATE SET reason = excluded.reason, failed_at = now()`;
  }

  async retryFailures(versionId: number): Promise<number> {
    const [line] = await rowsOf<{ forgotten: number }>(this.knex)`
      WITH forgotten AS (DELETE FROM embedding_failures WHERE version_id = ${versionId} RETURNING image_id)
      SELECT count(*) AS forgotten FROM forgotten`;
    return line?.forgotten ?? 0;
  }

  async failures(versionId: number, limit: number, of?: PicturesOf): Promise<readonly FailedImage[]> {
    const rows = await rowsOf<CatalogImage & { reason: string }>(this.knex)`
      SELECT i.id::float8 AS id, i.address, f.reason FROM embedding_failures f JOIN images i ON i.id = f.image_id
      WHERE f.version_id = ${versionId} AND ${of === undefined ? sql`true` : isOf(of)} ORDER BY i.id LIMIT ${limit}`;
    return rows.map(({ reason, ...image }) => ({ image, reason }));
  }

  /** Takes minutes for a million vectors, during which searches and `store` go on. */
  async buildIndex(
    versionId: number,
    onNotice: (notice: string) => void = () => undefined,
  ): Promise<boolean> {
    if (!(await this.#needsIndex(versionId))) return false;
    await buildNearestIndex(this.knex, versionId, { memoryMib: this.indexMemoryMib, onNotice });
    return true;
  }

  async isIndexed(versionId: number): Promise<boolean> {
    return !(await this.#needsIndex(versionId)) || (await hasNearestIndex(this.knex, versionId));
  }

  async #needsIndex(versionId: number): Promise<boolean> {
    const { indexedFrom } = this;
    if (indexedFrom === Number.POSITIVE_INFINITY) return false;
    const [line] = await rowsOf<{ vectors: number }>(this.knex)`
      SELECT count(*) AS vectors FROM (SELECT FROM ${embeddingsOf(versionId)} LIMIT ${indexedFrom}) AS first`;
    return (line?.vectors ?? 0) >= indexedFrom;
  }
}

/** Of rows with `done` and `failed`. */
const COUNTS = sql`count(*) FILTER (WHERE done)::integer AS done,
  count(*) FILTER (WHERE failed AND NOT done)::integer AS failed,
  count(*) FILTER (WHERE NOT done AND NOT failed)::integer AS pending`;

/** Of image `i`. */
const isDone = (versionId: number): Sql =>
  sql`EXISTS (SELECT FROM ${embeddingsOf(versionId)} e WHERE e.image_id = i.id)`;
const isOf = (of: PicturesOf): Sql =>
  'product' in of
    ? sql`i.id IN (SELECT image_id FROM product_images WHERE product_id = ${of.product})`
    : sql`i.id IN (SELECT image_id FROM product_feeds AS own JOIN products ON products.id = own.product_id
        JOIN product_images AS shown ON shown.product_id = own.product_id WHERE feed = ${of.feed} AND NOT deleted)`;
const hasFailed = (versionId: number): Sql =>
  sql`EXISTS (SELECT FROM embedding_failures f WHERE f.version_id = ${versionId} AND f.image_id = i.id)`;
