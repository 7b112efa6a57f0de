import type { EstimateRecord, HistoryRecord, ListingRecord } from './records';
import type { Stage } from './stage';

/** Market estimates: one by variant, source and region (contract 13.2). */
export const ESTIMATES_STAGE: Stage<EstimateRecord> = priceStage({
  key: ({ variant_id, source, region }) => `${variant_id} ${source} ${region}`,
  write: (records, transaction) => transaction.write('estimates', records),
});

/** Their history: one by variant, region, date and source. */
export const HISTORY_STAGE: Stage<HistoryRecord> = priceStage({
  key: ({ variant_id, region, date, source }) => `${variant_id} ${region} ${date} ${source}`,
  write: (records, transaction) => transaction.write('history', records),
});

/** Listings: one by variant, region and link. */
export const LISTINGS_STAGE: Stage<ListingRecord> = priceStage({
  key: ({ variant_id, region, link }) => `${variant_id} ${region} ${link}`,
  write: (records, transaction) => transaction.write('listings', records),
});

/** Prices are about variants of live products. */
function priceStage<Record extends { readonly variant_id: string }>(
  stage: Pick<Stage<Record>, 'key' | 'write'>,
): Stage<Record> {
  return {
    ...stage,
    inOrder: false,
    prepare: async (batch) => batch,
    async check(batch, reject, transaction) {
      const ids = new Set(batch.map(({ record }) => record.variant_id));
      const found = await transaction.variantOwners([...ids], []);
      const owners = new Map(found.map((owner) => [owner.id, owner]));
      return batch.filter(({ line, record }) => {
        const owner = owners.get(record.variant_id);
        if (!owner) reject(line, 'variant', `there is no variant "${record.variant_id}"`);
        else if (owner.deleted) reject(line, 'variant', `${owner.product_id}, its product, is deleted`);
        return owner !== undefined && !owner.deleted;
      });
    },
  };
}
