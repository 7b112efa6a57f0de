import type { Knex } from 'knex';

/**
 * Misspelt words are found by their stubs, not by trigrams, which lose short words and depend on the server's locale.
 *
 * A stub is a word less some letters. Two words within n edits of each other (insert, drop, replace, swap neighbours)
 * share a stub that lacks at most n letters of each; the first seven letters suffice for that. So a look-up by stubs
 * misses nothing, and what it finds too much is measured exactly afterwards. Words of six letters and more may be
 * meant by one of eight, which may be two edits away; words of three to five by one of four to seven (decisions.md 7).
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE FUNCTION word_stubs(word text, deletions integer) RETURNS text[]
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
    DECLARE
      beginning CONSTANT text := left(word, 7);
      stubs text[] := ARRAY[beginning];
      once text;
    BEGIN
      IF deletions = 0 THEN RETURN stubs; END IF;
      FOR i IN 1 .. length(beginning) LOOP
        once := left(beginning, i - 1) || substr(beginning, i + 1);
        stubs := stubs || once;
        CONTINUE WHEN deletions = 1;
        FOR j IN i .. length(once) LOOP
          stubs := stubs || (left(once, j - 1) || substr(once, j + 1));
        END LOOP;
      END LOOP;
      RETURN stubs;
    END
    $$`);
  await knex.raw(`
    ALTER TABLE search_words ADD COLUMN stubs text[] COLLATE "C" GENERATED ALWAYS AS (
      CASE WHEN length(word) < 3 THEN '{}'::text[]
           ELSE word_stubs(word, CASE WHEN length(word) < 6 THEN 1 ELSE 2 END) END
    ) STORED`);
  await knex.raw('CREATE INDEX search_words_stubs ON search_words USING gin (stubs)');
  await knex.raw('DROP INDEX search_words_trigrams');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('CREATE INDEX search_words_trigrams ON search_words USING gin (word gin_trgm_ops)');
  await knex.raw('ALTER TABLE search_words DROP COLUMN stubs');
  await knex.raw('DROP FUNCTION word_stubs(text, integer)');
}
