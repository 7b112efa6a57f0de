import type { Knex } from 'knex';
import { rowsOf, sql } from '../sql';
import { bestOfProducts, isSameBest, shiftsAbove, writeBest } from './best-estimates';
import type { EstimateRecord, HistoryRecord, ListingRecord } from './records';
import { SOURCE_TABLES } from './source-tables';
import { markStale } from './stale-rows';
import { upsertRows } from './upsert-rows';
import { contributions } from './write-products';

/** Writes market estimates, and the best estimate of the products and of the rows above them. */
export async function writeEstimates(trx: Knex, records: readonly EstimateRecord[]): Promise<void> {
  const changed = await upsertRows(trx, SOURCE_TABLES.estimates, records, 'variant_id');
  if (changed.length === 0) return;
  const rows = await rowsOf<{ product_id: string }>(
    trx,
    sql`SELECT DISTINCT product_id FROM variants WHERE id = ANY(${[...new Set(changed)]}::text[])`,
  );
  const ids = rows.map((row) => row.product_id);
  const before = await contributions(trx, ids);
  const best = await bestOfProducts(trx, ids);
  const changes = [...before].flatMap(([id, contribution]) => {
    const after = { ...contribution, best: best.get(id) ?? null };
    return isSameBest(contribution.best, after.best) ? [] : [{ id, before: contribution, after }];
  });
  const { raises, lost } = await shiftsAbove(trx, changes);
  await writeBest(trx, [...changes.map(({ id, after }) => ({ id, best: after.best })), ...raises]);
  await markStale(trx, lost);
}

/** Writes the history of estimates. */
export async function writeHistory(trx: Knex, records: readonly HistoryRecord[]): Promise<void> {
  await upsertRows(trx, SOURCE_TABLES.history, records, 'variant_id');
}

/** Writes listings. */
export async function writeListings(trx: Knex, records: readonly ListingRecord[]): Promise<void> {
  await upsertRows(trx, SOURCE_TABLES.listings, records, 'variant_id');
}
