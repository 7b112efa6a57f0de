import type { Knex } from 'knex';
import { rowsOf, sql } from '../core/sql';

/** Whether anything was ever put into this database; what a first start makes by itself does not count. */
export async function isUsed(knex: Knex): Promise<boolean> {
  const [line] = await rowsOf<{ used: boolean }>(
    knex,
    sql`SELECT EXISTS (SELECT FROM accounts) OR EXISTS (SELECT FROM products) OR EXISTS (SELECT FROM entities)
          OR EXISTS (SELECT FROM predictions) OR EXISTS (SELECT FROM audit_log) AS used`,
  );
  return line?.used === true;
}

/**
 * How many connections other processes of Loupe have to the database, by the name that they give themselves. Of the
 * embedded one, whose clients share a session, it says nothing.
 */
export async function othersConnected(knex: Knex): Promise<number> {
  const [line] = await rowsOf<{ others: number }>(
    knex,
    sql`SELECT count(*) AS others FROM pg_stat_activity
        WHERE datname = current_database() AND application_name = 'loupe' AND pid <> pg_backend_pid()`,
  );
  return line?.others ?? 0;
}
