import type { Knex } from 'knex';

/** Columns of a row that decide whether and where a query finds it. */
const SEARCHED = ['kind', 'category', 'popularity', 'sort_key', 'facets', 'words'];
const COLUMNS = ['id', ...SEARCHED].join(', ');
/** Columns that marks are made of. */
const MARKED = ['id', 'kind', 'category', 'facets', 'words'];

/**
 * What queries scan, derived from `catalog_rows` by the database itself, in the same transaction, however rows are
 * written.
 *
 * - `catalog_search`: the searched columns of each row in a narrow table of its own. A row of `catalog_rows` with its
 *   images and attributes fills a sixth of a page; totals over many rows would read one page per row.
 * - `catalog_counts`: how many rows of a kind and category carry a mark. Marks are the facets (`brand:brand_1`), the
 *   words (`chanel`), the fields of which a row has several values (`colour:`), and the empty mark that all rows
 *   carry. A mark may have several lines, whose sum counts: a writer merges the lines that nobody else holds and never
 *   waits for one, so writers at the same time can't block each other here.
 *
 * Ascending popularity has an index of its own because every order ends with the id ascending (decisions.md 7).
 */
export async function up(knex: Knex): Promise<void> {
  for (const index of ['popularity', 'name', 'facets', 'words']) {
    await knex.raw(`DROP INDEX catalog_rows_${index}`);
  }
  await createSearchTable(knex);
  await createCountsTable(knex);
  await createTriggers(knex);
}

export async function down(knex: Knex): Promise<void> {
  for (const event of ['insert', 'update', 'delete', 'truncate']) {
    await knex.raw(`DROP TRIGGER catalog_rows_${event} ON catalog_rows`);
    await knex.raw(`DROP FUNCTION catalog_rows_after_${event}()`);
  }
  await knex.schema.dropTable('catalog_counts');
  await knex.schema.dropTable('catalog_search');
  await knex.raw(
    'CREATE INDEX catalog_rows_popularity ON catalog_rows (kind, category, popularity DESC, id)',
  );
  await knex.raw('CREATE INDEX catalog_rows_name ON catalog_rows (kind, category, sort_key, id)');
  await knex.raw('CREATE INDEX catalog_rows_facets ON catalog_rows USING gin (facets)');
  await knex.raw('CREATE INDEX catalog_rows_words ON catalog_rows USING gin (words)');
}

async function createSearchTable(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE catalog_search (
      id text COLLATE "C" PRIMARY KEY,
      kind text COLLATE "C" NOT NULL,
      category text COLLATE "C" NOT NULL,
      popularity double precision NOT NULL,
      sort_key text COLLATE "C" NOT NULL,
      facets text[] COLLATE "C" NOT NULL,
      words tsvector NOT NULL
    )`);
  await knex.raw(`INSERT INTO catalog_search (${COLUMNS}) SELECT ${COLUMNS} FROM catalog_rows`);
  await knex.raw(
    'CREATE INDEX catalog_search_popular ON catalog_search (kind, category, popularity DESC, id)',
  );
  await knex.raw('CREATE INDEX catalog_search_unpopular ON catalog_search (kind, category, popularity, id)');
  await knex.raw('CREATE INDEX catalog_search_name ON catalog_search (kind, category, sort_key, id)');
  await knex.raw('CREATE INDEX catalog_search_facets ON catalog_search USING gin (facets)');
  await knex.raw('CREATE INDEX catalog_search_words ON catalog_search USING gin (words)');
}

async function createCountsTable(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE catalog_counts (
      kind text COLLATE "C" NOT NULL,
      category text COLLATE "C" NOT NULL,
      mark text COLLATE "C" NOT NULL,
      rows bigint NOT NULL
    ) WITH (autovacuum_vacuum_scale_factor = 0.02)`);
  await knex.raw('CREATE INDEX catalog_counts_key ON catalog_counts (kind, mark, category)');
  await knex.raw(countChanges(`SELECT ${MARKED.join(', ')}, 1 AS sign FROM catalog_search`));
}

