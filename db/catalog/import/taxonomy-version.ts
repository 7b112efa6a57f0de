import type { Knex } from 'knex';
import { rowsOf, sql } from '../../core/sql';

/** How often categories, tags or entities were written, which triggers count. */
export async function taxonomyVersion(knex: Knex): Promise<number> {
  const [line] = await rowsOf<{ version: number }>(knex, sql`SELECT version FROM catalog_taxonomy_version`);
  return line?.version ?? 0;
}
