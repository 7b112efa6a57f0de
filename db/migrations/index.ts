import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { StoreFault } from '../../models/store-fault';
import type { SchemaStep, SchemaSteps } from './migrate';

const SCHEMA = readFileSync(join(__dirname, 'first-version.sql'), 'utf8');

const firstVersion: SchemaStep = {
  up: (knex) => knex.raw(SCHEMA),

  /** Drops what the file makes, and the vectors of every embedding version. */
  async down(knex) {
    const versions: number[] = await knex('embedding_versions').pluck('id');
    const tables = [
      ...made(/^CREATE (?:UNLOGGED )?TABLE (\w+)/gm),
      ...versions.map((id) => `embeddings_${id}`),
    ];
    await knex.raw(`
      DROP TABLE IF EXISTS ${tables.join(', ')};
      DROP FUNCTION ${made(/^CREATE FUNCTION (\w+)/gm).join(', ')};
      DROP EXTENSION vector;`);
  },
};

const made = (statement: RegExp): string[] => [...SCHEMA.matchAll(statement)].map(([, name = '']) => name);

/** Migrations that are part of the first version now; older databases still have their names. */
export const SQUASHED: readonly string[] = [
  '202611260010-shared-categories',
  '202611260020-catalog-references',
  '202611260030-product-feeds',
  '202611260040-writers-of-vectors',
  '202611260050-uncounted-terms',
  '202611260060-snapshot-columns',
];

const squashed: SchemaStep = {
  async up(knex) {
    if (await knex.schema.hasTable('search_snapshot_columns')) return;
    throw new StoreFault(
      'The database was made by a commit between 0.1.0 and this release: start with an empty database (docs/upgrade.md).',
      false,
    );
  },
  async down() {},
};

/**
 * What a process embeds with is in its own row. `embedding_readiness`, which had it, is left to the next first version: to drop
 * it needs a lock on `embedding_versions`, for which all calls would wait behind a backup.
 */
const processModels: SchemaStep = {
  up: (knex) =>
    knex.raw(`
      ALTER TABLE service_processes ADD COLUMN models jsonb;
      ${describedBy(`
models: for a process that embeds, whether each version is ready, or why not; else null`)}`),

  down: (knex) => knex.raw(`ALTER TABLE service_processes DROP COLUMN models; ${describedBy('')}`),
};

function describedBy(more: string): string {
  return `COMMENT ON TABLE service_processes IS
'Running processes, and what all of them must agree on; a process whose row is not renewed has died.
traits: release, signing keys and image store; digests where they would show a secret${more}
seen_at: by the clock of the database'`;
}

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

/** A facet's rows of other kinds are few, but in the index of all rows they are listed among its products. */
export const nodeFacets: SchemaStep = {
  up: (knex) =>
    knex.raw(`CREATE INDEX catalog_search_node_facets ON catalog_search USING gin (facets)
      WITH (gin_pending_list_limit='64') WHERE kind <> 'product'`),
  // An import that was killed may have dropped it; a restore goes down and up again.
  down: (knex) => knex.raw('DROP INDEX IF EXISTS catalog_search_node_facets'),
};

const planned = (change: string) =>
  `ALTER FUNCTION words_with_deletion(text, integer) ${change} plan_cache_mode`;

/** Planning took most of the time of a look-up, of which a text needs dozens. */
const deletionPlans: SchemaStep = {
  up: (knex) => knex.raw(`${planned('SET')} = force_generic_plan`),
  down: (knex) => knex.raw(planned('RESET')),
};

/** Every migration by name, in order. Names are kept for ever: a database remembers them. */
export const migrations: SchemaSteps = {
  '202611252300-first-version': firstVersion,
  ...Object.fromEntries(SQUASHED.map((name) => [name, squashed])),
  '202611260070-process-models': processModels,
  '202611260080-pending-lists': pendingLists,
  '202611270010-node-facets': nodeFacets,
  '202611270020-deletion-plans': deletionPlans,
};
