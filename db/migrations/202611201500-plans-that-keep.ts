import type { Knex } from 'knex';

const EVENTS = ['insert', 'update', 'delete'];
/** What a plan must not lean on that was made while the tables were small. */
const SETTINGS = ['enable_seqscan', 'enable_hashjoin', 'enable_mergejoin'];

/**
 * The functions that keep `catalog_search` and `catalog_counts` look lines up by index, always. A session plans their
 * statements once: planned on an empty catalog, a first load would read all of the counts again for each batch.
 */
export async function up(knex: Knex): Promise<void> {
  const set = SETTINGS.map((setting) => `SET ${setting} TO off`).join(' ');
  for (const event of EVENTS) await knex.raw(`ALTER FUNCTION catalog_rows_after_${event}() ${set}`);
}

export async function down(knex: Knex): Promise<void> {
  for (const event of EVENTS) await knex.raw(`ALTER FUNCTION catalog_rows_after_${event}() RESET ALL`);
}
