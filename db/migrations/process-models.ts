import type { SchemaStep } from './migrate';

/**
 * What a process embeds with is in its own row. `embedding_readiness`, which had it, is left to the next first version: to drop
 * it needs a lock on `embedding_versions`, for which all calls would wait behind a backup.
 */
export const processModels: SchemaStep = {
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
