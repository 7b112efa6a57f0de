import type { Knex } from 'knex';
import { rowsOf, sql } from '../../core/sql';

/** How often categories, tags or entities were written: 0 before the first time. */
export async function taxonomyVersion(knex: Knex): Promise<number> {
  const [line] = await rowsOf<{ version: number }>(knex, sql`SELECT version FROM catalog_taxonomy_version`);
  return line?.version ?? 0;
}

/** Counts one more, in the transaction that writes them. */
export async function countTaxonomyChange(trx: Knex): Promise<void> {
  await rowsOf(
    trx,
    sql`INSERT INTO catalog_taxonomy_version AS known (version) VALUES (1)
        ON CONFLICT (only_one) DO UPDATE SET version = known.version + 1`,
  );
}
