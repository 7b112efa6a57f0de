import type { Knex } from 'knex';

/** Columns of a catalog row that decide whether and where a query finds it. */
const SEARCHED = ['kind', 'category', 'popularity', 'sort_key', 'facets', 'words'];
const COLUMNS = ['id', ...SEARCHED].join(', ');
/** One of so many terms has its lines of counts merged by each statement. */
const TURNS = 8;
/** Ordinals that one bitmap tells about; 4 KiB, compressed where they are mostly zeros. */
const CHUNK = 32_768;
/**
 * Look-ups by index, always. A session plans the statements of a function once: planned on an empty catalog, a first
 * load would read all of the counts again for each batch.
 */
const BY_INDEX = 'SET enable_seqscan TO off SET enable_hashjoin TO off SET enable_mergejoin TO off';

/** What queries scan (`db/catalog/search/README.md`), kept by triggers however rows are written. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(SEARCH_TABLES);
  await knex.raw(SNAPSHOT_TABLES);
  await keepSearchTables(knex);
  await noteChanges(knex);
}

export async function down(knex: Knex): Promise<void> {
  for (const event of ['insert', 'update', 'delete', 'truncate']) {
    await knex.raw(`DROP FUNCTION catalog_rows_after_${event}() CASCADE`);
  }
  await knex.raw(`
    DROP TABLE catalog_search_changes, search_snapshot_orders, search_snapshot_bitmaps, search_snapshot_ordinals,
      search_snapshots, search_words, term_counts, catalog_search`);
  for (const event of ['insert', 'update', 'delete', 'truncate']) {
    await knex.raw(`DROP FUNCTION catalog_search_after_${event}()`);
  }
  await knex.raw('DROP FUNCTION words_with_deletion(text, integer)');
}

/** Ascending popularity has an index of its own because every order ends with the id ascending (contract 4.13). */
const SEARCH_TABLES = `
  CREATE TABLE catalog_search (
    id text COLLATE "C" PRIMARY KEY,
    kind text COLLATE "C" NOT NULL,
    category text COLLATE "C" NOT NULL,
    popularity double precision NOT NULL,
    sort_key text COLLATE "C" NOT NULL,
    facets text[] COLLATE "C" NOT NULL,
    words tsvector NOT NULL
  );
  CREATE INDEX catalog_search_popular ON catalog_search (kind, category, popularity DESC, id);
  CREATE INDEX catalog_search_unpopular ON catalog_search (kind, category, popularity, id);
  CREATE INDEX catalog_search_name ON catalog_search (kind, category, sort_key, id);
  CREATE INDEX catalog_search_facets ON catalog_search USING gin (facets);
  CREATE INDEX catalog_search_words ON catalog_search USING gin (words);
  COMMENT ON TABLE catalog_search IS
  'The searched columns of each catalog row, derived from it by triggers. A row of catalog_rows fills a sixth of a page;
totals over many rows would read one page per row.';

  CREATE TABLE term_counts (
    kind text COLLATE "C" NOT NULL,
    category text COLLATE "C" NOT NULL,
    term text COLLATE "C" NOT NULL,
    rows bigint NOT NULL
  ) WITH (autovacuum_vacuum_scale_factor = 0.02);
  CREATE INDEX term_counts_key ON term_counts (kind, term, category);
  COMMENT ON TABLE term_counts IS
  'How many rows of a kind and category have an index term, kept by triggers on catalog_rows.
term: a facet (brand:brand_1), a word (chanel), a field of which a row has several values (colour:), or the empty term
  that all rows have
rows: a term has about eight lines, whose sum counts. A writer adds lines of its own and merges those of some terms that
  nobody else holds, so writers never wait for each other here';

  CREATE TABLE search_words (
    word text COLLATE "C" PRIMARY KEY,
    deletions text[] COLLATE "C" NOT NULL
  );
  CREATE INDEX search_words_deletions ON search_words USING gin (deletions);
  COMMENT ON TABLE search_words IS
  'The vocabulary of the catalog, with the deletion neighbourhood of each word: the word less some letters. Two words
within n edits of each other share a text that lacks at most n letters of each.';
  CREATE FUNCTION words_with_deletion(deletion text, words_max integer) RETURNS SETOF text
  LANGUAGE plpgsql STABLE STRICT ROWS 20 SET enable_seqscan TO off AS $$
  BEGIN
    -- By the index, always: planned for a limit, the look-up would read the table.
    RETURN QUERY SELECT word FROM search_words WHERE deletions @> ARRAY[deletion] LIMIT words_max;
  END $$;`;

