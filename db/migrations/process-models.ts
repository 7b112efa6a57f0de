import type { SchemaStep } from './migrate';

/** What a process embeds with stands in its own row; it was a table with a heartbeat of its own. */
export const processModels: SchemaStep = {
  up: (knex) =>
    knex.raw(`
      ALTER TABLE service_processes ADD COLUMN models jsonb;
      COMMENT ON TABLE service_processes IS
'Processes that serve or work, and what all of them must agree on; a row that is not renewed is of one that died.
traits: release, signing keys and image store; digests where they would show a secret
models: of one that embeds, whether each version can be answered under at once, or why not; else null
seen_at: by the clock of the database';
      DROP TABLE embedding_readiness`),

  down: (knex) =>
    knex.raw(`
      ALTER TABLE service_processes DROP COLUMN models;
      COMMENT ON TABLE service_processes IS
'Processes that serve or work, and what all of them must agree on; a row that is not renewed is of one that died.
traits: release, signing keys and image store; digests where they would show a secret
seen_at: by the clock of the database';
      CREATE TABLE embedding_readiness (
        worker text NOT NULL,
        version_id integer NOT NULL REFERENCES embedding_versions ON DELETE CASCADE,
        fault text,
        told_at timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (worker, version_id)
      );
      COMMENT ON TABLE embedding_readiness IS 'Which workers hold the model of a version ready, or why not.'`),
};
