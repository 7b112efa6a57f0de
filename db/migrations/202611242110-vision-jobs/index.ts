import type { Knex } from 'knex';

/** Identifications that are answered later (contract 16). */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE vision_jobs (
      id text COLLATE "C" PRIMARY KEY,
      account_id text COLLATE "C" NOT NULL REFERENCES accounts,
      key_id text COLLATE "C" NOT NULL REFERENCES api_keys,
      created_at timestamptz NOT NULL,
      includes text[] NOT NULL,
      base_url text NOT NULL,
      cancelled boolean NOT NULL DEFAULT false
    );
    CREATE INDEX vision_jobs_created ON vision_jobs (created_at);
    CREATE INDEX vision_jobs_account ON vision_jobs (account_id);
    COMMENT ON TABLE vision_jobs IS
    'Photos that are looked at later, for a caller who asks for the answers.
base_url: of addresses in the answers, as the call that made the job came';

    CREATE TABLE vision_job_entries (
      job_id text COLLATE "C" NOT NULL REFERENCES vision_jobs ON DELETE CASCADE,
      position smallint NOT NULL,
      state text NOT NULL CHECK (state IN ('waiting', 'running', 'done', 'failed', 'cancelled')),
      request json,
      tries integer NOT NULL DEFAULT 0,
      due_at timestamptz NOT NULL,
      prediction_id text,
      answer json,
      PRIMARY KEY (job_id, position)
    );
    CREATE INDEX vision_job_entries_due ON vision_job_entries (position, due_at)
    WHERE state IN ('waiting', 'running');
    COMMENT ON TABLE vision_job_entries IS
    'One identification each.
request: with its prepared photos, until it is answered
due_at: when to begin, or, of one that is begun, when to take its process for dead
answer: the body that the caller gets';`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE vision_job_entries, vision_jobs');
}
