import type { Knex } from 'knex';
import { inject, injectable } from 'tsyringe';
import type { CatalogImage, Coverage, EmbeddingVersion } from '../models/indexing/embedding-version';
import { type EmbeddingRepository, PORTS } from '../models/ports';
import { type ModelManifest, modelReference } from '../models/vision/embedding-model';
import { embeddingsOf, isShown, nearestIndexOf, vectorText, vectorType } from './embedding-tables';
import { identifier, inTransaction, rowsOf, type Sql, sql } from './sql';

const VERSION_COLUMNS = sql`id, model, manifest, state, created_at AS "createdAt", promoted_at AS "promotedAt"`;

/**
 * Vectors from which a version gets an approximate index; below it a scan of all of them is quick, and exact. Infinity:
 * never, for a database that could not serve while it builds one.
 */
export type IndexedFrom = number;

/** Token of `IndexedFrom`. */
export const INDEXED_FROM = Symbol.for('IndexedFrom');

/** Embedding versions in PostgreSQL with pgvector, each with a table of its own. */
@injectable()
export class PostgresEmbeddingRepository implements EmbeddingRepository {
  constructor(
    @inject(PORTS.Knex) private readonly knex: Knex,
    @inject(INDEXED_FROM) private readonly indexedFrom: IndexedFrom,
  ) {}

  async live(): Promise<EmbeddingVersion | null> {
    const [version] = await versionsWhere(this.knex, sql`state = 'live'`);
    return version ?? null;
  }

  async version(id: number): Promise<EmbeddingVersion | null> {
    const [version] = await versionsWhere(this.knex, sql`id = ${id}`);
    return version ?? null;
  }

  versions(): Promise<readonly EmbeddingVersion[]> {
    return versionsWhere(this.knex, sql`true`);
  }

  /** Processes that start together agree on one version: they wait for each other here. */
  create(manifest: ModelManifest): Promise<EmbeddingVersion> {
    return inTransaction(this.knex, async (transaction) => {
      await rowsOf(transaction, sql`LOCK TABLE embedding_versions IN SHARE ROW EXCLUSIVE MODE`);
      const [standing] = await versionsWhere(
        transaction,
        sql`state <> 'retired' AND model = ${modelReference(manifest)}`,
      );
      return standing ?? insertVersion(transaction, manifest);
    });
  }

  async promote(versionId: number): Promise<void> {
    await inTransaction(this.knex, async (transaction) => {
      await rowsOf(transaction, sql`LOCK TABLE embedding_versions IN SHARE ROW EXCLUSIVE MODE`);
      await rowsOf(
        transaction,
        sql`UPDATE embedding_versions SET state = 'retired' WHERE state = 'live' AND id <> ${versionId}`,
      );
      await rowsOf(
        transaction,
        sql`UPDATE embedding_versions SET state = 'live', promoted_at = now() WHERE id = ${versionId} AND state <> 'live'`,
      );
    });
  }

  async coverage(versionId: number): Promise<Coverage> {
    const [coverage] = await rowsOf<Record<keyof Coverage, number>>(
      this.knex,
      sql`SELECT count(*) FILTER (WHERE done) AS done, count(*) FILTER (WHERE failed AND NOT done) AS failed,
            count(*) FILTER (WHERE NOT done AND NOT failed) AS pending
          FROM (
            SELECT ${isDone(versionId)} AS done, ${hasFailed(versionId)} AS failed FROM images i
            WHERE ${isShown(sql`i.id`)}
          ) AS shown`,
    );
    const { pending = 0, done = 0, failed = 0 } = coverage ?? {};
    return { pending: Number(pending), done: Number(done), failed: Number(failed) };
  }

  async pending(versionId: number, limit: number, afterId: number): Promise<readonly CatalogImage[]> {
    const rows = await rowsOf<CatalogImage>(
      this.knex,
      sql`SELECT i.id, i.address FROM images i
          WHERE i.id > ${afterId} AND ${isShown(sql`i.id`)}
            AND NOT ${isDone(versionId)} AND NOT ${hasFailed(versionId)}
          ORDER BY i.id LIMIT ${limit}`,
    );
    return rows.map(imageOf);
  }

  async store(
    versionId: number,
    embeddings: readonly { imageId: number; vectors: readonly Float32Array[] }[],
  ): Promise<void> {
    const images = [...new Map(embeddings.map((each) => [each.imageId, each])).values()];
    if (images.length === 0) return;
    const ids = images.map(({ imageId }) => imageId);
    const views = images.flatMap(({ imageId, vectors }) =>
      vectors.map((vector, view) => ({ imageId, view, text: vectorText(vector) })),
    );
    const table = embeddingsOf(versionId);
    await inTransaction(this.knex, async (transaction) => {
      // In the order of the ids, so that two writers of the same images wait instead of deadlocking.
      await rowsOf(
        transaction,
        sql`INSERT INTO ${table} (image_id, view, embedding)
            SELECT image_id, view, vector::halfvec FROM unnest(${views.map(({ imageId }) => imageId)}::bigint[],
              ${views.map(({ view }) => view)}::smallint[], ${views.map(({ text }) => text)}::text[])
              AS given (image_id, view, vector)
            ORDER BY image_id, view
            ON CONFLICT (image_id, view) DO UPDATE SET embedding = excluded.embedding`,
      );
      await rowsOf(
        transaction,
        sql`DELETE FROM ${table} e USING unnest(${ids}::bigint[], ${images.map(({ vectors }) => vectors.length)}::integer[])
              AS given (image_id, views)
            WHERE e.image_id = given.image_id AND e.view >= given.views`,
      );
      await rowsOf(
        transaction,
        sql`DELETE FROM embedding_failures WHERE version_id = ${versionId} AND image_id = ANY(${ids}::bigint[])`,
      );
    });
  }

