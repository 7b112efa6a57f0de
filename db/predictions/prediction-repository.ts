import type { Knex } from 'knex';
import { inject, injectable } from 'tsyringe';
import type * as ports from '../../models/ports';
import { PORTS } from '../../models/ports';
import { disableTimeout, inTransaction, prepared, rowsOf, type Sql, sql } from '../core/sql';

const json = (value: unknown): Sql => sql`${value === null ? null : JSON.stringify(value)}::jsonb`;

/** The confidence of the first row; NULL without rows. */
const CLAIMED = sql`(rows -> 0 ->> 'confidence')::float8`;
const IS_RIGHT = sql`(feedback ->> 'right')::boolean`;
/** Feedback on answers to test keys never counts (contract 9.12). */
const IS_JUDGED = sql`feedback IS NOT NULL AND NOT test`;

/** Records of identifications in PostgreSQL, without the photos (contract 7.11). */
@injectable()
export class PostgresPredictionRepository implements ports.PredictionRepository {
  constructor(@inject(PORTS.Knex) private readonly knex: Knex) {}

  /** Commits without waiting for the disk, as a caller is waiting; a power failure may lose the last few. */
  async save(prediction: ports.Prediction, photos: readonly Buffer[]): Promise<void> {
    const statement = sql`WITH quick AS (SELECT set_config('synchronous_commit', 'off', true)),
      saved AS (
        INSERT INTO predictions (id, created_at, request_id, account_id, test, endpoint, version_id, model,
          image_digests, neighbours, best, rows, timings)
        SELECT ${prediction.id}, ${prediction.createdAt}, ${prediction.requestId}, ${prediction.accountId},
          ${prediction.test}, ${prediction.endpoint}, ${prediction.versionId}, ${prediction.model},
          ${prediction.imageDigests}::text[], ${json(prediction.neighbours)},
          ${json(prediction.best)} || jsonb_build_object('category', (
            SELECT category FROM catalog_rows WHERE id = ${prediction.best?.id ?? null})),
          ${json(prediction.rows)}, ${json(prediction.timings)} FROM quick
        ON CONFLICT (id) DO UPDATE SET rows = excluded.rows
        RETURNING id, account_id)
      INSERT INTO prediction_photos (prediction_id, position, jpeg)
      SELECT saved.id, position - 1, jpeg
      FROM saved JOIN accounts ON accounts.id = account_id AND keep_photos,
        unnest(${[...photos]}::bytea[]) WITH ORDINALITY AS photo (jpeg, position)
      ON CONFLICT DO NOTHING`;
    await rowsOf(this.knex, prepared(statement));
  }

  async find(id: string): Promise<ports.Prediction | null> {
    const [prediction] = await rowsOf<ports.Prediction>(this.knex)`
      SELECT id, created_at AS "createdAt", request_id AS "requestId", account_id AS "accountId", test, endpoint,
        version_id AS "versionId", model, image_digests AS "imageDigests", neighbours, best, rows, timings, feedback
      FROM predictions WHERE id = ${id}`;
    return prediction ?? null;
  }

  async saveFeedback(id: string, feedback: ports.Feedback): Promise<boolean> {
    const saved = await rowsOf(this.knex)`
      UPDATE predictions SET feedback = ${json(feedback)} WHERE id = ${id} RETURNING id`;
    return saved.length > 0;
  }

  judged(since: Date | null): Promise<readonly ports.JudgedPrediction[]> {
    return rowsOf<ports.JudgedPrediction>(this.knex)`
      SELECT model, to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM') AS month, best ->> 'category' AS category,
        cardinality(image_digests) AS photos, ${CLAIMED} AS confidence, ${IS_RIGHT} AS "right"
      FROM predictions
      WHERE ${IS_JUDGED} AND created_at >= coalesce(${since}::timestamptz, '-infinity')
      ORDER BY created_at, id`;
  }

  reliabilitySince(since: Date): Promise<readonly ports.AccountReliability[]> {
    return rowsOf<ports.AccountReliability>(this.knex)`
      SELECT account_id AS "accountId", count(*)::int AS answers, avg(${CLAIMED}) AS claimed,
        avg(${IS_RIGHT}::int)::float8 AS "right"
      FROM predictions WHERE ${IS_JUDGED} AND created_at >= ${since} AND ${CLAIMED} IS NOT NULL
      GROUP BY account_id ORDER BY account_id`;
  }

  correctedNeighbours(versionId: number, since: Date | null, limit: number) {
    return rowsOf<ports.CorrectedNeighbours>(this.knex)`
      SELECT id, neighbours, cardinality(image_digests) AS photos, feedback ->> 'correctId' AS "correctId"
      FROM predictions
      WHERE ${IS_JUDGED} AND best IS NOT NULL AND version_id = ${versionId}
        AND created_at >= coalesce(${since}::timestamptz, '-infinity')
      ORDER BY created_at DESC, id LIMIT ${limit}`;
  }

  correctedPhotos(limit: number): Promise<readonly ports.CorrectedPhotos[]> {
    return rowsOf<ports.CorrectedPhotos>(this.knex)`SELECT id, feedback ->> 'correctId' AS "correctId",
        (SELECT array_agg(jpeg ORDER BY position) FROM prediction_photos WHERE prediction_id = p.id) AS photos
      FROM predictions p
      WHERE ${IS_JUDGED} AND EXISTS (SELECT FROM prediction_photos WHERE prediction_id = p.id)
      ORDER BY created_at DESC, id LIMIT ${limit}`;
  }

  /** All in one transaction, without a time limit. */
  async deleteOf(accountId: string): Promise<number> {
    const [line] = await inTransaction(this.knex, async (transaction) => {
      await disableTimeout(transaction);
      return rowsOf<{ deleted: number }>(transaction)`
        WITH deleted AS (DELETE FROM predictions WHERE account_id = ${accountId} RETURNING id)
        SELECT count(*) AS deleted FROM deleted`;
    });
    return line?.deleted ?? 0;
  }
}
