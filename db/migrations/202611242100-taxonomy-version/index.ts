import type { Knex } from 'knex';

/** What is remembered of categories, tags and kinds of entities is forgotten with their next change (contract 14.12). */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE taxonomy_version (id uuid NOT NULL DEFAULT gen_random_uuid());
    COMMENT ON TABLE taxonomy_version IS
    'All lines together name the state of categories, tags and the kinds of entities. A change adds a line and takes away those
that nobody else holds, so writers never wait for each other here.';
    INSERT INTO taxonomy_version DEFAULT VALUES;

    CREATE FUNCTION renew_taxonomy_version() RETURNS void LANGUAGE sql AS $$
      WITH free AS (SELECT ctid FROM taxonomy_version FOR UPDATE SKIP LOCKED)
      DELETE FROM taxonomy_version v USING free WHERE v.ctid = free.ctid;
      INSERT INTO taxonomy_version DEFAULT VALUES;
    $$;

    CREATE FUNCTION taxonomy_changed() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM renew_taxonomy_version();
      RETURN NULL;
    END $$;

    CREATE FUNCTION entities_inserted() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF EXISTS (
        SELECT FROM (SELECT DISTINCT category, kind FROM new_rows) AS given WHERE NOT EXISTS (
          SELECT FROM entities e WHERE e.category = given.category AND e.kind = given.kind
            AND e.id NOT IN (SELECT id FROM new_rows))
      ) THEN
        PERFORM renew_taxonomy_version();
      END IF;
      RETURN NULL;
    END $$;

    CREATE FUNCTION entities_updated() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF EXISTS (
        SELECT FROM old_rows JOIN new_rows USING (id)
        WHERE (old_rows.category, old_rows.kind) <> (new_rows.category, new_rows.kind)
      ) THEN
        PERFORM renew_taxonomy_version();
      END IF;
      RETURN NULL;
    END $$;

    ${['categories', 'tags']
      .map(
        (table) =>
          `CREATE TRIGGER ${table}_changed AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON ${table}
           FOR EACH STATEMENT EXECUTE FUNCTION taxonomy_changed();`,
      )
      .join('\n')}
    CREATE TRIGGER entities_deleted AFTER DELETE OR TRUNCATE ON entities
      FOR EACH STATEMENT EXECUTE FUNCTION taxonomy_changed();
    CREATE TRIGGER entities_inserted AFTER INSERT ON entities REFERENCING NEW TABLE AS new_rows
      FOR EACH STATEMENT EXECUTE FUNCTION entities_inserted();
    CREATE TRIGGER entities_updated AFTER UPDATE ON entities REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
      FOR EACH STATEMENT EXECUTE FUNCTION entities_updated();`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP FUNCTION taxonomy_changed() CASCADE;
    DROP FUNCTION entities_inserted() CASCADE;
    DROP FUNCTION entities_updated() CASCADE;
    DROP FUNCTION renew_taxonomy_version();
    DROP TABLE taxonomy_version;`);
}
