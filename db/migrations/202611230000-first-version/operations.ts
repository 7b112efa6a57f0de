import type { Knex } from 'knex';

/** What operators look at, and what the service does by itself from time to time. */
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
    );
    CREATE INDEX predictions_created ON predictions (created_at);
    CREATE INDEX predictions_account ON predictions (account_id);
    COMMENT ON TABLE predictions IS 'What was answered to each photo; the photo itself is not kept (contract 7.11).';

    CREATE TABLE housekeeping (task text PRIMARY KEY, begun_at timestamptz NOT NULL);
    COMMENT ON TABLE housekeeping IS 'When each task was last begun, by whichever process.';

    CREATE TABLE unowned_images (address text COLLATE "C" PRIMARY KEY, since timestamptz NOT NULL);
    COMMENT ON TABLE unowned_images IS 'Stored images that no row of the catalog names, since when that is known.';`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE unowned_images, housekeeping, predictions');
}
