import type { Knex } from 'knex';
import { inject, injectable } from 'tsyringe';
import { newChargeId } from '../../models/access/billing';
import type * as ports from '../../models/ports';
import { PORTS, TEXT_PIECE } from '../../models/ports';
import { isPast } from '../core/shared-clauses';
import { rowsOf, sql } from '../core/sql';

interface Found {
  /** Whether the key was used for the same request. */
  readonly same: boolean;
  readonly charge_id: string;
  /** Of the answer. */
  readonly bytes: number | null;
  readonly replayed: boolean;
}

/** Calls that are answered once, in PostgreSQL: shared by all processes, and still there after a restart. */
@injectable()
export class PostgresIdempotencyStore implements ports.IdempotencyStore {
  constructor(
    @inject(PORTS.Knex) private readonly knex: Knex,
    @inject(PORTS.Clock) private readonly clock: ports.Clock,
  ) {}

  async claim(call: ports.IdempotentCall, leasedUntil: Date, expiresAt: Date): Promise<ports.Claim> {
    const chargeId =
      (await this.begin(call, leasedUntil, expiresAt)) ?? (await this.resume(call, leasedUntil));
    if (chargeId !== null) return { kind: 'granted', chargeId };
    const [found] = await rowsOf<Found>(this.knex)`
      SELECT fingerprint = ${call.fingerprint}::bytea AS same, charge_id,
        octet_length(answer) AS bytes, replayed FROM idempotent_calls
      WHERE account_id = ${call.accountId} AND key = ${call.key}`;
    if (found && !found.same) return { kind: 'other call' };
    if (found?.bytes == null) return { kind: 'running' };
    // An answer whose charge is being refunded is not replayed.
    const given = found.replayed || (await this.markGiven(call, found.charge_id));
    return given ? { kind: 'answered', chargeId: found.charge_id, bytes: found.bytes } : { kind: 'running' };
  }

  async *answer({ accountId, key }: ports.IdempotentCall, chargeId: string): AsyncGenerator<string> {
    for (let from = 1, length = TEXT_PIECE; length >= TEXT_PIECE; from += TEXT_PIECE) {
      const [piece] = await rowsOf<{ text: string }>(this.knex)`
        SELECT substr(answer, ${from}::integer, ${TEXT_PIECE}::integer) AS text FROM idempotent_calls
        WHERE account_id = ${accountId} AND key = ${key} AND charge_id = ${chargeId}`;
      if (!piece) throw new Error('a kept answer is gone while it is read');
      length = piece.text.length;
      if (length > 0) yield piece.text;
    }
  }

  async forget(call: ports.IdempotentCall, chargeId: string): Promise<void> {
    await rowsOf(this.knex)`DELETE FROM idempotent_calls
      WHERE account_id = ${call.accountId} AND key = ${call.key} AND charge_id = ${chargeId} AND answer IS NULL`;
  }

  async drop({ accountId, key }: ports.IdempotentCall): Promise<void> {
    await rowsOf(this.knex)`DELETE FROM idempotent_calls WHERE account_id = ${accountId} AND key = ${key}`;
  }

  /** Marks the answer as replayed, so that it and its charge stay; false if it was withdrawn. */
  private async markGiven(call: ports.IdempotentCall, chargeId: string): Promise<boolean> {
    const given = await rowsOf(this.knex)`UPDATE idempotent_calls SET replayed = true
      WHERE account_id = ${call.accountId} AND key = ${call.key} AND charge_id = ${chargeId}
      RETURNING true`;
    return given.length > 0;
  }

  /** Claims a key that is new or has expired; resolves to the id of its charge, else null. */
  private async begin(
    call: ports.IdempotentCall,
    leasedUntil: Date,
    expiresAt: Date,
  ): Promise<string | null> {
    const now = this.clock.now();
    const [begun] = await rowsOf<{ charge_id: string }>(this.knex)`
      INSERT INTO idempotent_calls AS old (account_id, key, fingerprint, charge_id, leased_until, expires_at)
      VALUES (${call.accountId}, ${call.key}, ${call.fingerprint}, ${newChargeId(now)}, ${leasedUntil}, ${expiresAt})
      ON CONFLICT (account_id, key) DO UPDATE SET fingerprint = excluded.fingerprint,
        charge_id = excluded.charge_id, leased_until = excluded.leased_until, expires_at = excluded.expires_at,
        answer = NULL, replayed = false
      WHERE old.expires_at <= ${now}
      RETURNING charge_id`;
    return begun?.charge_id ?? null;
  }

  /** Restarts a call whose process died, under a new charge that takes over the reservation of the old one. */
  private async resume(call: ports.IdempotentCall, leasedUntil: Date): Promise<string | null> {
    const now = this.clock.now();
    const chargeId = newChargeId(now);
    const isDead = isPast(sql`leased_until`, now, leasedUntil.getTime() - now.getTime());
    const resumed = await rowsOf(this.knex)`
      WITH dead AS (
        SELECT charge_id FROM idempotent_calls
        WHERE account_id = ${call.accountId} AND key = ${call.key} AND fingerprint = ${call.fingerprint}
          AND answer IS NULL AND ${isDead} FOR UPDATE
      ), taken_over AS (
        UPDATE credit_reservations SET charge_id = ${chargeId} WHERE charge_id IN (SELECT charge_id FROM dead)
      )
      UPDATE idempotent_calls SET charge_id = ${chargeId}, leased_until = ${leasedUntil}
      WHERE account_id = ${call.accountId} AND key = ${call.key} AND EXISTS (SELECT FROM dead) RETURNING true`;
    return resumed.length > 0 ? chargeId : null;
  }
}