async function createTriggers(knex: Knex): Promise<void> {
  // Transition tables have no index: comparing them as sets is linear where a join of them would be quadratic.
  const gained = `SELECT ${COLUMNS} FROM new_rows EXCEPT SELECT ${COLUMNS} FROM old_rows`;
  const lost = `SELECT ${COLUMNS} FROM old_rows EXCEPT SELECT ${COLUMNS} FROM new_rows`;
  await createTrigger(knex, 'insert', 'REFERENCING NEW TABLE AS new_rows', [
    `INSERT INTO catalog_search (${COLUMNS}) SELECT ${COLUMNS} FROM new_rows`,
    countChanges(`SELECT ${MARKED.join(', ')}, 1 AS sign FROM new_rows`),
  ]);
  await createTrigger(knex, 'update', 'REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows', [
    `IF NOT EXISTS (${gained}) AND NOT EXISTS (${lost}) THEN RETURN NULL; END IF`,
    `DELETE FROM catalog_search s USING (SELECT id FROM old_rows EXCEPT SELECT id FROM new_rows) o
     WHERE s.id = o.id`,
    `INSERT INTO catalog_search (${COLUMNS}) ${gained}
     ON CONFLICT (id) DO UPDATE SET ${SEARCHED.map((column) => `${column} = excluded.${column}`).join(', ')}`,
    countChanges(`
      SELECT ${MARKED.join(', ')}, 1 AS sign FROM (${gained}) AS gained
      UNION ALL
      SELECT ${MARKED.join(', ')}, -1 FROM (${lost}) AS lost`),
  ]);
  await createTrigger(knex, 'delete', 'REFERENCING OLD TABLE AS old_rows', [
    'DELETE FROM catalog_search s USING old_rows o WHERE s.id = o.id',
    countChanges(`SELECT ${MARKED.join(', ')}, -1 AS sign FROM old_rows`),
  ]);
  await createTrigger(knex, 'truncate', '', ['TRUNCATE catalog_search, catalog_counts']);
}

async function createTrigger(
  knex: Knex,
  event: string,
  tables: string,
  statements: readonly string[],
): Promise<void> {
  await knex.raw(`
    CREATE FUNCTION catalog_rows_after_${event}() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      ${statements.map((statement) => `${statement};`).join('\n')}
      RETURN NULL;
    END $$`);
  await knex.raw(`
    CREATE TRIGGER catalog_rows_${event} AFTER ${event.toUpperCase()} ON catalog_rows ${tables}
    FOR EACH STATEMENT EXECUTE FUNCTION catalog_rows_after_${event}()`);
}

/** Adds the marks of rows to the counts (`sign` 1) or takes them away (-1). */
function countChanges(rows: string): string {
  return `
    WITH changes AS (${rows}),
    facets AS (
      SELECT DISTINCT id, kind, category, sign, facet FROM changes CROSS JOIN LATERAL unnest(facets) AS facet
    ),
    marks AS (
      SELECT kind, category, '' AS mark, sign FROM changes
      UNION ALL
      SELECT kind, category, word, sign FROM changes CROSS JOIN LATERAL unnest(tsvector_to_array(words)) AS word
      UNION ALL
      SELECT kind, category, facet, sign FROM facets
      UNION ALL
      SELECT kind, category, split_part(facet, ':', 1) || ':', sign FROM facets
      GROUP BY id, kind, category, sign, split_part(facet, ':', 1) HAVING count(*) > 1
    ),
    deltas AS (
      SELECT kind, category, mark, sum(sign) AS rows FROM marks GROUP BY kind, category, mark HAVING sum(sign) <> 0
    ),
    free AS (
      SELECT c.ctid FROM deltas d JOIN catalog_counts c USING (kind, category, mark) FOR UPDATE OF c SKIP LOCKED
    ),
    merged AS (
      DELETE FROM catalog_counts c USING free f WHERE c.ctid = f.ctid RETURNING c.kind, c.category, c.mark, c.rows
    )
    INSERT INTO catalog_counts (kind, category, mark, rows)
    SELECT kind, category, mark, sum(rows) FROM (TABLE deltas UNION ALL TABLE merged) AS lines
    GROUP BY kind, category, mark HAVING sum(rows) <> 0`;
}
