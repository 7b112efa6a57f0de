import type { Knex } from 'knex';
import type { SchemaStep } from './migrate';

/** Rows of vectors say which transaction wrote them; those that there are were written before. */
export const writersOfVectors: SchemaStep = {
  up: async (knex) => {
    for (const table of await vectorTables(knex)) {
      await knex.raw(`ALTER TABLE ${table} ADD COLUMN IF NOT EXISTS written_by xid8`);
      await knex.raw(`ALTER TABLE ${table} ALTER COLUMN written_by SET DEFAULT pg_current_xact_id()`);
      await knex.raw(`CREATE INDEX IF NOT EXISTS ${table}_written_by_idx ON ${table} (written_by)`);
    }
  },
  down: async (knex) => {
    for (const table of await vectorTables(knex)) {
      await knex.raw(`ALTER TABLE ${table} DROP COLUMN IF EXISTS written_by`);
    }
  },
};

async function vectorTables(knex: Knex): Promise<string[]> {
  const versions: number[] = await knex('embedding_versions').whereNot({ state: 'pruned' }).pluck('id');
  return versions.map((id) => `embeddings_${id}`);
}
