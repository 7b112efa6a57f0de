import type { AuditEntry } from '../../models/ports';
import { type Sql, sql } from './sql';

/**
 * Adds an entry to the audit log and answers its `id`: a statement, for the transaction of what it tells (contract 14.8).
 *
 * @param completes the entry that this one is the end of
 */
export const auditEntry = (
  { actor, action, accountId, subject, details }: AuditEntry,
  at: Date,
  completes: number | null = null,
): Sql =>
  sql`INSERT INTO audit_log (at, actor, action, account_id, subject, details, completes)
      VALUES (${at}, ${actor}, ${action}, ${accountId}, ${subject}, ${JSON.stringify(details)}::jsonb, ${completes})
      RETURNING id`;
