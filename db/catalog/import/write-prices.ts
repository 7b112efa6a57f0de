import type { Knex } from 'knex';
import type { EstimateRecord } from '../../../models/catalog/import/records';
import { sql } from '../../core/sql';
import { stage, upsertStaged } from '../../core/staging';
import { doubtBest, raiseBest } from './best-estimates';
import { SOURCE_TABLES } from './source-tables';

const { estimates } = SOURCE_TABLES;

/** Writes market estimates, and the best estimate of the rows above their products; those that need a closer look are noted. */
export async function writeEstimates(trx: Knex, records: readonly EstimateRecord[]): Promise<string[]> {
  await stage(trx, estimates, records);
  const product = sql`CROSS JOIN LATERAL (SELECT product_id FROM variants WHERE id = given.variant_id OFFSET 0) AS variant`;
  await doubtBest(
    trx,
    sql`SELECT product_id, old.* FROM staged_market_estimates AS given ${product} CROSS JOIN LATERAL (
          SELECT * FROM market_estimates AS old
          WHERE (variant_id, source, region) = (given.variant_id, given.source, given.region) AND old <> given OFFSET 0
        ) AS old`,
  );
  await upsertStaged(trx, estimates);
  return await raiseBest(
    trx,
    sql`SELECT product_id, given.* FROM staged_market_estimates AS given ${product}`,
  );
}
