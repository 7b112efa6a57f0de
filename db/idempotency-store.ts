import type { Knex } from 'knex';
import { inject, injectable } from 'tsyringe';
import {
  type Claim,
  type Clock,
  type IdempotencyStore,
  type IdempotentCall,
  type IdSource,
  PORTS,
} from '../models/ports';
import { rowsOf, sql } from './sql';

/** Expired calls that each new one takes with it, so that the table needs no sweeper of its own. */
const SWEPT_AT_ONCE = 8;

/** Calls that are answered once, in PostgreSQL: shared by all processes, and still there after a restart. */
@injectable()
export class PostgresIdempotencyStore implements IdempotencyStore {
  constructor(
    @inject(PORTS.Knex) private readonly knex: Knex,
    @inject(PORTS.Clock) private readonly clock: Clock,
    @inject(PORTS.IdSource) private readonly ids: IdSource,
  ) {}

  async claim(call: IdempotentCall, leasedUntil: Date, expiresAt: Date): Promise<Claim> {
    const chargeId =
      (await this.begin(call, leasedUntil, expiresAt)) ?? (await this.resume(call, leasedUntil));
    if (chargeId !== null) return { kind: 'granted', chargeId };
    const [found] = await rowsOf<{ same: boolean; answer: string | null }>(
      this.knex,
      sql`SELECT fingerprint = ${call.fingerprint}::bytea AS same, answer FROM idempotent_calls
          WHERE account_id = ${call.accountId} AND key = ${call.key}`,
    );
    if (found && !found.same) return { kind: 'other call' };
    return found?.answer != null ? { kind: 'answered', answer: found.answer } : { kind: 'running' };
  }

  async complete(call: IdempotentCall, chargeId: string, answer: string): Promise<void> {
    await rowsOf(
      this.knex,
      sql`UPDATE idempotent_calls SET answer = ${answer}
          WHERE account_id = ${call.accountId} AND key = ${call.key} AND charge_id = ${chargeId} AND answer IS NULL`,
    );
  }

  async forget(call: IdempotentCall, chargeId: string): Promise<void> {
    await rowsOf(
      this.knex,
      sql`DELETE FROM idempotent_calls
          WHERE account_id = ${call.accountId} AND key = ${call.key} AND charge_id = ${chargeId} AND answer IS NULL`,
    );
  }

  async giveUp(call: IdempotentCall, chargeId: string): Promise<void> {
    await rowsOf(
      this.knex,
      sql`UPDATE idempotent_calls SET leased_until = ${this.clock.now()}
          WHERE account_id = ${call.accountId} AND key = ${call.key} AND charge_id = ${chargeId}`,
    );
  }

  /** A key that is new, or whose time is over; the id of its charge. */
  private async begin(call: IdempotentCall, leasedUntil: Date, expiresAt: Date): Promise<string | null> {
    const now = this.clock.now();
    const [begun] = await rowsOf<{ charge_id: string }>(
      this.knex,
      sql`WITH swept AS (
            DELETE FROM idempotent_calls WHERE ctid IN (
              SELECT ctid FROM idempotent_calls
              WHERE expires_at <= ${now} AND (account_id, key) <> (${call.accountId}, ${call.key})
              ORDER BY expires_at LIMIT ${SWEPT_AT_ONCE} FOR UPDATE SKIP LOCKED)
          )
          INSERT INTO idempotent_calls AS old (account_id, key, fingerprint, charge_id, leased_until, expires_at)
          VALUES (${call.accountId}, ${call.key}, ${call.fingerprint}, ${this.ids.next()}, ${leasedUntil}, ${expiresAt})
          ON CONFLICT (account_id, key) DO UPDATE SET fingerprint = excluded.fingerprint,
            charge_id = excluded.charge_id, leased_until = excluded.leased_until, expires_at = excluded.expires_at,
            answer = NULL
          WHERE old.expires_at <= ${now}
          RETURNING charge_id`,
    );
    return begun?.charge_id ?? null;
  }

  /** The same call, after the process that ran it died or gave it up; the id of the charge that it began. */
  private async resume(call: IdempotentCall, leasedUntil: Date): Promise<string | null> {
    const [resumed] = await rowsOf<{ charge_id: string }>(
      this.knex,
      sql`UPDATE idempotent_calls SET leased_until = ${leasedUntil}
          WHERE account_id = ${call.accountId} AND key = ${call.key} AND fingerprint = ${call.fingerprint}
            AND answer IS NULL AND leased_until <= ${this.clock.now()}
          RETURNING charge_id`,
    );
    return resumed?.charge_id ?? null;
  }
}
