import type { Knex } from 'knex';

/** Calls of test keys, counted by month (contract 9.9). */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE test_calls (
      key_id text COLLATE "C" PRIMARY KEY REFERENCES api_keys,
      month text NOT NULL,
      calls integer NOT NULL
    );
    COMMENT ON TABLE test_calls IS 'Calls of each test key in the month (UTC) of its latest call.';`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE test_calls');
}
