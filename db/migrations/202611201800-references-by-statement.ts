import type { Knex } from 'knex';

/** A table whose rows belong to one of another table and go with it. */
interface Belonging {
  readonly table: string;
  readonly column: string;
  readonly parent: string;
}

const BELONGINGS: readonly Belonging[] = [
  { table: 'variants', column: 'product_id', parent: 'products' },
  { table: 'market_estimates', column: 'variant_id', parent: 'variants' },
  { table: 'estimate_history', column: 'variant_id', parent: 'variants' },
  { table: 'listings', column: 'variant_id', parent: 'variants' },
];
/** The places of a chunk of a search snapshot, as the migration of search snapshots has it. */
const CHUNK = 32_768;

/**
 * References of the large tables are checked once for each statement instead of once for each row, which was a fifth
 * of the database's work in an import. As with a foreign key, no row can name a parent that is not there, and rows go
 * with their parent. Parents are not locked: only an import writes these tables, one at a time
 * (`catalog_import_lock`). Also the end of `bits_at`, by which snapshots were made.
 */
export async function up(knex: Knex): Promise<void> {
  for (const { table, column, parent } of BELONGINGS) {
    await knex.raw(`ALTER TABLE ${table} DROP CONSTRAINT ${table}_${column}_fkey`);
    await createCheck(knex, { table, column, parent });
  }
  for (const parent of new Set(BELONGINGS.map((belonging) => belonging.parent))) {
    await createCascade(
      knex,
      parent,
      BELONGINGS.filter((belonging) => belonging.parent === parent),
    );
  }
  await knex.raw('DROP AGGREGATE bits_at(integer, integer)');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE AGGREGATE bits_at(integer, integer) (
      SFUNC = set_bit, STYPE = bit, INITCOND = '${'0'.repeat(CHUNK)}'
    )`);
  for (const parent of new Set(BELONGINGS.map((belonging) => belonging.parent))) {
    await knex.raw(`DROP TRIGGER ${parent}_delete ON ${parent}`);
    await knex.raw(`DROP FUNCTION ${parent}_after_delete()`);
  }
  for (const { table, column, parent } of BELONGINGS) {
    await knex.raw(`DROP TRIGGER ${table}_insert ON ${table}`);
    await knex.raw(`DROP TRIGGER ${table}_move ON ${table}`);
    await knex.raw(`DROP FUNCTION ${table}_after_insert()`);
    await knex.raw(`DROP FUNCTION ${table}_after_move()`);
    await knex.raw(`ALTER TABLE ${table} ADD FOREIGN KEY (${column}) REFERENCES ${parent} ON DELETE CASCADE`);
  }
}

/** Look-ups by key, always: planned while the tables are small, the whole parent would be read for each statement. */
const BY_KEY = 'SET enable_seqscan TO off SET enable_hashjoin TO off SET enable_mergejoin TO off';

const refusal = ({ table, parent }: Belonging): string =>
  `RAISE EXCEPTION '${table} names % of ${parent}, which is not there', missing USING ERRCODE = 'foreign_key_violation'`;

async function createCheck(knex: Knex, belonging: Belonging): Promise<void> {
  const { table, column, parent } = belonging;
  await knex.raw(`
    CREATE FUNCTION ${table}_after_insert() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE
      missing text;
    BEGIN
      SELECT named.id INTO missing FROM (SELECT DISTINCT ${column} AS id FROM added) AS named
      WHERE NOT EXISTS (SELECT FROM ${parent} WHERE ${parent}.id = named.id OFFSET 0) LIMIT 1;
      IF FOUND THEN ${refusal(belonging)}; END IF;
      RETURN NULL;
    END $$ ${BY_KEY}`);
  await knex.raw(`
    CREATE TRIGGER ${table}_insert AFTER INSERT ON ${table} REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION ${table}_after_insert()`);
  // Of the importer's updates only those of variants name this column, and few of them change it.
  await knex.raw(`
    CREATE FUNCTION ${table}_after_move() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE
      missing CONSTANT text := NEW.${column};
    BEGIN
      IF NOT EXISTS (SELECT FROM ${parent} WHERE id = missing) THEN ${refusal(belonging)}; END IF;
      RETURN NULL;
    END $$ ${BY_KEY}`);
  await knex.raw(`
    CREATE TRIGGER ${table}_move AFTER UPDATE OF ${column} ON ${table}
    FOR EACH ROW WHEN (OLD.${column} <> NEW.${column}) EXECUTE FUNCTION ${table}_after_move()`);
}

async function createCascade(knex: Knex, parent: string, belongings: readonly Belonging[]): Promise<void> {
  const deletions = belongings.map(
    ({ table, column }) => `DELETE FROM ${table} WHERE ${column} IN (SELECT id FROM removed);`,
  );
  await knex.raw(`
    CREATE FUNCTION ${parent}_after_delete() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      ${deletions.join('\n')}
      RETURN NULL;
    END $$ ${BY_KEY}`);
  await knex.raw(`
    CREATE TRIGGER ${parent}_delete AFTER DELETE ON ${parent} REFERENCING OLD TABLE AS removed
    FOR EACH STATEMENT EXECUTE FUNCTION ${parent}_after_delete()`);
}
