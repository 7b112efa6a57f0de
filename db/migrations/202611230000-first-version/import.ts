import type { Knex } from 'knex';

/** What the importer keeps for itself (contract 13). */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE catalog_import_lock (
      only_one boolean PRIMARY KEY DEFAULT true CHECK (only_one),
      holder text NOT NULL,
      host text NOT NULL,
      process_id integer NOT NULL,
      started_at timestamptz NOT NULL DEFAULT now(),
      heartbeat_at timestamptz NOT NULL DEFAULT now()
    );
    COMMENT ON TABLE catalog_import_lock IS
    'At most one import at a time; a holder whose heartbeat stands still has died.';

    CREATE TABLE catalog_stale_rows (id text COLLATE "C" PRIMARY KEY);
    COMMENT ON TABLE catalog_stale_rows IS
    'Catalog rows that must be derived again, because something that they name changed. Filled in the transaction of
that change, so that an import that was killed leaves nothing behind unnoticed.';

    CREATE TABLE catalog_stored_images (
      digest text COLLATE "C" PRIMARY KEY,
      address text NOT NULL,
      thumbnail text
    );
    COMMENT ON TABLE catalog_stored_images IS
    'Which picture, by content, has which address and, where one was made, thumbnail.';

    CREATE UNLOGGED TABLE catalog_import_preview (
      id text COLLATE "C" PRIMARY KEY,
      kind text NOT NULL,
      category text,
      product_id text COLLATE "C",
      deleted boolean NOT NULL DEFAULT false
    );
    CREATE INDEX catalog_import_preview_product ON catalog_import_preview (product_id);
    COMMENT ON TABLE catalog_import_preview IS
    'What the bundle of a dry run would have changed so far, for the checks of its later lines.';

    CREATE TABLE deferred_indexes (name text PRIMARY KEY, definition text NOT NULL);
    COMMENT ON TABLE deferred_indexes IS
    'Indexes that a large import took away to make them again at its end. A line goes out with its index and comes in
with it, so that an import that was killed leaves behind what is missing.';`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`DROP TABLE deferred_indexes, catalog_import_preview, catalog_stored_images, catalog_stale_rows,
    catalog_import_lock`);
}
