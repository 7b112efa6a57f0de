import type { Knex } from 'knex';

/** Places that one row of `search_snapshot_bits` tells about; 4 KiB, compressed where they are mostly zeros. */
const CHUNK = 32_768;

/**
 * Bitmaps of a large catalog's products, by which exact totals and pages are found without reading the rows that match.
 *
 * A snapshot gives every product a place, by falling popularity, then id. It is made from a state of `catalog_search`
 * and is used only while that state stands: each statement that changes a product there leaves a line in
 * `catalog_search_changes`, which nobody waits for, and the next snapshot takes away the lines that it has seen.
 *
 * - `search_snapshot_bits`: for a mark that many products carry, the places that do. Marks are facets, words, `@` and a
 *   category, and a beginning of up to three letters with `*` for all rarer words that begin so
 * - `search_snapshot_orders`: all places in the other orders of a listing, four bytes each
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE search_snapshots (
      number integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      products integer NOT NULL
    )`);
  await knex.raw(`
    CREATE TABLE search_snapshot_places (
      snapshot integer NOT NULL,
      place integer NOT NULL,
      id text COLLATE "C" NOT NULL,
      PRIMARY KEY (snapshot, place)
    )`);
  await knex.raw('CREATE UNIQUE INDEX search_snapshot_places_id ON search_snapshot_places (snapshot, id)');
  await knex.raw(`
    CREATE TABLE search_snapshot_bits (
      snapshot integer NOT NULL,
      mark text COLLATE "C" NOT NULL,
      chunk integer NOT NULL,
      bits bit(${CHUNK}) NOT NULL,
      PRIMARY KEY (snapshot, mark, chunk)
    )`);
  await knex.raw(`
    CREATE TABLE search_snapshot_orders (
      snapshot integer NOT NULL,
      sort text NOT NULL,
      places bytea NOT NULL,
      PRIMARY KEY (snapshot, sort)
    )`);
  await knex.raw('ALTER TABLE search_snapshot_orders ALTER COLUMN places SET STORAGE EXTERNAL');
  await knex.raw(`
    CREATE AGGREGATE bits_at(integer, integer) (
      SFUNC = set_bit, STYPE = bit, INITCOND = '${'0'.repeat(CHUNK)}'
    )`);
  await knex.raw('CREATE TABLE catalog_search_changes (changed_at timestamptz NOT NULL DEFAULT now())');
  await createTrigger(knex, 'insert', 'REFERENCING NEW TABLE AS after', ['after']);
  await createTrigger(knex, 'update', 'REFERENCING OLD TABLE AS before NEW TABLE AS after', [
    'before',
    'after',
  ]);
  await createTrigger(knex, 'delete', 'REFERENCING OLD TABLE AS before', ['before']);
  await createTrigger(knex, 'truncate', '', []);
}

export async function down(knex: Knex): Promise<void> {
  for (const event of ['insert', 'update', 'delete', 'truncate']) {
    await knex.raw(`DROP TRIGGER catalog_search_${event} ON catalog_search`);
    await knex.raw(`DROP FUNCTION catalog_search_after_${event}()`);
  }
  await knex.raw('DROP AGGREGATE bits_at(integer, integer)');
  for (const table of [
    'catalog_search_changes',
    'search_snapshot_orders',
    'search_snapshot_bits',
    'search_snapshot_places',
    'search_snapshots',
  ]) {
    await knex.schema.dropTable(table);
  }
}

async function createTrigger(
  knex: Knex,
  event: string,
  referencing: string,
  changed: readonly string[],
): Promise<void> {
  const products = changed.map((rows) => `EXISTS (SELECT FROM ${rows} WHERE kind = 'product')`);
  const condition = products.length === 0 ? 'true' : products.join(' OR ');
  await knex.raw(`
    CREATE FUNCTION catalog_search_after_${event}() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO catalog_search_changes SELECT now() WHERE ${condition};
      RETURN NULL;
    END $$`);
  await knex.raw(`
    CREATE TRIGGER catalog_search_${event} AFTER ${event.toUpperCase()} ON catalog_search ${referencing}
    FOR EACH STATEMENT EXECUTE FUNCTION catalog_search_after_${event}()`);
}
