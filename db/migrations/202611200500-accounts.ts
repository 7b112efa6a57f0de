import type { Knex } from 'knex';

/**
 * Accounts, keys, and credits as they move (decisions.md 2 and 3). `credits` is what is left, null is unlimited;
 * `held` is the part of it that open reservations hold. `credit_ledger` is the record that sums up to every
 * `credits_used` ever answered; a charge id appears in it once.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE accounts (
      id text COLLATE "C" PRIMARY KEY,
      name text NOT NULL,
      credits bigint CHECK (credits >= 0),
      held bigint NOT NULL DEFAULT 0 CHECK (held >= 0),
      created_at timestamptz NOT NULL DEFAULT now(),
      CHECK (held <= credits)
    )`);
  await knex.raw(`
    CREATE TABLE api_keys (
      id text COLLATE "C" PRIMARY KEY,
      account_id text COLLATE "C" NOT NULL REFERENCES accounts,
      name text NOT NULL,
      hash bytea NOT NULL UNIQUE,
      versions text[] NOT NULL,
      test boolean NOT NULL,
      per_second integer,
      per_minute integer,
      concurrency integer,
      created_at timestamptz NOT NULL DEFAULT now(),
      revoked_at timestamptz
    )`);
  await knex.raw(`
    CREATE TABLE credit_reservations (
      charge_id text COLLATE "C" PRIMARY KEY,
      account_id text COLLATE "C" NOT NULL REFERENCES accounts,
      amount bigint NOT NULL CHECK (amount >= 0),
      expires_at timestamptz NOT NULL
    )`);
  await knex.raw('CREATE INDEX credit_reservations_expiry ON credit_reservations (expires_at)');
  await knex.raw(`
    CREATE TABLE credit_ledger (
      charge_id text COLLATE "C" PRIMARY KEY,
      account_id text COLLATE "C" NOT NULL REFERENCES accounts,
      key_id text COLLATE "C",
      endpoint text NOT NULL,
      request_id text NOT NULL,
      amount bigint NOT NULL,
      booked_at timestamptz NOT NULL DEFAULT now()
    )`);
  await knex.raw('CREATE INDEX credit_ledger_account ON credit_ledger (account_id, booked_at)');
}

export async function down(knex: Knex): Promise<void> {
  for (const table of ['credit_ledger', 'credit_reservations', 'api_keys', 'accounts']) {
    await knex.schema.dropTable(table);
  }
}
