import type { Knex } from 'knex';

/** A snapshot answers together with the products that changed since (contract 4.14), so these are noted by id. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP TABLE catalog_search_changes;
    CREATE TABLE catalog_search_changes (
      number bigint GENERATED ALWAYS AS IDENTITY,
      id text COLLATE "C",
      transaction xid8 NOT NULL DEFAULT pg_current_xact_id()
    );
    CREATE INDEX catalog_search_changes_transaction ON catalog_search_changes (transaction);
    COMMENT ON TABLE catalog_search_changes IS
    'A line for each change of a product in catalog_search, which nobody waits for. The next snapshot takes away the lines
that it has seen.
number: rises with the changes of one product
id: NULL for all products at once
transaction: tells readers which lines they have not seen';

    CREATE TABLE search_snapshot_facets (
      snapshot integer NOT NULL,
      field text COLLATE "C" NOT NULL,
      chunk integer NOT NULL,
      lists jsonb NOT NULL,
      codes bytea NOT NULL,
      PRIMARY KEY (snapshot, field, chunk)
    );
    COMMENT ON TABLE search_snapshot_facets IS
    'What the products have of a facet field, as many ordinals to a chunk as in a bitmap; a chunk without any has no line.
lists: the lists of ids that come in the chunk, the empty one first
codes: for each ordinal the position of its list among them, two bytes each';

    -- They lack facets, and what has changed since is not known.
    DELETE FROM search_snapshots;`);
  const changed = (...tables: readonly string[]) =>
    tables.map((table) => `SELECT id FROM ${table} WHERE kind = 'product'`).join(' UNION ');
  await noteChanges(knex, 'catalog_search_changes (id)', {
    insert: changed('after'),
    update: changed('before', 'after'),
    delete: changed('before'),
    truncate: 'SELECT NULL',
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP TABLE catalog_search_changes, search_snapshot_facets;
    DELETE FROM search_snapshots;
    CREATE TABLE catalog_search_changes (changed_at timestamptz NOT NULL DEFAULT now());
    COMMENT ON TABLE catalog_search_changes IS
    'A line for each statement that changed products in catalog_search, which nobody waits for. The next snapshot takes
away the lines that it has seen.';`);
  const ifChanged = (...tables: readonly string[]) =>
    `SELECT now() WHERE ${tables.map((table) => `EXISTS (SELECT FROM ${table} WHERE kind = 'product')`).join(' OR ')}`;
  await noteChanges(knex, 'catalog_search_changes', {
    insert: ifChanged('after'),
    update: ifChanged('before', 'after'),
    delete: ifChanged('before'),
    truncate: 'SELECT now() WHERE true',
  });
}

/** What the triggers on `catalog_search` note of a statement. */
async function noteChanges(
  knex: Knex,
  table: string,
  lines: Readonly<Record<'insert' | 'update' | 'delete' | 'truncate', string>>,
): Promise<void> {
  for (const [event, select] of Object.entries(lines)) {
    await knex.raw(`
      CREATE OR REPLACE FUNCTION catalog_search_after_${event}() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        INSERT INTO ${table} ${select};
        RETURN NULL;
      END $$;`);
  }
}
