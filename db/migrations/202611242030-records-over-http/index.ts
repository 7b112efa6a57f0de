import type { Knex } from 'knex';

const TABLES = ['categories', 'tags', 'entities'];

/**
 * What is derived from or remembered of categories, tags and entities is so of a version of them: that of several writers
 * of records at the same time (contract 15.5), and of what processes remember (contract 14.12).
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE catalog_taxonomy_version (
      only_one boolean PRIMARY KEY DEFAULT true CHECK (only_one),
      version bigint NOT NULL
    );
    COMMENT ON TABLE catalog_taxonomy_version IS 'How often categories, tags or entities were written.';
    INSERT INTO catalog_taxonomy_version (version) VALUES (0);

    CREATE FUNCTION catalog_taxonomy_changed() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      UPDATE catalog_taxonomy_version SET version = version + 1;
      RETURN NULL;
    END $$;
    ${TABLES.map(
      (table) => `
    CREATE TRIGGER ${table}_changed AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON ${table}
      FOR EACH STATEMENT EXECUTE FUNCTION catalog_taxonomy_changed();`,
    ).join('')}`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP FUNCTION catalog_taxonomy_changed() CASCADE;
    DROP TABLE catalog_taxonomy_version;`);
}
