import type { Knex } from 'knex';

/** What a job says of its answers is known without reading them (contract 16.2). */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE vision_job_entries ADD COLUMN answer_bytes integer, ADD COLUMN credits_used integer NOT NULL DEFAULT 0;
    UPDATE vision_job_entries SET answer_bytes = octet_length(answer::text),
      credits_used = coalesce((answer ->> 'credits_used')::integer, 0)
    WHERE answer IS NOT NULL;`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE vision_job_entries DROP COLUMN answer_bytes, DROP COLUMN credits_used');
}
