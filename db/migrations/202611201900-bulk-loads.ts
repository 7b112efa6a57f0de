import type { Knex } from 'knex';

/** A trigger that checks or counts what a statement added. */
interface AfterInsert {
  readonly table: string;
  /** What it calls the rows that were added. */
  readonly added: string;
}

const CHECKS: readonly AfterInsert[] = [
  { table: 'variants', added: 'added' },
  { table: 'market_estimates', added: 'added' },
  { table: 'catalog_rows', added: 'new_rows' },
];
const SEARCHED = 'id, kind, category, popularity, sort_key, facets, words';
const SETTING = `current_setting('loupe.bulk_load', true)`;
/** As the migration of the stubs has it. */
const STUBS = `CASE WHEN length(word) < 3 THEN '{}'::text[]
  ELSE word_stubs(word, CASE WHEN length(word) < 6 THEN 1 ELSE 2 END) END`;

/**
 * Adding many rows at once costs the database less.
 *
 * - A transaction that sets `loupe.bulk_load` to `on` has checked the references of the rows that it adds to `variants`
 *   and `market_estimates`, and adds the marks of its `catalog_rows` to `catalog_counts` itself, in one count for all.
 * - The stubs of a word may come with it; the database makes those of a word that comes without, which takes it longer.
 */
export async function up(knex: Knex): Promise<void> {
  for (const check of CHECKS) await replaceTrigger(knex, check, `WHEN (${SETTING} IS DISTINCT FROM 'on')`);
  await knex.raw(`
    CREATE FUNCTION catalog_rows_after_bulk_insert() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO catalog_search (${SEARCHED}) SELECT ${SEARCHED} FROM new_rows;
      RETURN NULL;
    END $$`);
  await knex.raw(`
    CREATE TRIGGER catalog_rows_bulk_insert AFTER INSERT ON catalog_rows REFERENCING NEW TABLE AS new_rows
    FOR EACH STATEMENT WHEN (${SETTING} = 'on') EXECUTE FUNCTION catalog_rows_after_bulk_insert()`);
  await knex.raw('ALTER TABLE search_words ALTER COLUMN stubs DROP EXPRESSION');
  await knex.raw(`
    CREATE FUNCTION search_words_before_insert() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE
      word CONSTANT text := NEW.word;
    BEGIN
      NEW.stubs := ${STUBS};
      RETURN NEW;
    END $$`);
  await knex.raw(`
    CREATE TRIGGER search_words_insert BEFORE INSERT ON search_words
    FOR EACH ROW WHEN (NEW.stubs IS NULL) EXECUTE FUNCTION search_words_before_insert()`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TRIGGER search_words_insert ON search_words');
  await knex.raw('DROP FUNCTION search_words_before_insert()');
  await knex.raw('ALTER TABLE search_words DROP COLUMN stubs');
  await knex.raw(
    `ALTER TABLE search_words ADD COLUMN stubs text[] COLLATE "C" GENERATED ALWAYS AS (${STUBS}) STORED`,
  );
  await knex.raw('CREATE INDEX search_words_stubs ON search_words USING gin (stubs)');
  await knex.raw('DROP TRIGGER catalog_rows_bulk_insert ON catalog_rows');
  await knex.raw('DROP FUNCTION catalog_rows_after_bulk_insert()');
  for (const check of CHECKS) await replaceTrigger(knex, check, '');
}

async function replaceTrigger(knex: Knex, { table, added }: AfterInsert, condition: string): Promise<void> {
  await knex.raw(`DROP TRIGGER ${table}_insert ON ${table}`);
  await knex.raw(`
    CREATE TRIGGER ${table}_insert AFTER INSERT ON ${table} REFERENCING NEW TABLE AS ${added}
    FOR EACH STATEMENT ${condition} EXECUTE FUNCTION ${table}_after_insert()`);
}
