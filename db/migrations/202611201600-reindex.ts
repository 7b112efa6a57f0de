import type { Knex } from 'knex';

/**
 * What a change of the model needs to know of a version: when its build was proven complete, whether new images are
 * embedded for it, how it was judged; that its table is gone (`pruned`); and which workers hold its model ready.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE embedding_versions
      DROP CONSTRAINT embedding_versions_state_check,
      ADD CONSTRAINT embedding_versions_state_check CHECK (state IN ('building', 'live', 'retired', 'pruned')),
      ADD COLUMN built_at timestamptz,
      ADD COLUMN maintained boolean NOT NULL DEFAULT false,
      ADD COLUMN evaluation jsonb`);
  await knex.raw(`UPDATE embedding_versions SET maintained = true WHERE state = 'live'`);
  await knex.raw(`
    CREATE TABLE embedding_readiness (
      worker text NOT NULL,
      version_id integer NOT NULL REFERENCES embedding_versions ON DELETE CASCADE,
      fault text,
      told_at timestamptz NOT NULL DEFAULT now(),
      PRIMARY KEY (worker, version_id)
    )`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.dropTable('embedding_readiness');
  await knex.raw(`DELETE FROM embedding_versions WHERE state = 'pruned'`);
  await knex.raw(`
    ALTER TABLE embedding_versions
      DROP CONSTRAINT embedding_versions_state_check,
      ADD CONSTRAINT embedding_versions_state_check CHECK (state IN ('building', 'live', 'retired')),
      DROP COLUMN built_at, DROP COLUMN maintained, DROP COLUMN evaluation`);
}
