import type { Knex } from 'knex';

/** Addresses of callers that are told what happens, and what they are still to be told (contract 16.10). */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE webhook_endpoints (
      id text COLLATE "C" PRIMARY KEY,
      account_id text COLLATE "C" NOT NULL REFERENCES accounts,
      url text NOT NULL,
      events text[] NOT NULL,
      credits_below bigint,
      secret text NOT NULL,
      created_at timestamptz NOT NULL,
      due_at timestamptz NOT NULL,
      failures integer NOT NULL DEFAULT 0,
      last_failure text,
      disabled_at timestamptz
    );
    CREATE INDEX webhook_endpoints_account ON webhook_endpoints (account_id);
    COMMENT ON TABLE webhook_endpoints IS
    'secret: signs messages, so it is kept as it is
due_at: before that nothing is sent: a message is under way, or the last ones failed
failures: since the last message that arrived';

    CREATE TABLE webhook_messages (
      id text COLLATE "C" PRIMARY KEY,
      endpoint_id text COLLATE "C" NOT NULL REFERENCES webhook_endpoints ON DELETE CASCADE,
      type text NOT NULL,
      data json NOT NULL,
      created_at timestamptz NOT NULL,
      tries integer NOT NULL DEFAULT 0,
      due_at timestamptz NOT NULL
    );
    CREATE INDEX webhook_messages_endpoint ON webhook_messages (endpoint_id, tries, created_at);
    COMMENT ON TABLE webhook_messages IS 'What an address is still to be told; written together with the fact.';`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE webhook_messages, webhook_endpoints');
}
