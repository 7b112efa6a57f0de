import type { Knex } from 'knex';

const commentOf = (what: string, id: string) => `
    COMMENT ON TABLE catalog_search_changes IS
    '${what}
number: rises with the changes of one product
id: ${id}
transaction: tells readers which lines they have not seen';`;

/** Whoever answers in several statements learns from the lines whether the catalog has changed meanwhile (contract 4.14). */
export async function up(knex: Knex): Promise<void> {
  await noteChanges(knex, (table) => `SELECT CASE WHEN kind = 'product' THEN id ELSE '' END FROM ${table}`);
  await knex.raw(`
    CREATE FUNCTION synonyms_changed() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO catalog_search_changes (id) VALUES ('');
      RETURN NULL;
    END $$;
    CREATE TRIGGER synonyms_changed AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON synonyms
      FOR EACH STATEMENT EXECUTE FUNCTION synonyms_changed();

    -- The index, however small the table was when the plan was made.
    CREATE FUNCTION catalog_changes_since(seen pg_snapshot, lines_max integer)
    RETURNS TABLE (id text, number bigint) LANGUAGE plpgsql STABLE ROWS 10 SET enable_seqscan TO off AS $$
    BEGIN
      RETURN QUERY SELECT c.id, c.number FROM catalog_search_changes c
        WHERE c.transaction >= coalesce(pg_snapshot_xmin(seen), '0')
          AND (seen IS NULL OR NOT pg_visible_in_snapshot(c.transaction, seen))
        LIMIT lines_max;
    END $$;

    -- What is not yet in its place is read by every query: 64 kB, not 4 MB.
    ALTER INDEX catalog_search_facets SET (gin_pending_list_limit = 64);
    ALTER INDEX catalog_search_words SET (gin_pending_list_limit = 64);
    ${commentOf(
      `A line for each change of a product in catalog_search, and one for all else that queries are answered from and that a
statement changed. Nobody waits for it. The next snapshot takes away the lines that it has seen.`,
      'empty for other rows and synonyms, NULL for all products at once',
    )}`);
}

export async function down(knex: Knex): Promise<void> {
  await noteChanges(knex, (table) => `SELECT id FROM ${table} WHERE kind = 'product'`);
  await knex.raw(`
    DROP TRIGGER synonyms_changed ON synonyms;
    DROP FUNCTION synonyms_changed();
    DROP FUNCTION catalog_changes_since(pg_snapshot, integer);
    ALTER INDEX catalog_search_facets RESET (gin_pending_list_limit);
    ALTER INDEX catalog_search_words RESET (gin_pending_list_limit);
    DELETE FROM catalog_search_changes WHERE id = '';
    ${commentOf(
      `A line for each change of a product in catalog_search, which nobody waits for. The next snapshot takes away the lines
that it has seen.`,
      'NULL for all products at once',
    )}`);
}

/** @param select a query for the lines that the rows of a table of changes are noted by */
async function noteChanges(knex: Knex, select: (table: string) => string): Promise<void> {
  const changed = { insert: ['after'], update: ['before', 'after'], delete: ['before'] };
  for (const [event, tables] of Object.entries(changed)) {
    await knex.raw(`
      CREATE OR REPLACE FUNCTION catalog_search_after_${event}() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        INSERT INTO catalog_search_changes (id)
        SELECT DISTINCT id FROM (${tables.map(select).join(' UNION ALL ')}) AS changed (id);
        RETURN NULL;
      END $$;`);
  }
}
