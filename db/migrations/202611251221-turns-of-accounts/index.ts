import type { Knex } from 'knex';

/** Of the accounts that have entries to be looked at, the one whose last turn is longest ago is next (contract 16.5). */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE accounts ADD COLUMN jobs_turn bigint;
    COMMENT ON TABLE accounts IS
    'credits: what is left, always the sum of the top-ups less the sum of the ledger; null is unlimited
held: the part of it that open reservations hold
jobs_turn: number of its last turn with an entry of a job; the highest was last; null before its first job';
    UPDATE accounts SET jobs_turn = 0 WHERE id IN (SELECT account_id FROM vision_jobs);
    CREATE INDEX accounts_jobs_turn ON accounts (jobs_turn) WHERE jobs_turn IS NOT NULL;

    ALTER TABLE vision_job_entries ADD COLUMN account_id text COLLATE "C";
    UPDATE vision_job_entries e SET account_id = j.account_id FROM vision_jobs j WHERE j.id = e.job_id;
    ALTER TABLE vision_job_entries ALTER COLUMN account_id SET NOT NULL;
    DROP INDEX vision_job_entries_due;
    CREATE INDEX vision_job_entries_due ON vision_job_entries (account_id, position, due_at)
    WHERE state IN ('waiting', 'running');`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP INDEX vision_job_entries_due;
    CREATE INDEX vision_job_entries_due ON vision_job_entries (position, due_at)
    WHERE state IN ('waiting', 'running');
    ALTER TABLE vision_job_entries DROP COLUMN account_id;
    ALTER TABLE accounts DROP COLUMN jobs_turn;
    COMMENT ON TABLE accounts IS
    'credits: what is left, always the sum of the top-ups less the sum of the ledger; null is unlimited
held: the part of it that open reservations hold';`);
}
