import type { Knex } from 'knex';

/**
 * Where credits come from, beside the ledger, which says where they went: what a limited account has left is always
 * the sum of its top-ups less the sum of its ledger.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE credit_top_ups (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      account_id text COLLATE "C" NOT NULL REFERENCES accounts,
      amount bigint NOT NULL CHECK (amount > 0),
      added_at timestamptz NOT NULL DEFAULT now()
    )`);
  await knex.raw('CREATE INDEX credit_top_ups_account ON credit_top_ups (account_id)');
  await knex.raw(`
    INSERT INTO credit_top_ups (account_id, amount)
    SELECT a.id, a.credits + coalesce(sum(l.amount), 0) FROM accounts a LEFT JOIN credit_ledger l ON l.account_id = a.id
    WHERE a.credits IS NOT NULL GROUP BY a.id HAVING a.credits + coalesce(sum(l.amount), 0) > 0`);
  // Reservations are looked for by account when they have expired.
  await knex.raw('DROP INDEX credit_reservations_expiry');
  await knex.raw('CREATE INDEX credit_reservations_expiry ON credit_reservations (account_id, expires_at)');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP INDEX credit_reservations_expiry');
  await knex.raw('CREATE INDEX credit_reservations_expiry ON credit_reservations (expires_at)');
  await knex.schema.dropTable('credit_top_ups');
}
