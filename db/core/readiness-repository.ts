import type { Knex } from 'knex';
import { inject, injectable } from 'tsyringe';
import type { WorkerReadiness } from '../../models/indexing/embedding-version';
import { PORTS, type ReadinessRepository } from '../../models/ports';
import { inTransaction, rowsOf, sql } from './sql';

/** A worker reports every few seconds; after this it counts as dead. */
const ALIVE = sql`told_at > now() - interval '20 seconds' AND told_at < now() + interval '20 seconds'`;

/** What workers report about the models of versions, in PostgreSQL. */
@injectable()
export class PostgresReadinessRepository implements ReadinessRepository {
  constructor(@inject(PORTS.Knex) private readonly knex: Knex) {}

  async tell(worker: string, told: readonly Omit<WorkerReadiness, 'worker'>[]): Promise<void> {
    await inTransaction(this.knex, async (transaction) => {
      await rowsOf(transaction)`DELETE FROM embedding_readiness WHERE worker = ${worker} OR NOT ${ALIVE}`;
      await rowsOf(transaction)`INSERT INTO embedding_readiness (worker, version_id, fault)
        SELECT ${worker}, version_id, fault
        FROM unnest(${told.map(({ versionId }) => versionId)}::integer[],
          ${told.map(({ fault }) => fault ?? '')}::text[]) AS given (version_id, fault)
        JOIN embedding_versions v ON v.id = given.version_id`;
    });
  }

  async of(versionId: number): Promise<readonly WorkerReadiness[]> {
    const rows = await rowsOf<WorkerReadiness>(this.knex)`
      SELECT worker, version_id AS "versionId", nullif(fault, '') AS fault FROM embedding_readiness
      WHERE version_id = ${versionId} AND ${ALIVE} ORDER BY worker`;
    return rows;
  }

  async workers(): Promise<readonly string[]> {
    const rows = await rowsOf<{ worker: string }>(this.knex)`
      SELECT DISTINCT worker FROM embedding_readiness WHERE ${ALIVE} ORDER BY worker`;
    return rows.map(({ worker }) => worker);
  }

  async forget(worker: string): Promise<void> {
    await rowsOf(this.knex)`DELETE FROM embedding_readiness WHERE worker = ${worker}`;
  }
}
