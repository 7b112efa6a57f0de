import type { Knex } from 'knex';
import { facetsOf, isSameBest } from './best-estimates';
import { copyRows } from './copy-rows';
import { EstimateBook } from './estimate-book';
import type { VariantOwner } from './import-target';
import type { EstimateRecord, HistoryRecord, ListingRecord } from './records';
import type { ShownBest } from './shown-best';
import { SOURCE_TABLES } from './source-tables';
import { markStale } from './stale-rows';
import { upsertRows } from './upsert-rows';

/** Writes market estimates of `variants`, and the best estimate of the rows above their products. */
export async function writeEstimates(
  trx: Knex,
  records: readonly EstimateRecord[],
  variants: ReadonlyMap<string, VariantOwner>,
  shownBest: ShownBest,
): Promise<void> {
  const given = records.flatMap((record) => {
    const owner = variants.get(record.variant_id);
    return owner ? [{ record, productId: owner.product_id }] : [];
  });
  const book = await EstimateBook.load(trx, [...new Set(given.map(({ productId }) => productId))]);
  const before = book.best();
  const changed = given.map(({ record, productId }) => ({ record, change: book.put(productId, record) }));
  const after = book.best();
  const having = (change: string) =>
    changed.filter((each) => each.change === change).map(({ record }) => record);
  await copyRows(trx, SOURCE_TABLES.estimates, having('added'));
  await upsertRows(trx, SOURCE_TABLES.estimates, having('replaced'), 'variant_id');
  const shifted = [...after.keys()].filter(
    (id) => !isSameBest(before.get(id) ?? null, after.get(id) ?? null),
  );
  const facets = await facetsOf(trx, shifted);
  const lost = await shownBest.shift(
    trx,
    [...facets].map(([id, own]) => ({
      before: { facets: own, best: before.get(id) ?? null },
      after: { facets: own, best: after.get(id) ?? null },
    })),
  );
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
