import type { AuditEntry } from '../../models/ports';
import { type Sql, sql } from './sql';

/** Adds an entry to the audit log: a statement, for the transaction of what it tells (contract 14.8). */
export const auditEntry = ({ actor, action, accountId, subject, details }: AuditEntry, at: Date): Sql =>
  sql`INSERT INTO audit_log (at, actor, action, account_id, subject, details)
      VALUES (${at}, ${actor}, ${action}, ${accountId}, ${subject}, ${JSON.stringify(details)}::jsonb)`;
