import type { Knex } from 'knex';

/**
 * What the importer keeps for itself (catalog-bundle.md).
 *
 * - `catalog_import_lock`: at most one import at a time; a holder whose heartbeat stands still has died
 * - `catalog_stale_rows`: ids of catalog rows that must be derived again, because something that they name changed.
 *   Filled in the transaction of that change, so that an import that was killed leaves nothing behind unnoticed
 * - `catalog_stored_images`: which picture, by content, has which address and, where one was made, thumbnail
 * - `catalog_import_preview`: what the bundle of a dry run would have changed so far, for the checks of its later
 *   lines; worthless after a crash, hence unlogged
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE catalog_import_lock (
      only_one boolean PRIMARY KEY DEFAULT true CHECK (only_one),
      holder text NOT NULL,
      host text NOT NULL,
      process_id integer NOT NULL,
      started_at timestamptz NOT NULL DEFAULT now(),
      heartbeat_at timestamptz NOT NULL DEFAULT now()
    )`);
  await knex.raw('CREATE TABLE catalog_stale_rows (id text COLLATE "C" PRIMARY KEY)');
  await knex.raw(`
    CREATE TABLE catalog_stored_images (
      digest text COLLATE "C" PRIMARY KEY,
      address text NOT NULL,
      thumbnail text
    )`);
  await knex.raw(`
    CREATE UNLOGGED TABLE catalog_import_preview (
      id text COLLATE "C" PRIMARY KEY,
      kind text NOT NULL,
      category text,
      product_id text COLLATE "C",
      deleted boolean NOT NULL DEFAULT false
    )`);
  await knex.raw('CREATE INDEX catalog_import_preview_product ON catalog_import_preview (product_id)');
  await knex.raw(
    `CREATE INDEX entities_styles_by_model ON entities ((parents->>'model')) WHERE kind = 'style'`,
  );
  await knex.raw('ALTER TABLE listings ALTER COLUMN price DROP NOT NULL, ALTER COLUMN date DROP NOT NULL');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DELETE FROM listings WHERE price IS NULL OR date IS NULL');
  await knex.raw('ALTER TABLE listings ALTER COLUMN price SET NOT NULL, ALTER COLUMN date SET NOT NULL');
  await knex.raw('DROP INDEX entities_styles_by_model');
  for (const table of [
    'catalog_import_preview',
    'catalog_stored_images',
    'catalog_stale_rows',
    'catalog_import_lock',
  ]) {
    await knex.schema.dropTable(table);
  }
}
