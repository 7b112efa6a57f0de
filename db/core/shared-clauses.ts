import type { Knex } from 'knex';
import type { WebhookEvent } from '../../models/webhooks/webhook';
import { rowsOf, type Sql, sql } from './sql';

/** Serialises counting and writing what an account may have only a number of, until the transaction ends (contract 9.13). */
export async function lockAccount(transaction: Knex, id: string): Promise<void> {
  await rowsOf(transaction)`SELECT FROM accounts WHERE id = ${id} FOR NO KEY UPDATE`;
}

/** When a key stops working: at its expiry, or earlier at the end of the overlap of its rotation. */
export const EXPIRY = sql`least(expires_at, overlap_ends_at)`;

/** Whether a key of `api_keys` opens anything. */
export const isOpen = (now: Date): Sql => sql`revoked_at IS NULL AND coalesce(${EXPIRY} > ${now}, true)`;

/** How far the clocks of the processes of an installation may be apart. */
const CLOCKS_APART_MS = 60_000;

/**
 * Whether a stored time has come; one that is too far ahead was written by a fast clock, and counts as past (contract 14.18).
 * @param aheadMaxMs how far ahead of its writer's clock such a time can be: a lease, the longest pause
 */
export const isPast = (time: Sql, now: Date, aheadMaxMs: number | Sql): Sql =>
  sql`(${time} <= ${now} OR ${isVoid(time, now, aheadMaxMs)})`;

/** Whether a stored time is further ahead than any process could have set it. */
export const isVoid = (time: Sql, now: Date, aheadMaxMs: number | Sql): Sql =>
  sql`${time} > ${now}::timestamptz + (${aheadMaxMs} + ${CLOCKS_APART_MS}::integer) * interval '1 millisecond'`;

/** Whether an address, `e`, receives messages: it was not disabled, and its key opens the API (contract 16.10). */
export const isActive = (now: Date): Sql =>
  sql`e.disabled_at IS NULL AND (e.key_id IS NULL OR e.key_id IN (SELECT id FROM api_keys WHERE ${isOpen(now)}))`;

/**
 * Writes a message for each address that wants to know of an event: an INSERT, for the transaction or statement that
 * makes it true (contract 16.13).
 * @param data its `data`, an expression of type json, which may use `e`, the address
 * @param whose condition on `e`: the account that it is about, or more
 * @param from further tables of `data` and `whose`
 */
export const insertMessages = (
  type: WebhookEvent,
  now: Date,
  { data, whose, from = sql`` }: { readonly data: Sql; readonly whose: Sql; readonly from?: Sql },
): Sql =>
  sql`INSERT INTO webhook_messages (id, endpoint_id, type, data, created_at, due_at)
      SELECT 'msg_' || replace(gen_random_uuid()::text, '-', ''), e.id, ${type}::text, ${data},
        ${now}::timestamptz, ${now}::timestamptz
      FROM webhook_endpoints e ${from}
      WHERE ${isActive(now)} AND ${type}::text = ANY(e.events) AND ${whose}`;
