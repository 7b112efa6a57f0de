import type { Knex } from 'knex';

/** Accounts, keys, credits as they move, and what is remembered of calls and of operators (contract 9, 10). */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE accounts (
      id text COLLATE "C" PRIMARY KEY,
      name text NOT NULL,
      credits bigint CHECK (credits >= 0),
      held bigint NOT NULL DEFAULT 0 CHECK (held >= 0),
      created_at timestamptz NOT NULL DEFAULT now(),
      CHECK (held <= credits)
    );
    COMMENT ON TABLE accounts IS
    'credits: what is left, always the sum of the top-ups less the sum of the ledger; null is unlimited
held: the part of it that open reservations hold';

    CREATE TABLE api_keys (
      id text COLLATE "C" PRIMARY KEY,
      account_id text COLLATE "C" NOT NULL REFERENCES accounts,
      name text NOT NULL,
      hash bytea NOT NULL UNIQUE,
      versions text[] NOT NULL,
      scopes text[] NOT NULL,
      test boolean NOT NULL,
      per_second integer,
      per_minute integer,
      concurrency integer,
      created_at timestamptz NOT NULL DEFAULT now(),
      expires_at timestamptz,
      revoked_at timestamptz
    );
    COMMENT ON TABLE api_keys IS 'Keys, by the hash of their secret: what each may do, how often, and until when.';

    CREATE TABLE credit_top_ups (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      account_id text COLLATE "C" NOT NULL REFERENCES accounts,
      amount bigint NOT NULL CHECK (amount <> 0),
      added_at timestamptz NOT NULL DEFAULT now(),
      note text
    );
    CREATE INDEX credit_top_ups_account ON credit_top_ups (account_id);
    COMMENT ON TABLE credit_top_ups IS 'Where credits come from; a correction by hand may take some off.';

    CREATE TABLE credit_reservations (
      charge_id text COLLATE "C" PRIMARY KEY,
      account_id text COLLATE "C" NOT NULL REFERENCES accounts,
      amount bigint NOT NULL CHECK (amount >= 0),
      expires_at timestamptz NOT NULL
    );
    CREATE INDEX credit_reservations_expiry ON credit_reservations (account_id, expires_at);
    COMMENT ON TABLE credit_reservations IS 'Credits that calls in work hold.';

    CREATE TABLE credit_ledger (
      charge_id text COLLATE "C" PRIMARY KEY,
      account_id text COLLATE "C" NOT NULL REFERENCES accounts,
      key_id text COLLATE "C",
      endpoint text NOT NULL,
      request_id text NOT NULL,
      amount bigint NOT NULL,
      booked_at timestamptz NOT NULL DEFAULT now()
    );
    CREATE INDEX credit_ledger_account ON credit_ledger (account_id, booked_at);
    COMMENT ON TABLE credit_ledger IS
    'Where credits went: sums up to every credits_used that was answered. A charge is booked once.';

    CREATE TABLE idempotent_calls (
      account_id text COLLATE "C" NOT NULL REFERENCES accounts,
      key text COLLATE "C" NOT NULL,
      fingerprint bytea NOT NULL,
      charge_id text COLLATE "C" NOT NULL,
      leased_until timestamptz NOT NULL,
      expires_at timestamptz NOT NULL,
      answer text,
      replayed boolean NOT NULL DEFAULT false,
      PRIMARY KEY (account_id, key)
    );
    CREATE INDEX idempotent_calls_expiry ON idempotent_calls (expires_at);
    COMMENT ON TABLE idempotent_calls IS
    'Calls that name themselves with an Idempotency-Key.
leased_until: when the call is taken for dead, and its repetition may go on under the same charge_id
answer: null while the call runs; written together with its charge
replayed: a repetition got the answer; until then answer and charge may be taken back, if the caller was gone';

    CREATE TABLE audit_log (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      at timestamptz NOT NULL DEFAULT clock_timestamp(),
      actor text NOT NULL,
      action text NOT NULL,
      account_id text COLLATE "C",
      subject text,
      details jsonb NOT NULL
    );
    CREATE INDEX audit_log_account ON audit_log (account_id, id);
    COMMENT ON TABLE audit_log IS 'Who did what and when. Only ever added to, whoever asks.';
    CREATE FUNCTION audit_log_only_grows() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      RAISE EXCEPTION 'the audit log is only ever added to';
    END $$;
    CREATE TRIGGER audit_log_only_grows BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_log
    FOR EACH STATEMENT EXECUTE FUNCTION audit_log_only_grows();`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP TABLE audit_log, idempotent_calls, credit_ledger, credit_reservations, credit_top_ups, api_keys, accounts;
    DROP FUNCTION audit_log_only_grows();`);
}
