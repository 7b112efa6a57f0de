import type { Knex } from 'knex';

/**
 * Indexes that a large import took away to make them again when its products are there: each by the statement that
 * makes it. It goes out with its index and comes in with it, so that an import that was killed leaves behind what is
 * missing.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('CREATE TABLE deferred_indexes (name text PRIMARY KEY, definition text NOT NULL)');
}

export async function down(knex: Knex): Promise<void> {
  const definitions: string[] = await knex('deferred_indexes').pluck('definition');
  for (const definition of definitions) await knex.raw(definition);
  await knex.schema.dropTable('deferred_indexes');
}
