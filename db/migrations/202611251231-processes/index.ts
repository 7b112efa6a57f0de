import type { Knex } from 'knex';

/** The processes of an installation, so that each can tell whether the others fit (contract 14.15). */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE service_processes (
      id text COLLATE "C" PRIMARY KEY,
      name text NOT NULL,
      role text NOT NULL,
      traits jsonb NOT NULL,
      seen_at timestamptz NOT NULL
    );
    COMMENT ON TABLE service_processes IS
    'Processes that serve or work, and what all of them must agree on; a row that is not renewed is of one that died.
traits: release, signing keys and image store; digests where they would show a secret
seen_at: by the clock of the database';`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE service_processes');
}
