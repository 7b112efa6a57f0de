import type { Knex } from 'knex';

/** What was answered to each photo, for operators; the photo itself is not kept (decisions.md 8). */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE predictions (
      id text COLLATE "C" PRIMARY KEY,
      created_at timestamptz NOT NULL,
      request_id text NOT NULL,
      account_id text COLLATE "C" NOT NULL,
      endpoint text NOT NULL,
      version_id integer NOT NULL,
      model text NOT NULL,
      image_digest text NOT NULL,
      neighbours jsonb NOT NULL,
      rows jsonb NOT NULL,
      timings jsonb NOT NULL
    )`);
  await knex.raw('CREATE INDEX predictions_created ON predictions (created_at)');
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.dropTable('predictions');
}
