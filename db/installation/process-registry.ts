import type { Knex } from 'knex';
import { inject, injectable } from 'tsyringe';
import { PORTS, type ProcessRegistry, type ServiceProcess } from '../../models/ports';
import { reachable, rowsOf, sql } from '../core/sql';

/** A statement that takes longer means a database that can't serve; its connection is given up. */
const RENEW_MS = 2_000;

/** A process renews every few seconds; one that has not for this long counts as dead. */
const LIVES = sql`seen_at BETWEEN now() - interval '30 seconds' AND now() + interval '30 seconds'`;

/** Such times are also left behind by a clock that was set. */
const LONG_GONE = sql`seen_at NOT BETWEEN now() - interval '1 hour' AND now() + interval '1 hour'`;

/** The processes of an installation, in PostgreSQL. */
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