  async recordFailures(
    versionId: number,
    failures: readonly { imageId: number; reason: string }[],
  ): Promise<void> {
    const reasons = new Map(failures.map(({ imageId, reason }) => [imageId, reason]));
    await rowsOf(
      this.knex,
      sql`INSERT INTO embedding_failures (version_id, image_id, reason)
          SELECT ${versionId}::integer, image_id, reason
          FROM unnest(${[...reasons.keys()]}::bigint[], ${[...reasons.values()]}::text[]) AS given (image_id, reason)
          ORDER BY image_id
          ON CONFLICT (version_id, image_id) DO UPDATE SET reason = excluded.reason, failed_at = now()`,
    );
  }

  async retryFailures(versionId: number): Promise<number> {
    const [line] = await rowsOf<{ forgotten: number }>(
      this.knex,
      sql`WITH forgotten AS (DELETE FROM embedding_failures WHERE version_id = ${versionId} RETURNING image_id)
          SELECT count(*) AS forgotten FROM forgotten`,
    );
    return Number(line?.forgotten ?? 0);
  }

  async failures(
    versionId: number,
    limit: number,
  ): Promise<readonly { image: CatalogImage; reason: string }[]> {
    const rows = await rowsOf<CatalogImage & { reason: string }>(
      this.knex,
      sql`SELECT i.id, i.address, f.reason FROM embedding_failures f JOIN images i ON i.id = f.image_id
          WHERE f.version_id = ${versionId} ORDER BY i.id LIMIT ${limit}`,
    );
    return rows.map(({ reason, ...image }) => ({ image: imageOf(image), reason }));
  }

  /**
   * Makes the approximate index over a version's vectors, unless they are too few to need one; whether there is one
   * afterwards. Takes minutes for a million vectors, during which searches go on and `store` waits.
   *
   * Inner product is the cheapest order of unit vectors and the same as cosine; m 16 and ef_construction 128 were
   * measured as the point from which more build time buys little recall.
   */
  async buildIndex(versionId: number): Promise<boolean> {
    const { indexedFrom } = this;
    if (indexedFrom === Number.POSITIVE_INFINITY) return false;
    const table = embeddingsOf(versionId);
    const [line] = await rowsOf<{ vectors: number }>(
      this.knex,
      sql`SELECT count(*) AS vectors FROM (SELECT FROM ${table} LIMIT ${indexedFrom}) AS first`,
    );
    if (Number(line?.vectors ?? 0) < indexedFrom) return false;
    await inTransaction(this.knex, async (transaction) => {
      await rowsOf(transaction, sql`SET LOCAL statement_timeout = 0`);
      await rowsOf(
        transaction,
        sql`CREATE INDEX IF NOT EXISTS ${identifier(nearestIndexOf(versionId))} ON ${table}
            USING hnsw (embedding halfvec_ip_ops) WITH (m = 16, ef_construction = 128)`,
      );
    });
    return true;
  }
}

function versionsWhere(knex: Knex, condition: Sql): Promise<EmbeddingVersion[]> {
  return rowsOf<EmbeddingVersion>(
    knex,
    sql`SELECT ${VERSION_COLUMNS} FROM embedding_versions WHERE ${condition} ORDER BY id`,
  );
}

async function insertVersion(transaction: Knex, manifest: ModelManifest): Promise<EmbeddingVersion> {
  const type = vectorType(manifest.output.dimensions);
  const [version] = await rowsOf<EmbeddingVersion>(
    transaction,
    sql`INSERT INTO embedding_versions (model, manifest, state, promoted_at)
        SELECT ${modelReference(manifest)}, ${JSON.stringify(manifest)}::jsonb,
          CASE WHEN first THEN 'live' ELSE 'building' END, CASE WHEN first THEN now() END
        FROM (SELECT NOT EXISTS (SELECT FROM embedding_versions) AS first) AS standing
        RETURNING ${VERSION_COLUMNS}`,
  );
  if (!version) throw new Error('the version was not inserted');
  await rowsOf(
    transaction,
    sql`CREATE TABLE ${embeddingsOf(version.id)} (
          image_id bigint NOT NULL, view smallint NOT NULL, embedding ${type} NOT NULL,
          PRIMARY KEY (image_id, view)
        )`,
  );
  return version;
}

/** Of image `i`. */
const isDone = (versionId: number): Sql =>
  sql`EXISTS (SELECT FROM ${embeddingsOf(versionId)} e WHERE e.image_id = i.id)`;
const hasFailed = (versionId: number): Sql =>
  sql`EXISTS (SELECT FROM embedding_failures f WHERE f.version_id = ${versionId} AND f.image_id = i.id)`;

const imageOf = ({ id, address }: CatalogImage): CatalogImage => ({ id: Number(id), address });
