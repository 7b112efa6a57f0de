import type { Knex } from 'knex';

/** The end of a rotated key's overlap is kept apart from the expiry that it was made with (contract 9.4). */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE api_keys ADD COLUMN overlap_ends_at timestamptz;
    COMMENT ON COLUMN api_keys.overlap_ends_at IS 'When a rotated key stops working; null before its first rotation.';`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE api_keys DROP COLUMN overlap_ends_at');
}
