import type { Knex } from 'knex';
import { inject, injectable } from 'tsyringe';
import type { Owner } from '../../models/access/api-key';
import type * as ports from '../../models/ports';
import { PORTS } from '../../models/ports';
import { PAUSE_MAX_MS } from '../../models/retries';
import type { OutgoingMessage, Webhook } from '../../models/webhooks/webhook';
import { auditEntry } from '../core/audit-log';
import { PostgresHousekeepingStore } from '../core/housekeeping-store';
import { EXPIRY, insertMessages, isActive, isOpen, isPast, lockAccount } from '../core/shared-clauses';
import { allOf, inTransaction, rowsOf, type Sql, sql } from '../core/sql';

type EndpointRow = Omit<Webhook, 'url'> & { readonly url: string };
type MessageRow = Omit<OutgoingMessage, 'url'> & { readonly url: string };

const columns = (now: Date): Sql => sql`id, test, url, events, credits_below AS "creditsBelow",
  created_at AS "createdAt", disabled_at AS "disabledAt", failures, last_failure AS "lastFailure", key_id AS "keyId",
  (SELECT least(k.revoked_at, ${EXPIRY}) FROM api_keys k WHERE k.id = key_id AND NOT (${isOpen(now)})) AS "keyEndedAt"`;

const withUrl = <Row extends { readonly url: string }>(row: Row) => ({ ...row, url: new URL(row.url) });

/** Addresses and messages in PostgreSQL. Sending a message locks its address, which gets one at a time. */
@injectable()
export class PostgresWebhookStore implements ports.WebhookStore {
  constructor(
    @inject(PORTS.Knex) private readonly knex: Knex,
    @inject(PORTS.Clock) private readonly clock: ports.Clock,
  ) {}

  add(webhook: ports.NewWebhook, max: number, entry: ports.AuditEntry): Promise<Webhook | null> {
    const { id, accountId, test, keyId, url, events, creditsBelow, secret } = webhook;
    const now = this.clock.now();
    return inTransaction(this.knex, async (transaction) => {
      await lockAccount(transaction, accountId);
      const [row] = await rowsOf<EndpointRow>(transaction)`
        INSERT INTO webhook_endpoints (id, account_id, test, key_id, url, events, credits_below, secret, created_at, due_at)
        SELECT ${id}, ${accountId}, ${test}, ${keyId}, ${url.href}, ${events}::text[], ${creditsBelow}::bigint, ${secret},
          ${now}::timestamptz, ${now}::timestamptz
        WHERE (SELECT count(*) FROM webhook_endpoints WHERE ${isOf(webhook)}) < ${max}::integer
        RETURNING ${columns(now)}`;
      if (!row) return null;
      await rowsOf(transaction, auditEntry(entry, now));
      return withUrl(row);
    });
  }

  async list(whose: ports.KeysOf): Promise<readonly Webhook[]> {
    const rows = await rowsOf<EndpointRow>(this.knex)`
      SELECT ${columns(this.clock.now())} FROM webhook_endpoints WHERE ${isOf(whose)} ORDER BY created_at, id`;
    return rows.map(withUrl);
  }

  remove(owner: Owner, id: string, entry: ports.AuditEntry): Promise<boolean> {
    return inTransaction(this.knex, async (transaction) => {
      const removed = await rowsOf(transaction)`
        DELETE FROM webhook_endpoints WHERE ${isOf(owner)} AND id = ${id} RETURNING id`;
      if (removed.length > 0) await rowsOf(transaction, auditEntry(entry, this.clock.now()));
      return removed.length > 0;
    });
  }

  async sendDrift(data: ports.DriftFigures, accountId: string | null, everyMs: number): Promise<void> {
    await inTransaction(this.knex, async (transaction) => {
      const turns = new PostgresHousekeepingStore(transaction, this.clock);
      const task = accountId === null ? 'model.drift' : `model.drift ${accountId}`;
      if (!(await turns.claim(task, everyMs))) return;
      const whose = accountId === null ? sql`true` : sql`e.account_id = ${accountId}`;
      const message = { data: sql`${JSON.stringify(data)}::json`, whose };
      await rowsOf(transaction, insertMessages('model.drift', this.clock.now(), message));
    });
  }

