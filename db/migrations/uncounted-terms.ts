import type { Knex } from 'knex';
import { SCHEMA } from './first-version';
import type { SchemaStep } from './migrate';

const SEARCHED = 'id, kind, category, popularity, sort_key, facets, words';
const OLD = `SELECT ${SEARCHED} FROM old_rows`;
const NEW = `SELECT ${SEARCHED} FROM new_rows`;
const REPLACED = SEARCHED.split(', ')
  .slice(1)
  .map((column) => `${column} = excluded.${column}`)
  .join(', ');

/** What each trigger of `catalog_rows` does to `catalog_search`; transition tables have no index, so they are compared as sets. */
const COPIES = {
  delete: 'DELETE FROM catalog_search s USING old_rows o WHERE s.id = o.id;',
  insert: `INSERT INTO catalog_search (${SEARCHED}) ${NEW};`,
  truncate: 'TRUNCATE catalog_search;',
  update: `IF NOT EXISTS (${NEW} EXCEPT ${OLD}) AND NOT EXISTS (${OLD} EXCEPT ${NEW}) THEN RETURN NULL; END IF;
      DELETE FROM catalog_search s USING (SELECT id FROM old_rows EXCEPT SELECT id FROM new_rows) o WHERE s.id = o.id;
      INSERT INTO catalog_search (${SEARCHED}) ${NEW} EXCEPT ${OLD}
      ON CONFLICT (id) DO UPDATE SET ${REPLACED};`,
};

const COUNTS = /^CREATE TABLE term_counts[\s\S]*?term_counts_key[^;]*;/m;
const COUNTING = /^CREATE FUNCTION catalog_rows_after_[\s\S]*?END \$\$;/gm;

/** The counts cost an import more than the rows that they counted, and only the making of a search snapshot read all of them. */
export const uncountedTerms: SchemaStep = {
  async up(knex: Knex) {
    for (const [event, copy] of Object.entries(COPIES)) {
      await knex.raw(`
        CREATE OR REPLACE FUNCTION catalog_rows_after_${event}() RETURNS trigger
        LANGUAGE plpgsql SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
    BEGIN
      ${copy}
      RETURN NULL;
    END $$`);
    }
    await knex.raw('DROP TABLE term_counts');
  },

  async down(knex: Knex) {
    await knex.raw(SCHEMA.match(COUNTS)?.[0] ?? '');
    for (const [counting] of SCHEMA.matchAll(COUNTING)) {
      await knex.raw(counting.replace('CREATE', 'CREATE OR REPLACE'));
    }
    await knex.raw(`
      INSERT INTO term_counts (kind, category, term, rows)
      SELECT kind, category, term, count(*) FROM catalog_search
      CROSS JOIN LATERAL unnest(tsvector_to_array(words) || facets || ARRAY[''] || ARRAY(
        SELECT split_part(facet, ':', 1) || ':' AS several FROM unnest(facets) AS facet
        GROUP BY several HAVING count(*) > 1)) AS term
      GROUP BY kind, category, term`);
  },
};
