import type { Knex } from 'knex';

/**
 * Calls that name themselves with an `Idempotency-Key`. `answer` is null while a call runs; `leased_until` is when it is
 * taken for dead, and its repetition may go on under the same `charge_id`, which the ledger books once.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE idempotent_calls (
      account_id text COLLATE "C" NOT NULL REFERENCES accounts,
      key text COLLATE "C" NOT NULL,
      fingerprint bytea NOT NULL,
      charge_id text COLLATE "C" NOT NULL,
      leased_until timestamptz NOT NULL,
      expires_at timestamptz NOT NULL,
      answer text,
      PRIMARY KEY (account_id, key)
    )`);
  await knex.raw('CREATE INDEX idempotent_calls_expiry ON idempotent_calls (expires_at)');
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.dropTable('idempotent_calls');
}
