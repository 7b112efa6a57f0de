import type { SchemaStep } from './migrate';

/**
 * What a process embeds with is in its own row. `embedding_readiness`, which had it, is left to the next first version: to drop
 * it needs a lock on `embedding_versions`, for which all calls would wait behind a backup.
 */
export const processModels: SchemaStep = {
  up: (knex) =>
    knex.raw(`
      ALTER TABLE service_processes ADD COLUMN models jsonb;
      COMMENT ON COLUMN service_processes.models IS
'Of one that embeds: whether each version can be answered under at once, or why not; else null.'`),

  down: (knex) => knex.raw('ALTER TABLE service_processes DROP COLUMN models'),
};