const SNAPSHOT_TABLES = `
  CREATE TABLE search_snapshots (
    number integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    products integer NOT NULL
  );
  COMMENT ON TABLE search_snapshots IS
  'Bitmaps of the products of a large catalog, made from a state of catalog_search and used only while that state stands.';

  CREATE TABLE search_snapshot_ordinals (
    snapshot integer NOT NULL,
    ordinal integer NOT NULL,
    id text COLLATE "C" NOT NULL,
    PRIMARY KEY (snapshot, ordinal)
  );
  CREATE UNIQUE INDEX search_snapshot_ordinals_id ON search_snapshot_ordinals (snapshot, id);
  COMMENT ON TABLE search_snapshot_ordinals IS 'The number of each product, by falling popularity, then id.';

  CREATE TABLE search_snapshot_bitmaps (
    snapshot integer NOT NULL,
    term text COLLATE "C" NOT NULL,
    chunk integer NOT NULL,
    bits bit(${CHUNK}) NOT NULL,
    PRIMARY KEY (snapshot, term, chunk)
  );
  COMMENT ON TABLE search_snapshot_bitmaps IS
  'For an index term that many products have, the ordinals that do, ${CHUNK} to a chunk.
term: a facet, a word, @ and a category, or a beginning of up to three letters with * for all rarer words that begin so';

  CREATE TABLE search_snapshot_orders (
    snapshot integer NOT NULL,
    sort text NOT NULL,
    ordinals bytea NOT NULL,
    PRIMARY KEY (snapshot, sort)
  );
  ALTER TABLE search_snapshot_orders ALTER COLUMN ordinals SET STORAGE EXTERNAL;
  COMMENT ON TABLE search_snapshot_orders IS 'All ordinals in the other orders of a listing, four bytes each.';

  CREATE TABLE catalog_search_changes (changed_at timestamptz NOT NULL DEFAULT now());
  COMMENT ON TABLE catalog_search_changes IS
  'A line for each statement that changed products in catalog_search, which nobody waits for. The next snapshot takes
away the lines that it has seen.';`;

/** Transition tables have no index: comparing them as sets is linear where a join of them would be quadratic. */
async function keepSearchTables(knex: Knex): Promise<void> {
  const gained = `SELECT ${COLUMNS} FROM new_rows EXCEPT SELECT ${COLUMNS} FROM old_rows`;
  const lost = `SELECT ${COLUMNS} FROM old_rows EXCEPT SELECT ${COLUMNS} FROM new_rows`;
  await knex.raw(`
    ${keeping('insert', [
      `INSERT INTO catalog_search (${COLUMNS}) SELECT ${COLUMNS} FROM new_rows`,
      countChanges('SELECT *, 1 AS sign FROM new_rows'),
    ])}
    CREATE TRIGGER catalog_rows_insert AFTER INSERT ON catalog_rows REFERENCING NEW TABLE AS new_rows
    FOR EACH STATEMENT EXECUTE FUNCTION catalog_rows_after_insert();

    ${keeping('update', [
      `IF NOT EXISTS (${gained}) AND NOT EXISTS (${lost}) THEN RETURN NULL; END IF`,
      `DELETE FROM catalog_search s USING (SELECT id FROM old_rows EXCEPT SELECT id FROM new_rows) o
      WHERE s.id = o.id`,
      `INSERT INTO catalog_search (${COLUMNS}) ${gained}
      ON CONFLICT (id) DO UPDATE SET ${SEARCHED.map((column) => `${column} = excluded.${column}`).join(', ')}`,
      countChanges(`SELECT *, 1 AS sign FROM (${gained}) AS gained
        UNION ALL
        SELECT *, -1 AS sign FROM (${lost}) AS lost`),
    ])}
    CREATE TRIGGER catalog_rows_update AFTER UPDATE ON catalog_rows
    REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
    FOR EACH STATEMENT EXECUTE FUNCTION catalog_rows_after_update();

    ${keeping('delete', [
      'DELETE FROM catalog_search s USING old_rows o WHERE s.id = o.id',
      countChanges('SELECT *, -1 AS sign FROM old_rows'),
    ])}
    CREATE TRIGGER catalog_rows_delete AFTER DELETE ON catalog_rows REFERENCING OLD TABLE AS old_rows
    FOR EACH STATEMENT EXECUTE FUNCTION catalog_rows_after_delete();

    ${keeping('truncate', ['TRUNCATE catalog_search, term_counts'])}
    CREATE TRIGGER catalog_rows_truncate AFTER TRUNCATE ON catalog_rows
    FOR EACH STATEMENT EXECUTE FUNCTION catalog_rows_after_truncate();`);
}

