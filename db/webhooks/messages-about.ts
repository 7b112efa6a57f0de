import type { WebhookEvent } from '../../models/webhooks/webhook';
import { isOpen } from '../core/shared-clauses';
import { type Sql, sql } from '../core/sql';

/** Whether an address, `e`, is told anything: it was not disabled, and its key opens the API (contract 16.10). */
export const isTold = (now: Date): Sql =>
  sql`e.disabled_at IS NULL AND (e.key_id IS NULL OR e.key_id IN (SELECT id FROM api_keys WHERE ${isOpen(now)}))`;

/**
 * Writes a message for each address that wants to know of an event: an INSERT, for the transaction or statement that
 * makes it true (contract 16.13).
 *
 * @param data its `data`, an expression of type json, which may use `e`, the address
 * @param whose condition on `e`: the account that it is about, or more
 * @param from further tables of `data` and `whose`
 */
export const messagesAbout = (
  type: WebhookEvent,
  now: Date,
  { data, whose, from = sql`` }: { readonly data: Sql; readonly whose: Sql; readonly from?: Sql },
): Sql =>
  sql`INSERT INTO webhook_messages (id, endpoint_id, type, data, created_at, due_at)
      SELECT 'msg_' || replace(gen_random_uuid()::text, '-', ''), e.id, ${type}::text, ${data},
        ${now}::timestamptz, ${now}::timestamptz
      FROM webhook_endpoints e ${from}
      WHERE ${isTold(now)} AND ${type}::text = ANY(e.events) AND ${whose}`;
