import type { Knex } from 'knex';

/**
 * What queries read: one row per live product, taxonomy entity and category, with everything denormalised that a
 * filter, an order or an answer needs (interface.md 2.1, 4.1). Derived from the source tables by the importer.
 *
 * - `facets`: `<field>:<id>` of every attribute and `tags:<tag id>` of every tag, inherited ones included
 * - `words`: folded words of name, taxonomy names, variant fields and keywords (decisions.md 7)
 * - `sort_key`: the name in the order of decisions.md 7, by code point
 * - `max_estimate`: the best market estimate below the row (decisions.md 5)
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE catalog_rows (
      id text COLLATE "C" PRIMARY KEY,
      kind text COLLATE "C" NOT NULL,
      category text COLLATE "C" NOT NULL,
      popularity double precision NOT NULL,
      sort_key text COLLATE "C" NOT NULL,
      facets text[] COLLATE "C" NOT NULL,
      words tsvector NOT NULL,
      name text NOT NULL,
      attributes jsonb NOT NULL,
      images text[] NOT NULL,
      thumbnails text[] NOT NULL,
      max_estimate jsonb,
      updated_at timestamptz NOT NULL
    ) WITH (fillfactor = 90)`);
  await knex.raw(
    'CREATE INDEX catalog_rows_popularity ON catalog_rows (kind, category, popularity DESC, id)',
  );
  await knex.raw('CREATE INDEX catalog_rows_name ON catalog_rows (kind, category, sort_key, id)');
  await knex.raw('CREATE INDEX catalog_rows_facets ON catalog_rows USING gin (facets)');
  await knex.raw('CREATE INDEX catalog_rows_words ON catalog_rows USING gin (words)');
  await knex.raw(`
    CREATE TABLE search_words (
      word text COLLATE "C" PRIMARY KEY
    )`);
  await knex.raw('CREATE INDEX search_words_trigrams ON search_words USING gin (word gin_trgm_ops)');
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.dropTable('search_words');
  await knex.schema.dropTable('catalog_rows');
}
