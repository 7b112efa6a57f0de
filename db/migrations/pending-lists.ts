import type { SchemaStep } from './migrate';

const INDEXES = ['search_words_deletions', 'catalog_search_node_words', 'synonyms_phrases'];
const altered = (change: string) => INDEXES.map((name) => `ALTER INDEX ${name} ${change};`).join('\n');

/** Each look-up reads the whole pending list of a GIN index; the embedded database has no autovacuum to empty it. */
export const pendingLists: SchemaStep = {
  up: (knex) =>
    knex.raw(`${altered('SET (gin_pending_list_limit = 64)')}
      SELECT ${INDEXES.map((name) => `gin_clean_pending_list('${name}')`).join(', ')};`),
  down: (knex) => knex.raw(altered('RESET (gin_pending_list_limit)')),
};
