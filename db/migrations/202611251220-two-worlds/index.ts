import type { Knex } from 'knex';

/** Live keys of an account and its test keys each have their own (contract 9.12). What was there before is of live keys, unless its key tells. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE vision_jobs ADD COLUMN test boolean NOT NULL DEFAULT false;
    UPDATE vision_jobs j SET test = true FROM api_keys k WHERE k.id = j.key_id AND k.test;
    ALTER TABLE webhook_endpoints ADD COLUMN test boolean NOT NULL DEFAULT false;
    ALTER TABLE predictions ADD COLUMN test boolean NOT NULL DEFAULT false;
    UPDATE idempotent_calls SET answer = regexp_replace(answer, '"secret":"whsec_[^"]*"', '"secret":null')
    WHERE strpos(answer, '"secret":"whsec_') > 0;`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE predictions DROP COLUMN test;
    ALTER TABLE webhook_endpoints DROP COLUMN test;
    ALTER TABLE vision_jobs DROP COLUMN test;`);
}
