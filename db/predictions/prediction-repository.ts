import type { Knex } from 'knex';
import { inject, injectable } from 'tsyringe';
import { PORTS, type Prediction, type PredictionRepository } from '../../models/ports';
import { inTransaction, rowsOf, sql } from '../core/sql';

/** Records of identifications in PostgreSQL, without the photos (contract 7.11). */
@injectable()
export class PostgresPredictionRepository implements PredictionRepository {
  constructor(@inject(PORTS.Knex) private readonly knex: Knex) {}

  /** Commits without waiting for the disk: a caller waits for it, and a loss of power may take the last few. */
  async save(prediction: Prediction): Promise<void> {
    await rowsOf(
      this.knex,
      sql`WITH quick AS (SELECT set_config('synchronous_commit', 'off', true))
          INSERT INTO predictions (id, created_at, request_id, account_id, endpoint, version_id, model, image_digest,
            neighbours, rows, timings)
          SELECT ${prediction.id}, ${prediction.createdAt}, ${prediction.requestId}, ${prediction.accountId},
            ${prediction.endpoint}, ${prediction.versionId}, ${prediction.model}, ${prediction.imageDigest},
            ${JSON.stringify(prediction.neighbours)}::jsonb, ${JSON.stringify(prediction.rows)}::jsonb,
            ${JSON.stringify(prediction.timings)}::jsonb FROM quick`,
    );
  }

  async find(id: string): Promise<Prediction | null> {
    const [prediction] = await rowsOf<Prediction>(
      this.knex,
      sql`SELECT id, created_at AS "createdAt", request_id AS "requestId", account_id AS "accountId", endpoint,
            version_id AS "versionId", model, image_digest AS "imageDigest", neighbours, rows, timings
          FROM predictions WHERE id = ${id}`,
    );
    return prediction ?? null;
  }

  /** However long it takes: all or nothing. */
  async deleteOf(accountId: string): Promise<number> {
    const [line] = await inTransaction(this.knex, async (transaction) => {
      await rowsOf(transaction, sql`SELECT set_config('statement_timeout', '0', true)`);
      return rowsOf<{ deleted: number }>(
        transaction,
        sql`WITH deleted AS (DELETE FROM predictions WHERE account_id = ${accountId} RETURNING id)
            SELECT count(*) AS deleted FROM deleted`,
      );
    });
    return line?.deleted ?? 0;
  }

  async deleteBefore(time: Date, limit: number): Promise<number> {
    const deleted = await rowsOf(
      this.knex,
      sql`DELETE FROM predictions WHERE id IN (
            SELECT id FROM predictions WHERE created_at < ${time} ORDER BY created_at LIMIT ${limit})
          RETURNING id`,
    );
    return deleted.length;
  }
}
