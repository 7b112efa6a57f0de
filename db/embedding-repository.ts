import type { Knex } from 'knex';
import { inject, injectable } from 'tsyringe';
import type { CatalogImage, Coverage, EmbeddingVersion } from '../models/indexing/embedding-version';
import { type EmbeddingRepository, PORTS } from '../models/ports';
import { type ModelManifest, modelReference } from '../models/vision/embedding-model';
import { buildEmbeddingIndex, createEmbeddingTable, embeddingTable, vectorText } from './embedding-table';
import { inTransaction, joined, rowsOf, sql } from './sql';

/** Any number, the same in every process: whoever holds this lock makes versions. */
const VERSION_LOCK = 5_683_002;

const VERSION = sql`id, model, manifest, state, created_at AS "createdAt", promoted_at AS "promotedAt"`;

/** Embedding versions in PostgreSQL, the vectors of each in a table of its own (`embedding-table.ts`). */
@injectable()
export class PostgresEmbeddingRepository implements EmbeddingRepository {
  constructor(@inject(PORTS.Knex) private readonly knex: Knex) {}

  async live(): Promise<EmbeddingVersion | null> {
    const [found] = await rowsOf<EmbeddingVersion>(
      this.knex,
      sql`SELECT ${VERSION} FROM embedding_versions WHERE state = 'live'`,
    );
    return found ?? null;
  }

  async version(id: number): Promise<EmbeddingVersion | null> {
    const [found] = await rowsOf<EmbeddingVersion>(
      this.knex,
      sql`SELECT ${VERSION} FROM embedding_versions WHERE id = ${id}`,
    );
    return found ?? null;
  }

  async versions(): Promise<readonly EmbeddingVersion[]> {
    return rowsOf<EmbeddingVersion>(this.knex, sql`SELECT ${VERSION} FROM embedding_versions ORDER BY id`);
  }

  async create(manifest: ModelManifest): Promise<EmbeddingVersion> {
    return inTransaction(this.knex, async (transaction) => {
      // Two processes that start on a fresh database must agree on one live version.
      await rowsOf(transaction, sql`SELECT pg_advisory_xact_lock(${VERSION_LOCK})`);
      const [made] = await rowsOf<EmbeddingVersion>(
        transaction,
        sql`INSERT INTO embedding_versions (model, manifest, state, promoted_at)
            SELECT ${modelReference(manifest)}, ${JSON.stringify(manifest)}::jsonb,
              CASE WHEN any_live THEN 'building' ELSE 'live' END, CASE WHEN any_live THEN NULL ELSE now() END
            FROM (SELECT EXISTS (SELECT FROM embedding_versions WHERE state = 'live') AS any_live) AS standing
            RETURNING ${VERSION}`,
      );
      if (!made) throw new Error('the insert of an embedding version answered no row');
      await createEmbeddingTable(transaction, made);
      return made;
    });
  }

  async coverage(versionId: number): Promise<Coverage> {
    const [counts] = await rowsOf<{ images: number; done: number; failed: number }>(
      this.knex,
      sql`SELECT count(*) AS images,
            count(*) FILTER (WHERE ${isEmbedded(versionId)}) AS done,
            count(*) FILTER (WHERE NOT ${isEmbedded(versionId)} AND ${hasFailed(versionId)}) AS failed
          FROM images i WHERE ${IS_SHOWN}`,
    );
    const { images, done, failed } = counts ?? { images: 0, done: 0, failed: 0 };
    return { pending: images - done - failed, done, failed };
  }

  async pending(versionId: number, limit: number, afterId: number): Promise<readonly CatalogImage[]> {
    return rowsOf<CatalogImage>(
      this.knex,
      sql`SELECT i.id, i.address FROM images i
          WHERE i.id > ${afterId} AND ${IS_SHOWN} AND NOT ${isEmbedded(versionId)} AND NOT ${hasFailed(versionId)}
          ORDER BY i.id LIMIT ${limit}`,
    );
  }

  async store(
    versionId: number,
    embeddings: readonly { imageId: number; vectors: readonly Float32Array[] }[],
  ): Promise<void> {
    if (embeddings.length === 0) return;
    const imageIds = embeddings.map((each) => each.imageId);
    const values = embeddings.flatMap(({ imageId, vectors }) =>
      vectors.map(
        (vector, view) => sql`(${imageId}::bigint, ${view}::smallint, ${vectorText(vector)}::halfvec)`,
      ),
    );
    await inTransaction(this.knex, async (transaction) => {
      const table = embeddingTable(versionId);
      await rowsOf(transaction, sql`DELETE FROM ${table} WHERE image_id = ANY(${imageIds}::bigint[])`);
      await rowsOf(
        transaction,
        sql`INSERT INTO ${table} (image_id, view, embedding)
            SELECT given.* FROM (VALUES ${joined(values, ', ')}) AS given (image_id, view, embedding)
            WHERE EXISTS (SELECT FROM images i WHERE i.id = given.image_id)
            ON CONFLICT (image_id, view) DO UPDATE SET embedding = excluded.embedding`,
      );
      await rowsOf(
        transaction,
        sql`DELETE FROM embedding_failures WHERE version_id = ${versionId} AND image_id = ANY(${imageIds}::bigint[])`,
      );
    });
  }

  async recordFailures(
    versionId: number,
    failures: readonly { imageId: number; reason: string }[],
  ): Promise<void> {
    if (failures.length === 0) return;
    const values = failures.map(
      ({ imageId, reason }) =>
        sql`(${versionId}::integer, ${imageId}::bigint, ${reason.slice(0, 500)}::text)`,
    );
    await rowsOf(
      this.knex,
      sql`INSERT INTO embedding_failures (version_id, image_id, reason)
          SELECT given.* FROM (VALUES ${joined(values, ', ')}) AS given (version_id, image_id, reason)
          WHERE EXISTS (SELECT FROM images i WHERE i.id = given.image_id)
          ON CONFLICT (version_id, image_id) DO UPDATE SET reason = excluded.reason, failed_at = now()`,
    );
  }

  async retryFailures(versionId: number): Promise<number> {
    const forgotten = await rowsOf(
      this.knex,
      sql`DELETE FROM embedding_failures WHERE version_id = ${versionId} RETURNING image_id`,
    );
    return forgotten.length;
  }

  async failures(
    versionId: number,
    limit: number,
  ): Promise<readonly { image: CatalogImage; reason: string }[]> {
    const rows = await rowsOf<{ id: number; address: string; reason: string }>(
      this.knex,
      sql`SELECT i.id, i.address, f.reason FROM embedding_failures f JOIN images i ON i.id = f.image_id
          WHERE f.version_id = ${versionId} ORDER BY i.id LIMIT ${limit}`,
    );
    return rows.map(({ id, address, reason }) => ({ image: { id, address }, reason }));
  }

  /** Builds the approximate index of a version, a step of its own after its vectors are loaded. Safe to repeat. */
  async buildIndex(versionId: number): Promise<void> {
    const version = await this.version(versionId);
    if (version) await buildEmbeddingIndex(this.knex, version);
  }
}

/** Of an image `i`: a live product shows it. */
const IS_SHOWN = sql`EXISTS (SELECT FROM product_images p WHERE p.image_id = i.id)`;

const isEmbedded = (versionId: number) =>
  sql`EXISTS (SELECT FROM ${embeddingTable(versionId)} e WHERE e.image_id = i.id)`;

const hasFailed = (versionId: number) =>
  sql`EXISTS (SELECT FROM embedding_failures f WHERE f.version_id = ${versionId} AND f.image_id = i.id)`;
