import type { Knex } from 'knex';
import { inject, injectable } from 'tsyringe';
import type { WorkerReadiness } from '../../models/indexing/embedding-version';
import {
  PORTS,
  type ProcessRegistry,
  type ReadinessRepository,
  type ServiceProcess,
} from '../../models/ports';
import { inTransaction, reachable, rowsOf, sql } from '../core/sql';

/** If a statement takes longer, the database counts as unavailable and the connection is dropped. */
const RENEW_MS = 2_000;

/** A process renews every few seconds; one that has not for this long counts as dead. */
const LIVES = sql`seen_at BETWEEN now() - interval '30 seconds' AND now() + interval '30 seconds'`;

/** Such times are also left behind by a clock that was set. */
const LONG_GONE = sql`seen_at NOT BETWEEN now() - interval '1 hour' AND now() + interval '1 hour'`;

/** A worker reports every few seconds; after this it counts as dead. */
const TOLD_LATELY = sql`told_at > now() - interval '20 seconds' AND told_at < now() + interval '20 seconds'`;

@injectable()
export class PostgresProcessRegistry implements ProcessRegistry {
  constructor(@inject(PORTS.Knex) private readonly knex: Knex) {}

  async renew({ id, name, role, traits }: ServiceProcess): Promise<readonly ServiceProcess[]> {
    const { text, bindings } = sql`
      WITH own AS (
        INSERT INTO service_processes (id, name, role, traits, seen_at)
        VALUES (${id}, ${name}, ${role}, ${JSON.stringify(traits)}::jsonb, now())
        ON CONFLICT (id) DO UPDATE SET traits = excluded.traits, seen_at = excluded.seen_at
      ), gone AS (
        DELETE FROM service_processes
        WHERE id IN (SELECT id FROM service_processes WHERE ${LONG_GONE} FOR UPDATE SKIP LOCKED)
      )
      SELECT id, name, role, traits FROM service_processes WHERE id <> ${id} AND ${LIVES} ORDER BY name`;
    const { rows } = await reachable(this.knex.raw(text, [...bindings]).timeout(RENEW_MS));
    return rows;
  }

  async leave(id: string): Promise<void> {
    await rowsOf(this.knex)`DELETE FROM service_processes WHERE id = ${id}`;
  }
}

/** What workers report about the models of versions, in PostgreSQL. */
@injectable()
export class PostgresReadinessRepository implements ReadinessRepository {
  constructor(@inject(PORTS.Knex) private readonly knex: Knex) {}

  async tell(worker: string, told: readonly Omit<WorkerReadiness, 'worker'>[]): Promise<void> {
    await inTransaction(this.knex, async (transaction) => {
      await rowsOf(
        transaction,
      )`DELETE FROM embedding_readiness WHERE worker = ${worker} OR NOT ${TOLD_LATELY}`;
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
      WHERE version_id = ${versionId} AND ${TOLD_LATELY} ORDER BY worker`;
    return rows;
  }

  async workers(): Promise<readonly string[]> {
    const rows = await rowsOf<{ worker: string }>(this.knex)`
      SELECT DISTINCT worker FROM embedding_readiness WHERE ${TOLD_LATELY} ORDER BY worker`;
    return rows.map(({ worker }) => worker);
  }

  async forget(worker: string): Promise<void> {
    await rowsOf(this.knex)`DELETE FROM embedding_readiness WHERE worker = ${worker}`;
  }
}
