import type { SchemaStep } from './migrate';

const INDEXES = ['search_words_deletions', 'catalog_search_node_words', 'synonyms_phrases'];
const LISTED = `'{${INDEXES.join()}}'::text[]`;
const OPTION = " WITH (gin_pending_list_limit='64')";
/** An import that was killed has dropped some of them, until the next one makes them from their definition. */
const altered = (change: string) =>
  INDEXES.map((name) => `ALTER INDEX IF EXISTS ${name} ${change};`).join('\n');

/** Each look-up reads the whole pending list of a GIN index; the embedded database has no autovacuum to empty it. */
export const pendingLists: SchemaStep = {
  up: (knex) =>
    knex.raw(`${altered('SET (gin_pending_list_limit = 64)')}
      UPDATE deferred_indexes SET definition = CASE
        WHEN strpos(definition, ' WHERE ') = 0 THEN definition || $$${OPTION}$$
        ELSE replace(definition, ' WHERE ', $$${OPTION} WHERE $$) END
      WHERE name = ANY(${LISTED}) AND strpos(definition, 'gin_pending_list_limit') = 0;
      SELECT gin_clean_pending_list(to_regclass(name)) FROM unnest(${LISTED}) AS name;`),
  down: (knex) => knex.raw(altered('RESET (gin_pending_list_limit)')),
};

const planned = (change: string) =>
  `ALTER FUNCTION words_with_deletion(text, integer) ${change} plan_cache_mode`;

/** Planning took most of the time of a look-up, of which a text needs dozens. */
export const deletionPlans: SchemaStep = {
  up: (knex) => knex.raw(`${planned('SET')} = force_generic_plan`),
  down: (knex) => knex.raw(planned('RESET')),
};
