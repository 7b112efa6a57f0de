import type { Knex } from 'knex';

/** Columns that a search or a count of marks depends on. */
const SEARCHED = ['kind', 'category', 'popularity', 'sort_key', 'facets', 'words'];
const COLUMNS = ['id', ...SEARCHED].join(', ');
/** Columns that marks are made of. */
const MARKED = ['kind', 'category', 'facets', 'words'];
/** One of so many marks has its lines merged by each statement. */
const TURNS = 8;

/**
 * The same tables with less work for each row that is written.
 *
 * - `catalog_counts`: marks are counted in one pass without sorting, and a statement adds lines of its own and merges
 *   the lines of one mark in eight only, drawn anew each time. So a mark has about eight lines, whose sum counts.
 *   A row's facets and words must each hold a value once.
 * - `catalog_rows.max_estimate` is what rows above products show. Products had it too, and each estimate rewrote their
 *   whole row; the importer now reads the estimates themselves.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE catalog_rows ALTER COLUMN updated_at SET DEFAULT now()');
  await knex.raw('ALTER TABLE catalog_rows DISABLE TRIGGER USER');
  await knex.raw(
    `UPDATE catalog_rows SET max_estimate = NULL WHERE kind = 'product' AND max_estimate IS NOT NULL`,
  );
  await knex.raw('ALTER TABLE catalog_rows ENABLE TRIGGER USER');
  // Transition tables have no index: comparing them as sets is linear where a join of them would be quadratic.
  const gained = `SELECT ${COLUMNS} FROM new_rows EXCEPT SELECT ${COLUMNS} FROM old_rows`;
  const lost = `SELECT ${COLUMNS} FROM old_rows EXCEPT SELECT ${COLUMNS} FROM new_rows`;
  const marked = (sign: number, rows: string) => `SELECT ${MARKED.join(', ')}, ${sign} AS sign FROM ${rows}`;
  await replaceTriggerFunction(knex, 'insert', [
    `INSERT INTO catalog_search (${COLUMNS}) SELECT ${COLUMNS} FROM new_rows`,
    countChanges(marked(1, 'new_rows')),
  ]);
  await replaceTriggerFunction(knex, 'update', [
    `IF NOT EXISTS (${gained}) AND NOT EXISTS (${lost}) THEN RETURN NULL; END IF`,
    `DELETE FROM catalog_search s USING (SELECT id FROM old_rows EXCEPT SELECT id FROM new_rows) o
     WHERE s.id = o.id`,
    `INSERT INTO catalog_search (${COLUMNS}) ${gained}
     ON CONFLICT (id) DO UPDATE SET ${SEARCHED.map((column) => `${column} = excluded.${column}`).join(', ')}`,
    countChanges(`${marked(1, `(${gained}) AS gained`)} UNION ALL ${marked(-1, `(${lost}) AS lost`)}`),
  ]);
  await replaceTriggerFunction(knex, 'delete', [
    'DELETE FROM catalog_search s USING old_rows o WHERE s.id = o.id',
    countChanges(marked(-1, 'old_rows')),
  ]);
}

/** The functions keep the same tables right as those before, and stay. */
export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE catalog_rows ALTER COLUMN updated_at DROP DEFAULT');
}

async function replaceTriggerFunction(knex: Knex, event: string, statements: readonly string[]) {
  await knex.raw(`
    CREATE OR REPLACE FUNCTION catalog_rows_after_${event}() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE
      turn CONSTANT integer := floor(random() * ${TURNS});
    BEGIN
      ${statements.map((statement) => `${statement};`).join('\n')}
      RETURN NULL;
    END $$`);
}

/** Adds the marks of rows to the counts (`sign` 1) or takes them away (-1). */
function countChanges(rows: string): string {
  return `
    WITH marks AS (
      SELECT kind, category, sign, unnest(tsvector_to_array(words) || facets || ARRAY[''] || ARRAY(
        SELECT split_part(facet, ':', 1) || ':' AS several FROM unnest(facets) AS facet
        GROUP BY several HAVING count(*) > 1)) AS mark
      FROM (${rows}) AS changes
    ),
    deltas AS (
      SELECT kind, category, mark, sum(sign) AS rows FROM marks GROUP BY kind, category, mark HAVING sum(sign) <> 0
    ),
    free AS (
      SELECT c.ctid FROM deltas d JOIN catalog_counts c USING (kind, category, mark)
      WHERE abs(hashtext(d.mark) % ${TURNS}) = turn FOR UPDATE OF c SKIP LOCKED
    ),
    merged AS (
      DELETE FROM catalog_counts c USING free f WHERE c.ctid = f.ctid RETURNING c.kind, c.category, c.mark, c.rows
    )
    INSERT INTO catalog_counts (kind, category, mark, rows)
    SELECT kind, category, mark, sum(rows) FROM (TABLE deltas UNION ALL TABLE merged) AS lines
    GROUP BY kind, category, mark HAVING sum(rows) <> 0`;
}
