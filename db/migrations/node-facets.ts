import type { SchemaStep } from './migrate';

/** A facet's rows of other kinds are few, but in the index of all rows they are listed among its products. */
export const nodeFacets: SchemaStep = {
  up: (knex) =>
    knex.raw(`CREATE INDEX catalog_search_node_facets ON catalog_search USING gin (facets)
      WITH (gin_pending_list_limit='64') WHERE kind <> 'product'`),
  // An import that was killed may have dropped it; a restore goes down and up again.
  down: (knex) => knex.raw('DROP INDEX IF EXISTS catalog_search_node_facets'),
};
