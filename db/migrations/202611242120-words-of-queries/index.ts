import type { Knex } from 'knex';

/** Synonyms, suggestions and queries that found nothing (contract 5.9, 5.10, 5.11, 5.12, 5.13, 5.14). */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE synonyms (
      id text COLLATE "C" PRIMARY KEY,
      phrases text[] COLLATE "C" NOT NULL,
      readings text[] COLLATE "C" NOT NULL
    );
    CREATE INDEX synonyms_phrases ON synonyms USING gin (phrases);
    COMMENT ON TABLE synonyms IS
    'Other readings of words in a query, folded: each of the phrases also as each of the readings.';

    CREATE INDEX catalog_search_node_names ON catalog_search (sort_key, popularity DESC, id) WHERE kind <> 'product';
    CREATE INDEX catalog_search_node_popular ON catalog_search (popularity DESC, id) WHERE kind <> 'product';
    CREATE INDEX catalog_search_node_words ON catalog_search USING gin (words) WHERE kind <> 'product';

    CREATE TABLE search_misses (
      day date NOT NULL,
      query text COLLATE "C" NOT NULL,
      misses integer NOT NULL,
      PRIMARY KEY (day, query)
    );
    COMMENT ON TABLE search_misses IS
    'Folded texts of queries that found nothing, a day''s most frequent, without anything about who asked.';`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP TABLE search_misses;
    DROP INDEX catalog_search_node_words, catalog_search_node_popular, catalog_search_node_names;
    DROP TABLE synonyms;`);
}