  /** Of the messages to an address, the one tried least comes first, so that one that always fails does not block the others. */
  async begin(leaseMs: number): Promise<OutgoingMessage | null> {
    const now = this.clock.now();
    // An address waits for the end of a message under way or of a pause, a message for the end of a pause.
    const pause = (failures: Sql, other: number) =>
      sql`CASE WHEN ${failures} = 0 THEN ${other}::integer ELSE ${PAUSE_MAX_MS}::integer END`;
    const isFree = isPast(sql`e.due_at`, now, pause(sql`e.failures`, leaseMs));
    const isDue = isPast(sql`m.due_at`, now, pause(sql`m.tries`, 0));
    const [row] = await rowsOf<MessageRow>(this.knex)`
      WITH address AS (
        SELECT e.id, e.url, e.secret, e.failures FROM webhook_endpoints e
        WHERE ${isActive(now)} AND ${isFree}
          AND EXISTS (SELECT FROM webhook_messages m WHERE m.endpoint_id = e.id AND ${isDue})
        ORDER BY e.due_at LIMIT 1 FOR UPDATE SKIP LOCKED
      ), taken AS (
        UPDATE webhook_messages SET tries = tries + 1 WHERE id = (
          SELECT m.id FROM webhook_messages m JOIN address ON address.id = m.endpoint_id
          WHERE ${isDue} ORDER BY m.tries, m.created_at, m.id LIMIT 1)
        RETURNING *
      ), held AS (
        UPDATE webhook_endpoints SET due_at = ${new Date(now.getTime() + leaseMs)} WHERE id IN (SELECT endpoint_id FROM taken)
      )
      SELECT taken.id, endpoint_id AS "endpointId", type, data, created_at AS "createdAt", clock_timestamp() AS "takenAt", tries, url, secret, failures
      FROM taken JOIN address ON address.id = taken.endpoint_id`;
    return row ? withUrl(row) : null;
  }

  async delivered({ id, endpointId }: OutgoingMessage): Promise<void> {
    await rowsOf(this.knex)`
      WITH gone AS (DELETE FROM webhook_messages WHERE id = ${id})
      UPDATE webhook_endpoints SET due_at = ${this.clock.now()}, failures = 0, last_failure = NULL
      WHERE id = ${endpointId}`;
  }

  async failed({ id, endpointId }: OutgoingMessage, failure: string, next: ports.NextTry): Promise<void> {
    await rowsOf(this.knex)`
      WITH postponed AS (
        UPDATE webhook_messages SET due_at = ${next.message} WHERE id = ${id} AND created_at > ${next.dropBefore}
      ), ${dropped(sql`endpoint_id = ${endpointId} AND created_at <= ${next.dropBefore}`)}
      UPDATE webhook_endpoints SET due_at = ${next.endpoint}, failures = failures + 1, last_failure = ${failure}
      WHERE id = ${endpointId}`;
  }

  async depth(): Promise<{ waiting: number; failing: number }> {
    const [line] = await rowsOf<{ waiting: number; failing: number }>(this.knex)`
      WITH active AS (SELECT e.id, e.failures FROM webhook_endpoints e WHERE ${isActive(this.clock.now())})
      SELECT (SELECT count(*)::int FROM webhook_messages WHERE endpoint_id IN (SELECT id FROM active)) AS waiting,
        (SELECT count(*)::int FROM active WHERE failures > 0) AS failing`;
    return line ?? { waiting: 0, failing: 0 };
  }

  async disable(endpointId: string): Promise<void> {
    await rowsOf(this.knex)`WITH ${dropped(sql`endpoint_id = ${endpointId}`)}
      UPDATE webhook_endpoints SET disabled_at = ${this.clock.now()} WHERE id = ${endpointId}`;
  }
}

const dropped = (which: Sql): Sql => sql`dropped AS (DELETE FROM webhook_messages WHERE ${which})`;

const isOf = ({ accountId, test }: ports.KeysOf): Sql =>
  allOf([sql`account_id = ${accountId}`, ...(test === undefined ? [] : [sql`test = ${test}`])]);
