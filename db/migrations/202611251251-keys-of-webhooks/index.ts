import type { Knex } from 'knex';

/** A webhook ends with the key that registered it (contract 16.10); of those of before, no key is known. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE webhook_endpoints ADD COLUMN key_id text COLLATE "C" REFERENCES api_keys');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE webhook_endpoints DROP COLUMN key_id');
}
