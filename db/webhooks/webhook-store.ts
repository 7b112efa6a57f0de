import type { Knex } from 'knex';
import { inject, injectable } from 'tsyringe';
import { type Clock, PORTS, type WebhookStore } from '../../models/ports';
import type { OutgoingMessage, Webhook, WebhookEvent } from '../../models/webhooks/webhook';
import { PostgresHousekeepingStore } from '../core/housekeeping-store';
import { inTransaction, rowsOf, type Sql, sql } from '../core/sql';
import { messagesAbout } from './messages-about';

interface EndpointRow {
  readonly id: string;
  readonly url: string;
  readonly events: readonly WebhookEvent[];
  readonly credits_below: number | null;
  readonly created_at: Date;
  readonly disabled_at: Date | null;
  readonly failures: number;
  readonly last_failure: string | null;
}

type MessageRow = Pick<EndpointRow, 'url' | 'failures'> & {
  readonly id: string;
  readonly endpoint_id: string;
  readonly secret: string;
  readonly type: WebhookEvent;
  readonly data: object;
  readonly created_at: Date;
  readonly tries: number;
};

const COLUMNS = sql`id, url, events, credits_below, created_at, disabled_at, failures, last_failure`;

/** Addresses and messages in PostgreSQL. Whoever sends a message has its address locked: it gets one at a time. */
@injectable()
export class PostgresWebhookStore implements WebhookStore {
  constructor(
    @inject(PORTS.Knex) private readonly knex: Knex,
    @inject(PORTS.Clock) private readonly clock: Clock,
  ) {}

  async add({
    id,
    accountId,
    url,
    events,
    creditsBelow,
    secret,
  }: Parameters<WebhookStore['add']>[0]): Promise<Webhook> {
    const now = this.clock.now();
    const [row] = await rowsOf<EndpointRow>(
      this.knex,
      sql`INSERT INTO webhook_endpoints (id, account_id, url, events, credits_below, secret, created_at, due_at)
          VALUES (${id}, ${accountId}, ${url.href}, ${events}::text[], ${creditsBelow}, ${secret}, ${now}, ${now})
          RETURNING ${COLUMNS}`,
    );
    if (!row) throw new Error('the webhook was not inserted');
    return webhookOf(row);
  }

  async list(accountId: string): Promise<readonly Webhook[]> {
    const rows = await rowsOf<EndpointRow>(
      this.knex,
      sql`SELECT ${COLUMNS} FROM webhook_endpoints WHERE account_id = ${accountId} ORDER BY created_at, id`,
    );
    return rows.map(webhookOf);
  }

  async remove(accountId: string, id: string): Promise<boolean> {
    const removed = await rowsOf(
      this.knex,
      sql`DELETE FROM webhook_endpoints WHERE account_id = ${accountId} AND id = ${id} RETURNING id`,
    );
    return removed.length > 0;
  }

  async tellOfDrift(data: Parameters<WebhookStore['tellOfDrift']>[0], everyMs: number): Promise<void> {
    await inTransaction(this.knex, async (transaction) => {
      const turns = new PostgresHousekeepingStore(transaction, this.clock);
      if (!(await turns.claim('model.drift', everyMs))) return;
      const message = { data: sql`${JSON.stringify(data)}::json`, whose: sql`true` };
      await rowsOf(transaction, messagesAbout('model.drift', this.clock.now(), message));
    });
  }

  /** Of the messages to an address the one that was tried least comes first: one that always fails keeps none back. */
  async begin(leasedUntil: Date): Promise<OutgoingMessage | null> {
    const now = this.clock.now();
    const [row] = await rowsOf<MessageRow>(
      this.knex,
      sql`WITH address AS (
            SELECT e.id, e.url, e.secret, e.failures FROM webhook_endpoints e
            WHERE e.disabled_at IS NULL AND e.due_at <= ${now}
              AND EXISTS (SELECT FROM webhook_messages m WHERE m.endpoint_id = e.id AND m.due_at <= ${now})
            ORDER BY e.due_at LIMIT 1 FOR UPDATE SKIP LOCKED
          ), taken AS (
            UPDATE webhook_messages SET tries = tries + 1 WHERE id = (
              SELECT m.id FROM webhook_messages m JOIN address ON address.id = m.endpoint_id
              WHERE m.due_at <= ${now} ORDER BY m.tries, m.created_at, m.id LIMIT 1)
            RETURNING *
          ), held AS (
            UPDATE webhook_endpoints SET due_at = ${leasedUntil} WHERE id IN (SELECT endpoint_id FROM taken)
          )
          SELECT taken.*, address.url, address.secret, address.failures
          FROM taken JOIN address ON address.id = taken.endpoint_id`,
    );
    if (!row) return null;
    const { endpoint_id: endpointId, created_at: createdAt, url, ...rest } = row;
    return { ...rest, endpointId, createdAt, url: new URL(url) };
  }

  async delivered({ id, endpointId }: OutgoingMessage): Promise<void> {
    await rowsOf(
      this.knex,
      sql`WITH gone AS (DELETE FROM webhook_messages WHERE id = ${id})
          UPDATE webhook_endpoints SET due_at = ${this.clock.now()}, failures = 0, last_failure = NULL
          WHERE id = ${endpointId}`,
    );
  }

  async failed(
    { id, endpointId }: OutgoingMessage,
    failure: string,
    again: Parameters<WebhookStore['failed']>[2],
  ): Promise<void> {
    await rowsOf(
      this.knex,
      sql`WITH postponed AS (
            UPDATE webhook_messages SET due_at = ${again.message} WHERE id = ${id} AND created_at > ${again.dropBefore}
          ), ${dropped(sql`endpoint_id = ${endpointId} AND created_at <= ${again.dropBefore}`)}
          UPDATE webhook_endpoints SET due_at = ${again.endpoint}, failures = failures + 1, last_failure = ${failure}
          WHERE id = ${endpointId}`,
    );
  }

  async depth(): Promise<{ waiting: number; failing: number }> {
    const [line] = await rowsOf<{ waiting: number; failing: number }>(
      this.knex,
      sql`SELECT (SELECT count(*)::int FROM webhook_messages) AS waiting,
            (SELECT count(*)::int FROM webhook_endpoints WHERE failures > 0 AND disabled_at IS NULL) AS failing`,
    );
    return line ?? { waiting: 0, failing: 0 };
  }

  async disable(endpointId: string): Promise<void> {
    await rowsOf(
      this.knex,
      sql`WITH ${dropped(sql`endpoint_id = ${endpointId}`)}
          UPDATE webhook_endpoints SET disabled_at = ${this.clock.now()} WHERE id = ${endpointId}`,
    );
  }
}

const dropped = (which: Sql): Sql => sql`dropped AS (DELETE FROM webhook_messages WHERE ${which})`;

const webhookOf = (row: EndpointRow): Webhook => ({
  id: row.id,
  url: new URL(row.url),
  events: row.events,
  creditsBelow: row.credits_below,
  createdAt: row.created_at,
  disabledAt: row.disabled_at,
  failures: row.failures,
  lastFailure: row.last_failure,
});
