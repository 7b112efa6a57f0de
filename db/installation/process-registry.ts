import type { Knex } from 'knex';
import { inject, injectable } from 'tsyringe';
import { PORTS, type ProcessRegistry, type ServiceProcess, type WorkerProcess } from '../../models/ports';
import { rowsOf, sql, withDatabaseErrors } from '../core/sql';

/** If a statement takes longer, the database counts as unavailable and the connection is dropped. */
const RENEW_MS = 2_000;

/** A process renews every few seconds; one that has not for this long counts as dead. */
const IS_ALIVE = sql`seen_at BETWEEN now() - interval '30 seconds' AND now() + interval '30 seconds'`;

/** Such times are also left behind by a clock that was set. */
const IS_STALE = sql`seen_at NOT BETWEEN now() - interval '1 hour' AND now() + interval '1 hour'`;

@injectable()
export class PostgresProcessRegistry implements ProcessRegistry {
  constructor(@inject(PORTS.Knex) private readonly knex: Knex) {}

  async renew({ id, name, role, traits, models }: ServiceProcess): Promise<readonly ServiceProcess[]> {
    const { text, bindings } = sql`
      WITH own AS (
        INSERT INTO service_processes (id, name, role, traits, models, seen_at)
        VALUES (${id}, ${name}, ${role}, ${JSON.stringify(traits)}::jsonb, ${models && JSON.stringify(models)}::jsonb, now())
        ON CONFLICT (id) DO UPDATE
          SET traits = excluded.traits, models = excluded.models, seen_at = excluded.seen_at
      ), gone AS (
        DELETE FROM service_processes
        WHERE id IN (SELECT id FROM service_processes WHERE ${IS_STALE} FOR UPDATE SKIP LOCKED)
      )
      SELECT id, name, role, traits, models FROM service_processes WHERE id <> ${id} AND ${IS_ALIVE} ORDER BY name`;
    const { rows } = await withDatabaseErrors(this.knex.raw(text, [...bindings]).timeout(RENEW_MS));
    return rows;
  }

  workers(): Promise<readonly WorkerProcess[]> {
    return rowsOf<WorkerProcess>(this.knex)`
      SELECT name, coalesce(models, '[]') AS models FROM service_processes WHERE role <> 'api' AND ${IS_ALIVE} ORDER BY name`;
  }

  async leave(id: string): Promise<void> {
    await rowsOf(this.knex)`DELETE FROM service_processes WHERE id = ${id}`;
  }
}
