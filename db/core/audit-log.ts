import type { Knex } from 'knex';
import { inject, injectable } from 'tsyringe';
import type * as ports from '../../models/ports';
import { PORTS } from '../../models/ports';
import { allOf, rowsOf, type Sql, sql } from './sql';

/** A statement for the transaction that the entry describes; returns its `id` (contract 14.8). @param completes the entry that this one ends */
export const auditEntry = (
  { actor, action, accountId, subject, details }: ports.AuditEntry,
  at: Date,
  completes: number | null = null,
): Sql =>
  sql`INSERT INTO audit_log (at, actor, action, account_id, subject, details, completes)
      VALUES (${at}, ${actor}, ${action}, ${accountId}, ${subject}, ${JSON.stringify(details)}::jsonb, ${completes})
      RETURNING id`;

/** The audit log in PostgreSQL: a table that refuses anything but an INSERT. */
@injectable()
export class PostgresAuditLog implements ports.AuditLog {
  constructor(
    @inject(PORTS.Knex) private readonly knex: Knex,
    @inject(PORTS.Clock) private readonly clock: ports.Clock,
  ) {}

  async append(entry: ports.AuditEntry): Promise<void> {
    await rowsOf(this.knex, auditEntry(entry, this.clock.now()));
  }

  list({ accountId, since, before, limit }: ports.AuditFilter): Promise<readonly ports.AuditRecord[]> {
    const conditions = [
      sql`entry.completes IS NULL`,
      ...(accountId === null ? [] : [sql`entry.account_id = ${accountId}`]),
      ...(since === null ? [] : [sql`entry.at >= ${since}`]),
      ...(before === null ? [] : [sql`entry.id < ${before}`]),
    ];
    return rowsOf<ports.AuditRecord>(this.knex)`
      SELECT entry.id, entry.at, entry.actor, entry.action, entry.account_id AS "accountId", entry.subject,
        coalesce(ending.details, entry.details) AS details
      FROM audit_log AS entry LEFT JOIN audit_log AS ending ON ending.completes = entry.id
      WHERE ${allOf(conditions)} ORDER BY entry.id DESC LIMIT ${limit}`;
  }
}

/** One entry for several transactions: begun in the first, so that nothing changes without it; `unfinished` until it is completed. */
export class OpenAuditEntry {
  #id: number | null = null;
  #stands = false;

  constructor(
    private readonly clock: ports.Clock,
    private readonly entry: ports.AuditEntry,
  ) {}

  /** Begins the entry in this transaction, unless it has begun already. */
  async begin(trx: Knex): Promise<void> {
    if (this.#stands) return;
    const details = { ...this.entry.details, unfinished: true };
    const [begun] = await rowsOf<{ id: number }>(
      trx,
      auditEntry({ ...this.entry, details }, this.clock.now()),
    );
    this.#id = begun?.id ?? null;
  }

  /** Call after the commit of the transaction in which it was begun. */
  committed(): void {
    this.#stands = this.#id !== null;
  }

  /** Completes the entry, or writes it whole if no transaction began it. */
  async complete(knex: Knex, details: ports.AuditEntry['details']): Promise<void> {
    const entry = { ...this.entry, details: { ...this.entry.details, ...details } };
    await rowsOf(knex, auditEntry(entry, this.clock.now(), this.#stands ? this.#id : null));
  }
}
