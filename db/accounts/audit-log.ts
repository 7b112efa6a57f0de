import type { Knex } from 'knex';
import { inject, injectable } from 'tsyringe';
import {
  type AuditEntry,
  type AuditFilter,
  type AuditLog,
  type AuditRecord,
  type Clock,
  PORTS,
} from '../../models/ports';
import { auditEntry } from '../core/audit-entry';
import { allOf, rowsOf, sql } from '../core/sql';

/** The audit log in PostgreSQL: a table that refuses whatever is no INSERT. */
@injectable()
export class PostgresAuditLog implements AuditLog {
  constructor(
    @inject(PORTS.Knex) private readonly knex: Knex,
    @inject(PORTS.Clock) private readonly clock: Clock,
  ) {}

  async append(entry: AuditEntry): Promise<void> {
    await rowsOf(this.knex, auditEntry(entry, this.clock.now()));
  }

  list({ accountId, since, before, limit }: AuditFilter): Promise<readonly AuditRecord[]> {
    const conditions = [
      ...(accountId === null ? [] : [sql`account_id = ${accountId}`]),
      ...(since === null ? [] : [sql`at >= ${since}`]),
      ...(before === null ? [] : [sql`id < ${before}`]),
    ];
    return rowsOf<AuditRecord>(
      this.knex,
      sql`SELECT id, at, actor, action, account_id AS "accountId", subject, details FROM audit_log
          WHERE ${allOf(conditions)} ORDER BY id DESC LIMIT ${limit}`,
    );
  }
}
