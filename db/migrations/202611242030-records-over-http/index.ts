import type { Knex } from 'knex';

/** Several writers of records at the same time (contract 15.5). */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE catalog_taxonomy_version (
      only_one boolean PRIMARY KEY DEFAULT true CHECK (only_one),
      version bigint NOT NULL
    );
    COMMENT ON TABLE catalog_taxonomy_version IS 'How often categories, tags or entities were written: rows that a writer derived before that are derived again.';`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE catalog_taxonomy_version');
}