/** The function of a trigger on `catalog_rows`; `turn` is drawn anew for each statement. */
const keeping = (event: string, statements: readonly string[]): string => `
    CREATE FUNCTION catalog_rows_after_${event}() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE
      turn CONSTANT integer := floor(random() * ${TURNS});
    BEGIN
      ${statements.map((statement) => `${statement};`).join('\n      ')}
      RETURN NULL;
    END $$ ${BY_INDEX};`;

/** Adds the terms of rows to the counts (`sign` 1) or takes them away (-1), in one pass without sorting. */
const countChanges = (rows: string): string => `
      WITH terms AS (
        SELECT kind, category, sign, unnest(tsvector_to_array(words) || facets || ARRAY[''] || ARRAY(
          SELECT split_part(facet, ':', 1) || ':' AS several FROM unnest(facets) AS facet
          GROUP BY several HAVING count(*) > 1)) AS term
        FROM (${rows}) AS changes
      ),
      deltas AS (
        SELECT kind, category, term, sum(sign) AS rows FROM terms GROUP BY kind, category, term HAVING sum(sign) <> 0
      ),
      free AS (
        SELECT c.ctid FROM deltas d JOIN term_counts c USING (kind, category, term)
        WHERE abs(hashtext(d.term) % ${TURNS}) = turn FOR UPDATE OF c SKIP LOCKED
      ),
      merged AS (
        DELETE FROM term_counts c USING free f WHERE c.ctid = f.ctid RETURNING c.kind, c.category, c.term, c.rows
      )
      INSERT INTO term_counts (kind, category, term, rows)
      SELECT kind, category, term, sum(rows) FROM (TABLE deltas UNION ALL TABLE merged) AS lines
      GROUP BY kind, category, term HAVING sum(rows) <> 0`;

/** Notes each statement that changes products in `catalog_search`. */
async function noteChanges(knex: Knex): Promise<void> {
  const events = {
    insert: ['NEW TABLE AS after'],
    update: ['OLD TABLE AS before', 'NEW TABLE AS after'],
    delete: ['OLD TABLE AS before'],
    truncate: [],
  };
  for (const [event, tables] of Object.entries(events)) {
    const products = tables.map(
      (table) => `EXISTS (SELECT FROM ${table.slice('OLD TABLE AS '.length)} WHERE kind = 'product')`,
    );
    await knex.raw(`
      CREATE FUNCTION catalog_search_after_${event}() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        INSERT INTO catalog_search_changes SELECT now() WHERE ${products.join(' OR ') || 'true'};
        RETURN NULL;
      END $$;
      CREATE TRIGGER catalog_search_${event} AFTER ${event.toUpperCase()} ON catalog_search
      ${tables.length > 0 ? `REFERENCING ${tables.join(' ')}` : ''}
      FOR EACH STATEMENT EXECUTE FUNCTION catalog_search_after_${event}();`);
  }
}
